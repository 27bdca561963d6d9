// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import MarketHTTP
import MarketPlatform
import Postgres

/// The second line of the audit log: a call that needs a moderator or an administrator and changes something leaves an
/// entry, even where its code path forgot to write one in its transaction.
package struct AuditTrail: Sendable {
    /// How long a call may take between its entry and its end, in seconds.
    private static let longestCall = 3600.0

    private let platform: Platform

    package init(platform: Platform) {
        self.platform = platform
    }

    /// Makes sure that a call left an entry. `route` is its method and pattern, `path` the address that was called.
    func ensureEntry(of identity: Identity, route: String, path: String, requestID: String) async {
        let now = platform.now()
        do {
            let hasEntry = try await AuditStore.hasEntry(
                requestID, by: identity.userID, since: now.addingTimeInterval(-Self.longestCall), platform.database)
            if hasEntry { return }
            try await platform.database.withTransaction { connection in
                try await AuditLog.append(
                    connection, actor: AuditActor(identity), action: "api.called", subject: "route:\(route)",
                    details: ["path": String(path.prefix(500))], requestID: requestID, at: now)
            }
        } catch {
            platform.logger.error(
                "an act was done and is not in the audit log",
                metadata: [
                    "route": "\(route)", "user": "\(identity.userID)", "request_id": "\(requestID)",
                    "error": "\(String(reflecting: error))",
                ])
        }
    }
}
