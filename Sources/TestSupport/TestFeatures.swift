// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import MarketAPI
import MarketAccounts
import MarketCatalog
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketSearch
import Moderation
import ModerationService
import Outgoing
import Postgres

extension Features {
    /// All features on a test's own database and storage.
    package static func test(
        database: PostgresClient, storage: any Storage, signer: DownloadSigner? = nil,
        responses: ResponseCache = ResponseCache(), summaries: SummaryCache = SummaryCache(),
        limits: MarketLimits = MarketLimits(), secureCookies: Bool = false, publicURL: String? = nil,
        secrets: SecretBox? = nil, outgoingPolicy: AddressPolicy = .publicOnly, emailTemplates: EmailTemplates? = nil,
        risk: RiskPolicy = RiskPolicy(), reasons: ReasonBook = ReasonBook(), signIn: ProviderDirectory = .none,
        now: (@Sendable () -> Date)? = nil, isClockOfNodeAlone: Bool = false, logger: Logger
    ) throws -> Features {
        let ownSigner = try DownloadSigner(keys: [("test", [UInt8](repeating: 7, count: 32))])
        let platform = Platform(
            database: database, storage: storage, signer: signer ?? ownSigner, secrets: secrets,
            outgoingPolicy: outgoingPolicy, publicURL: publicURL, secureCookies: secureCookies,
            leaseSeconds: limits.leaseSeconds, now: now, isClockOfNodeAlone: isClockOfNodeAlone, logger: logger)
        return Features(
            accounts: AccountDependencies(
                platform: platform, limits: limits.accounts, emailTemplates: emailTemplates, signIn: signIn),
            limits: limits, responses: responses, summaries: summaries,
            moderation: ModerationSettings(limits: limits.moderation, risk: risk, reasons: reasons),
            redrawPicture: testRedrawing())
    }
}
