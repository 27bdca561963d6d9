// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import Outgoing
import Postgres

/// What every feature stands on. Built once at start by the composition; a feature takes it and uses what it needs.
package struct Platform: Sendable {
    package let database: PostgresClient
    /// Artifacts and pictures.
    package let storage: any Storage
    /// Signs and checks download addresses.
    package let signer: DownloadSigner
    /// Seals what the database alone must not give away; `nil` where no key is set: nothing can be sealed there.
    package let secrets: SecretBox?
    /// The client for HTTP requests to other servers.
    package let outgoing: OutgoingClient
    /// Which addresses `outgoing` may connect to.
    package let outgoingPolicy: AddressPolicy
    /// Where people reach the service, such as `https://sheets.example`; `nil` answers with relative addresses.
    package let publicURL: String?
    /// Whether cookies demand HTTPS.
    package let secureCookies: Bool
    /// How long a job's lease holds before another worker may take it, in seconds.
    package let leaseSeconds: Double
    /// This node's clock.
    package let now: @Sendable () -> Date
    private let asksDatabaseForTime: Bool
    /// The service's own log; requests log through their context.
    package let logger: Logger

    /// A clock that is given stands for the database's, too, unless it is this node's alone.
    package init(
        database: PostgresClient, storage: any Storage, signer: DownloadSigner, secrets: SecretBox? = nil,
        outgoingPolicy: AddressPolicy = .publicOnly, publicURL: String? = nil, secureCookies: Bool? = nil,
        leaseSeconds: Double = 30, now: (@Sendable () -> Date)? = nil, isClockOfNodeAlone: Bool = false,
        logger: Logger
    ) {
        self.database = database
        self.storage = storage
        self.signer = signer
        self.secrets = secrets
        self.outgoingPolicy = outgoingPolicy
        self.publicURL = publicURL
        self.secureCookies = secureCookies ?? publicURL?.hasPrefix("https://") ?? false
        self.leaseSeconds = leaseSeconds
        self.now = now ?? { Date() }
        asksDatabaseForTime = now == nil || isClockOfNodeAlone
        self.logger = logger
        outgoing = OutgoingClient(policy: outgoingPolicy, logger: logger)
    }

    /// What time it is by the database's clock, by which nodes agree whose own differ: for what one of them may take once
    /// another's time is over.
    package func sharedTime(_ database: some PostgresExecutor) async throws -> Date {
        guard asksDatabaseForTime else { return now() }
        return try await database.one("SELECT statement_timestamp()") { try $0.get(0) }
    }

    /// Does work that nobody waits for; what cannot be done is logged and left for the next time. Whether it was done.
    @discardableResult
    package func attempt(_ what: String, _ work: () async throws -> Void) async -> Bool {
        do {
            try await work()
            return true
        } catch {
            if !Task.isCancelled {
                logger.warning("cannot \(what)", metadata: ["error": "\(String(reflecting: error))"])
            }
            return false
        }
    }
}

/// A feature's dependencies: the platform, and what else the feature needs. The platform's parts are named directly.
package protocol FeatureDependencies: Sendable {
    var platform: Platform { get }
}

extension FeatureDependencies {
    package var database: PostgresClient { platform.database }
    /// Artifacts and pictures.
    package var storage: any Storage { platform.storage }
    /// Signs and checks download addresses.
    package var signer: DownloadSigner { platform.signer }
    /// Seals what the database alone must not give away.
    package var secrets: SecretBox? { platform.secrets }
    /// Where people reach the service.
    package var publicURL: String? { platform.publicURL }
    package var now: @Sendable () -> Date { platform.now }
    /// The service's own log.
    package var logger: Logger { platform.logger }

    /// Does work that nobody waits for; what cannot be done is logged and left for the next time.
    package func attempt(_ what: String, _ work: () async throws -> Void) async {
        await platform.attempt(what, work)
    }
}
