// SPDX-License-Identifier: Apache-2.0
import MarketHTTP
import MarketPlatform
import SheetCore

/// What an operator does in the first ten minutes of a market, and what of it is done.
struct FirstStepsView: Sendable {
    struct Step: Sendable {
        let title: Phrase
        let text: Phrase
        /// What to type, at the machine or into the settings.
        let command: String?
        let link: String?
        let linkText: Phrase
        let isDone: Bool
    }

    let steps: [Step]
    let remaining: Phrase

    /// `nil` for whoever does not run the market, and once there are sheets of somebody's.
    static func view(for viewer: Identity?, _ features: Features, _ pages: WebPages) async throws -> FirstStepsView? {
        guard let viewer, viewer.role == .administrator,
            let state = try await MarketStateStore.state(for: viewer.userID, features.database), !state.hasOwnSheets
        else { return nil }
        return FirstStepsView(state, pages.site, publicURL: features.publicURL)
    }

    init(_ state: MarketStateStore.State, _ site: SiteSettings, publicURL: String?) {
        steps = [
            Step(
                title: "Set your password", text: "So that you can come back without the link that signed you in.",
                command: nil, link: "/account/security", linkText: "Security of your account", isDone: state.mayReturn),
            Step(
                title: "Name the market", text: "The name stands at the head of every page.",
                command: "SHEETMARKET_NAME=\"The Dragon's Desk\"", link: nil, linkText: "",
                isDone: site.name != SiteSettings().name),
            Step(
                title: "Say where it is, and where you are",
                text: "The address goes into links and e-mails, the contact onto the pages.",
                command: "SHEETMARKET_PUBLIC_URL=https://sheets.example.org\nSHEETMARKET_CONTACT=you@example.org",
                link: "/about", linkText: "The page about the market",
                isDone: publicURL != nil && site.contact != nil),
            Step(
                title: "Have e-mails sent",
                text: "Until then they are kept as files, in the folder mail/ of the data folder.",
                command: "SHEETMARKET_SMTP_URL=smtps://mail.example.org", link: nil, linkText: "",
                isDone: site.emails == .sent),
            Step(
                title: "Look over the games",
                text:
                    "\(DisplayText.count(state.gameSystems, "game is", "games are")) known. Authors choose from them.",
                command: nil, link: "/moderation/games", linkText: "See the list, and add yours",
                isDone: state.gameSystems > 0),
            Step(
                title: "Find a second moderator",
                text: "Nobody decides an appeal against themselves: with one moderator, appeals wait. "
                    + "Ask somebody to register, then:",
                command: "sheetmarket admin user role NAME moderator --data DIR", link: nil, linkText: "",
                isDone: state.staff > 1),
        ]
        let open = steps.filter { !$0.isDone }.count
        remaining = open == 0 ? "All is done." : "\(DisplayText.count(open, "step")) to go."
    }
}
