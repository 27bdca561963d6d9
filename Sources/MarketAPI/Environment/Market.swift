// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import Moderation
import Outgoing
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
    /// Seals what the database alone must not give away; `nil` where no key is set: nothing can be sealed there.
    public let secrets: SecretBox?
    /// The operator's own file of leaked passwords.
    public let leakedPasswords: LeakedPasswordFile?
    /// The letters' texts; `nil` where none are written.
    public let letters: MailTemplates?
    /// Asks other people's servers.
    public let outgoing: OutgoingClient
    /// Which of them it reaches.
    public let outgoingReach: AddressPolicy
    /// Ready answers to anonymous reads of the catalog; emptied by whatever changes it.
    public let responses: ResponseCache
    /// What was looked up for lists by words; emptied likewise, and empty where no answers stand ready.
    let searches: SearchMemory
    /// Templates of lists as they were written last.
    let summaries: SummaryMemory
    /// Files that nobody may have, whatever address is shown.
    public let blockedArtifacts: BlockedArtifacts
    /// How much is allowed.
    public let limits: MarketLimits
    /// What every call goes through.
    public let gate: GateSettings
    /// Where people reach the service, such as `https://sheets.example`; `nil` answers with relative addresses.
    public let publicURL: String?
    /// Suffixes of files that outside importers want to see, without the dot.
    public let wantedSuffixes: Set<String>
    /// How submissions are judged before a moderator sees them.
    public let risk: RiskPolicy
    /// What moderators choose from.
    public let reasons: ReasonBook
    /// Providers at whom people can sign in.
    public let signIn: ProviderDirectory
    /// The clock.
    public let now: @Sendable () -> Date
    /// The service's own log; requests log through their context.
    public let logger: Logger

    /// All parts.
    public init(
        database: PostgresClient, storage: any Storage, signer: DownloadSigner,
        responses: ResponseCache = ResponseCache(), summaries: SummaryMemory = SummaryMemory(),
        limits: MarketLimits = MarketLimits(),
        gate: GateSettings = GateSettings(), publicURL: String? = nil, wantedSuffixes: Set<String> = [],
        secrets: SecretBox? = nil, outgoingReach: AddressPolicy = .publicOnly,
        leakedPasswords: LeakedPasswordFile? = nil, letters: MailTemplates? = nil,
        risk: RiskPolicy = RiskPolicy(), reasons: ReasonBook = ReasonBook(), signIn: ProviderDirectory = .none,
        now: @escaping @Sendable () -> Date = { Date() }, logger: Logger
    ) {
        self.database = database
        self.storage = storage
        self.signer = signer
        self.responses = responses
        searches = SearchMemory(seconds: responses.remembers ? SearchMemory.seconds : 0)
        self.summaries = summaries
        blockedArtifacts = BlockedArtifacts(database: database)
        self.limits = limits
        self.gate = gate
        self.publicURL = publicURL
        self.wantedSuffixes = wantedSuffixes
        self.risk = risk
        self.reasons = reasons
        self.signIn = signIn
        self.secrets = secrets
        self.leakedPasswords = leakedPasswords
        self.letters = letters
        self.outgoingReach = outgoingReach
        outgoing = OutgoingClient(policy: outgoingReach, logger: logger)
        self.now = now
        self.logger = logger
    }

    /// Forgets on this node what was made of the catalog; the others hear of a change by NOTIFY.
    func catalogChanged() {
        responses.removeAll()
        searches.forget()
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
    /// By when cases should be decided.
    public var promises = CasePromises()
    /// How long before its promised time a case counts as due soon, in seconds.
    public var promiseWarning = 6.0 * 3600
    /// From how many downloads on a take-down needs two moderators.
    public var fourEyesInstalls = 500
    /// How long a decision can be appealed, in seconds.
    public var appealSeconds = 30.0 * 86_400
    /// Failed sign-ins per account and quarter of an hour before the next is refused.
    public var signInFailures = 10
    /// How long a person can take back that their account shall be erased, in seconds; 0 erases at once.
    public var erasureGraceSeconds = 7.0 * 86_400
    /// Whether moderators and administrators need a second factor before they may work.
    public var staffSecondFactor = false
    /// Whether nobody registers without an e-mail address.
    public var emailRequired = false
    /// Reports that are taken of one person within a day.
    public var reportsPerDay = 20
    /// After how long a strike counts half, in seconds.
    public var strikeHalfLifeSeconds = 90.0 * 86_400
    /// Whether cookies demand HTTPS.
    public var secureCookies = false

    /// The defaults.
    public init() {}
}

/// By when cases should be decided, in seconds from when they were opened; each is a setting.
public struct CasePromises: Sendable, Equatable {
    /// Uploads, and appeals.
    public var upload: TimeInterval = 72 * 3600
    /// New versions by authors who were approved often enough.
    public var trustedUpdate: TimeInterval = 24 * 3600
    /// What was reported.
    public var report: TimeInterval = 24 * 3600
    /// From how many published submissions on an author's new versions count as trusted.
    public var trustedApprovals = 3

    /// The defaults.
    public init() {}
}
