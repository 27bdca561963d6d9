// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketHTTP
import MarketPlatform
import MarketWire
import Moderation
import SheetCore

extension SanctionPolicy {
    /// Throws `suspended`, with until when and why.
    package func check(_ identity: Identity, _ route: RouteDescription) async throws {
        guard let act = SanctionScope(of: route), let sanction = try await obstacle(to: act, for: identity.userID)
        else { return }
        throw Self.refusal(sanction, isWebPage: route.isWebPage)
    }

    /// Says how to appeal, too: to people by the page, to programs by the call.
    private static func refusal(_ sanction: Sanction, isWebPage: Bool) -> APIError {
        let (state, end) =
            if let until = sanction.measure.until { ("suspended", " until \(WireJSON.time(until))") } else {
                ("banned", "")
            }
        let appeal = isWebPage ? "on the page \(PagePaths.appeals)" : "with POST \(Paths.base)/appeals"
        var error = APIError(
            .forbidden, .suspended,
            "Your account is \(state)\(end): \(sanction.message) You can appeal \(appeal).")
        error.until = sanction.measure.until
        error.reasonCode = sanction.reasonCode
        return error
    }
}

extension SanctionScope {
    /// First parts of paths under which everybody may always act: their own account and credentials, appeals and
    /// answers to a notice. Whoever is kept from everything must still be able to object, to leave, and to take their
    /// data along.
    private static let open: Set<String> = [
        "auth", "me", "appeals", "copyright", "updates", "login", "logout", "register", "account", "confirm",
    ]

    /// Pages below `/account` that are about works, not about the account.
    private static let works: Set<String> = ["webhooks", "invitations", "collections", "profile"]

    /// Parts of paths of what people write beside sheets.
    private static let words: Set<String> = [
        "reviews", "review", "collections", "member-collections", "collect", "profile",
    ]

    /// What somebody must not be kept from to call this; `nil` when everybody may.
    package init?(of route: RouteDescription) {
        switch route.access {
        case .withoutAuthentication, .signedAddress, .optionalAuthentication, .session, .enrolling: return nil
        case .moderator, .administrator:
            self = .all
        case .user:
            guard !route.method.isSafe else { return nil }
            let parts = route.path.split(separator: "/").drop { $0 == "api" || $0 == "v1" }.map(String.init)
            guard let first = parts.first, let last = parts.last else { return nil }
            // Web pages are subject to the same sanctions as the API calls that they make.
            let isOfWorks =
                first == "account" && parts.count > 1 && Self.works.contains(parts[1])
                || parts.starts(with: ["me", "profile"])
            guard isOfWorks || !Self.open.contains(first) else { return nil }
            // Taking an upload back and answering a moderator are open, too.
            if first == "submissions", ["withdraw", "decline-cleaning", "messages"].contains(last) { return nil }
            if last == "reports" || last == "report" {
                self = .reports
            } else if !Self.words.isDisjoint(with: parts) {
                self = .reviews
            } else {
                self = .uploads
            }
        }
    }
}
