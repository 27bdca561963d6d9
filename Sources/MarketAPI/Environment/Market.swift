// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import Postgres
import SheetCore

/// Everything the features work with, on one screen. Built once at start; a feature takes it and uses what it needs.
public struct Market: Sendable {
    /// The database.
    public let database: PostgresClient
    /// Artifacts and pictures.
    public let storage: any Storage
    /// Signs and checks download addresses.
    public let signer: DownloadSigner
    /// Ready answers to anonymous reads of the catalog; emptied by whatever changes it.
    public let responses: ResponseCache
    /// How much is allowed.
    public let limits: MarketLimits
    /// Where people reach the service, such as `https://sheets.example`; `nil` answers with relative addresses.
    public let publicURL: String?
    /// Suffixes of files that outside importers want to see, without the dot.
    public let wantedSuffixes: Set<String>
    /// The clock.
    public let now: @Sendable () -> Date
    /// The service's own log; requests log through their context.
    public let logger: Logger

    /// All parts.
    public init(
        database: PostgresClient, storage: any Storage, signer: DownloadSigner,
        responses: ResponseCache = ResponseCache(), limits: MarketLimits = MarketLimits(),
        publicURL: String? = nil, wantedSuffixes: Set<String> = [],
        now: @escaping @Sendable () -> Date = { Date() }, logger: Logger
    ) {
        self.database = database
        self.storage = storage
        self.signer = signer
        self.responses = responses
        self.limits = limits
        self.publicURL = publicURL
        self.wantedSuffixes = wantedSuffixes
        self.now = now
        self.logger = logger
    }
}

/// How much is allowed; each is a setting.
public struct MarketLimits: Sendable {
    /// Largest file of an upload, in bytes.
    public var uploadBytes = 50 << 20
    /// How long a download address holds, in seconds.
    public var downloadSeconds = 900
    /// How long a job's lease holds before another worker may take it, in seconds.
    public var leaseSeconds = 30.0
    /// How long a browser stays signed in, in seconds.
    public var sessionSeconds = 30.0 * 86_400
    /// How long a moderator's claim holds, in seconds.
    public var claimSeconds = 900.0
    /// Failed sign-ins per account and quarter of an hour before the next is refused.
    public var signInFailures = 10
    /// Whether cookies demand HTTPS.
    public var secureCookies = false

    /// The defaults.
    public init() {}
}
