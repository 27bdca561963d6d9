// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import MarketPlatform

/// The periodic tasks of signed metadata; workers run them.
package enum TrustModule {
    package static func periodicTasks(_ platform: Platform, settings: TrustSettings = TrustSettings()) -> [PeriodicTask]
    {
        [
            PeriodicTask("publish signed metadata", every: .seconds(5), firstAfter: .seconds(1), atMost: .seconds(120))
            {
                try await TrustPublisher(platform: platform, settings: settings).publish()
            },
            PeriodicTask("see when signed metadata ends", every: .seconds(86_400), firstAfter: .seconds(30)) {
                try await warnOfEnds(platform, settings)
            },
        ]
    }

    /// Only the keepers of the offline keys can sign a root or targets: they need time.
    package static func warnOfEnds(_ platform: Platform, _ settings: TrustSettings = TrustSettings()) async throws {
        guard let status = try await TrustStatus.read(platform.database) else { return }
        for role in status.roles where role.name == "root" || role.name == "targets" {
            let left = role.end.timeIntervalSince(platform.now())
            guard left < settings.warningSeconds else { continue }
            let message: Logger.Message =
                "signed metadata ends soon; its keepers can sign it anew: `sheetmarket keys expire`, docs/trust.md"
            platform.logger.log(
                level: left < settings.warningSeconds / 4 ? .error : .warning, message,
                metadata: ["role": "\(role.name)", "days": "\(Int(left / 86_400))"])
        }
    }
}
