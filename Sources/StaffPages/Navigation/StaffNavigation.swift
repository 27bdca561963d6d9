// SPDX-License-Identifier: Apache-2.0
import MarketHTTP
import MarketPlatform
import SheetCore

/// The pages for moderators and administrators, as each of them leads to the others.
struct StaffNavigation: Sendable {
    enum Place: String, CaseIterable {
        case queue = "/moderation"
        case statistics = "/moderation/statistics"
        case copyright = "/moderation/copyright"
        case people = "/moderation/people"
        case rules = "/moderation/rules"
        case games = "/moderation/games"
        case tags = "/moderation/tags"
        case audit = "/moderation/audit"
        case operation = "/operation"

        var label: Phrase {
            switch self {
            case .queue: "Review queue"
            case .statistics: "Statistics"
            case .copyright: "Copyright"
            case .people: "People"
            case .rules: "Rules"
            case .games: "Games"
            case .tags: "Tags"
            case .audit: "Audit log"
            case .operation: "Operation"
            }
        }
    }

    struct Link: Sendable {
        let address: String
        let label: Phrase
        let isHere: Bool
    }

    let links: [Link]

    init(at here: Place, for viewer: Identity) {
        links = Place.allCases.filter { $0 != .operation || viewer.role >= .administrator }.map { place in
            Link(address: place.rawValue, label: place.label, isHere: place == here)
        }
    }
}
