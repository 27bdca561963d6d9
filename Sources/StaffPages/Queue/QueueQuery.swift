// SPDX-License-Identifier: Apache-2.0
import Hummingbird
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import MemberPages
import ModerationService
import SheetCore

/// What the page of the queue is asked for. Fields of its form that are left open come as empty ones.
struct QueueQuery: Sendable {
    let state: CaseState?
    let isMine: Bool
    let due: CaseSummary.Due?
    let kind: CaseSummary.Kind?
    let gameSystem: String?
    let text: String?

    /// Throws `validation_failed`.
    init(_ request: Request) throws(APIError) {
        func word(_ name: String) -> String? {
            guard let text = request.query(name)?.cleanedLine(), !text.isEmpty else { return nil }
            return text
        }
        func choice<T: RawRepresentable>(_ name: String) throws(APIError) -> T? where T.RawValue == String {
            guard let text = word(name) else { return nil }
            guard let value = T(rawValue: text) else {
                throw .validation([.init(pointer: name, detail: "There is no '\(text)' here.")])
            }
            return value
        }
        state = try choice("state")
        isMine = word("mine") == "true"
        due = try choice("due")
        kind = try choice("kind")
        gameSystem = word("gameSystem")
        text = word("q")
    }

    func filter(for viewer: Identity) -> QueueFilter {
        var filter = QueueFilter(state: state)
        filter.due = due
        filter.kind = kind
        filter.gameSystem = gameSystem
        filter.text = text
        if isMine { filter.holder = viewer.userID }
        return filter
    }

    /// Whether cases are sifted, whatever their state.
    var isSifted: Bool { kind != nil || gameSystem != nil || text != nil }

    /// The address of the same with the sieve alone; tabs add what they stand for.
    var sieve: PageAddress {
        PageAddress(StaffNavigation.Place.queue.rawValue).with("q", text).with("kind", kind?.rawValue).with(
            "gameSystem", gameSystem)
    }

    /// The address of the same.
    var address: PageAddress {
        sieve.with("state", state?.rawValue).with("due", due?.rawValue).with("mine", isMine ? "true" : nil)
    }
}
