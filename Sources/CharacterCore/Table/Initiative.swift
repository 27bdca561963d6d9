// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// Who acts when, round by round. A value: every step can be kept, and gone back to.
public struct Initiative: Sendable, Codable, Equatable {
    /// Somebody in the order.
    public struct Combatant: Sendable, Codable, Equatable {
        /// Unique in any case of letters.
        public var name: String
        /// The number by which turns are ordered.
        public internal(set) var score: Int
        /// Settles ties: higher goes first; then whoever joined first.
        public internal(set) var tiebreaker: Int
        /// Waits outside the order until called back.
        public internal(set) var isDelaying = false
        /// What triggers its readied action.
        public internal(set) var readied: String?
        /// In order of beginning.
        public internal(set) var conditions: [Condition] = []
        /// Whether the start of its turn was counted, and the end, so that neither is counted twice around a delay.
        var hasBegun = false
        var hasEnded = false
    }

    /// Something that lasts for some turns.
    public struct Condition: Sendable, Codable, Equatable {
        /// Where in a turn it is counted down.
        public enum Moment: String, Sendable, Codable {
            case start, end
        }

        /// What the condition is called.
        public var name: String
        /// Turns left; `nil` lasts until it is ended.
        public internal(set) var turns: Int?
        /// When it ends.
        public var moment: Moment
    }

    /// What happened.
    public enum Event: Sendable, Equatable {
        case round(Int)
        case turn(String)
        /// A condition ran out.
        case ended(condition: String, of: String)
        /// A readied action was not triggered before its owner's next turn.
        case lapsed(trigger: String, of: String)
        /// Still waits outside the order.
        case delaying(String)

        /// For people.
        public var description: String {
            switch self {
            case .round(let number): "Round \(number)."
            case .turn(let name): "\(name) is up."
            case .ended(let condition, let name): "\(name) is no longer \(condition)."
            case .lapsed(let trigger, let name): "\(name) readied for '\(trigger)', which did not come."
            case .delaying(let name): "\(name) is still delaying."
            }
        }
    }

    /// Why something cannot be done.
    public struct Refusal: Error, Equatable, CustomStringConvertible {
        /// A sentence for people.
        public let description: String
    }

    /// 1.
    public var format = 1
    /// 0 before the first round.
    public private(set) var round = 0
    /// In the order in which they act; those who delay are last.
    public private(set) var combatants: [Combatant] = []
    /// Whose turn it is.
    public private(set) var current: String?

    /// Most combatants, and most conditions of each.
    public static let maximumCombatants = 200
    /// Most conditions of one combatant.
    public static let maximumConditions = 50
    /// Longest name, in characters.
    public static let maximumNameLength = 80

    /// Nobody yet.
    public init() {}

    // MARK: - Who takes part

    /// Adds somebody, before the first round or during it.
    public mutating func add(_ name: String, score: Int, tiebreaker: Int = 0) throws(Refusal) {
        guard PlainText.cleaned(name, most: Self.maximumNameLength) == name, !name.isEmpty else {
            throw Refusal(description: "A name is one line of at most \(Self.maximumNameLength) characters.")
        }
        guard index(name) == nil else { throw Refusal(description: "'\(name)' is there already.") }
        guard combatants.count < Self.maximumCombatants else {
            throw Refusal(description: "There are \(Self.maximumCombatants) already, the most there can be.")
        }
        insert(Combatant(name: name, score: score, tiebreaker: tiebreaker))
    }

    /// Takes somebody out. If it was their turn, the next one is up.
    public mutating func remove(_ name: String) throws(Refusal) -> [Event] {
        let place = try find(name)
        var events: [Event] = []
        if isCurrent(combatants[place]) {
            let others = combatants.indices.filter { $0 != place && !combatants[$0].isDelaying }
            if others.isEmpty {
                current = nil
            } else {
                events = try next()
            }
        }
        combatants.remove(at: try find(name))
        return events
    }

    /// Changes somebody's place in the order.
    public mutating func setScore(_ name: String, to score: Int, tiebreaker: Int? = nil) throws(Refusal) {
        var moved = combatants.remove(at: try find(name))
        moved.score = score
        moved.tiebreaker = tiebreaker ?? moved.tiebreaker
        insert(moved)
    }

    /// Names that share score and tiebreaker, so that their players may want to say who goes first.
    public var ties: [[String]] {
        var groups: [[Combatant]] = []
        for one in combatants where !one.isDelaying {
            if let last = groups.last?.last, last.score == one.score, last.tiebreaker == one.tiebreaker {
                groups[groups.count - 1].append(one)
            } else {
                groups.append([one])
            }
        }
        return groups.filter { $0.count > 1 }.map { $0.map(\.name) }
    }

    /// Lets somebody go before another with the same score.
    public mutating func place(_ name: String, before other: String) throws(Refusal) {
        let first = combatants[try find(name)]
        let second = combatants[try find(other)]
        guard first.score == second.score, !first.isDelaying, !second.isDelaying, first.name != second.name else {
            throw Refusal(description: "Only those with the same score can change places.")
        }
        combatants.remove(at: try find(name))
        var moved = first
        moved.tiebreaker = second.tiebreaker
        combatants.insert(moved, at: try find(other))
    }

    // MARK: - Turns

    /// Ends the turn; the next one is up, at the end of the order in a new round.
    public mutating func next() throws(Refusal) -> [Event] {
        guard combatants.contains(where: { !$0.isDelaying }) else {
            throw Refusal(description: combatants.isEmpty ? "Nobody takes part yet." : "Everybody is delaying.")
        }
        var events: [Event] = []
        var place = -1
        if let current, let at = index(current) {
            if !combatants[at].hasEnded { events += count(at, .end) }
            combatants[at].hasEnded = false
            place = at
        }
        repeat {
            place += 1
            if place >= combatants.count || round == 0 {
                round += 1
                place = 0
                events.append(.round(round))
                for at in combatants.indices where combatants[at].isDelaying {
                    // Waiting does not stop the clock.
                    if round > 1 { events += count(at, .start) + count(at, .end) }
                    events.append(.delaying(combatants[at].name))
                }
            }
        } while combatants[place].isDelaying
        return events + begin(place)
    }

    /// Whoever is up steps out of the order; the next one is up.
    public mutating func delay() throws(Refusal) -> [Event] {
        let place = try currentPlace()
        guard combatants.count(where: { !$0.isDelaying }) > 1 else {
            throw Refusal(description: "Nobody else is in the order.")
        }
        let name = combatants[place].name
        let events = try next()
        var waiting = combatants.remove(at: try find(name))
        waiting.isDelaying = true
        combatants.append(waiting)
        return events
    }

    /// Whoever was delaying acts now, before whoever is up, and keeps that place; with nobody up, by its own score.
    public mutating func act(_ name: String) throws(Refusal) -> [Event] {
        let from = try find(name)
        guard combatants[from].isDelaying else {
            throw Refusal(description: "\(combatants[from].name) is not delaying.")
        }
        var back = combatants.remove(at: from)
        back.isDelaying = false
        back.hasEnded = true
        if let current, let up = index(current) {
            back.score = combatants[up].score
            back.tiebreaker = combatants[up].tiebreaker
            combatants[up].hasBegun = true
            combatants.insert(back, at: up)
        } else {
            insert(back)
        }
        current = back.name
        return [.turn(back.name)]
    }

    /// Whoever is up readies an action and ends the turn.
    public mutating func ready(trigger: String) throws(Refusal) -> [Event] {
        let place = try currentPlace()
        guard !trigger.isEmpty, PlainText.cleaned(trigger, most: 200) == trigger else {
            throw Refusal(description: "A trigger is one line of at most 200 characters.")
        }
        combatants[place].readied = trigger
        return try next()
    }

    /// A readied action happens, in whoever's turn; places stay.
    public mutating func trigger(_ name: String) throws(Refusal) -> String {
        let place = try find(name)
        guard let trigger = combatants[place].readied else {
            throw Refusal(description: "\(combatants[place].name) has readied nothing.")
        }
        combatants[place].readied = nil
        return trigger
    }

    // MARK: - Conditions

    /// Puts a condition on somebody, in the place of one of that name.
    public mutating func begin(
        _ condition: String, of name: String, turns: Int?, moment: Condition.Moment = .end
    ) throws(Refusal) {
        let place = try find(name)
        guard !condition.isEmpty, PlainText.cleaned(condition, most: Self.maximumNameLength) == condition,
            turns.map({ (1...10_000).contains($0) }) ?? true
        else { throw Refusal(description: "A condition is a line of text, and lasts 1 to 10000 turns.") }
        combatants[place].conditions.removeAll { $0.name == condition }
        guard combatants[place].conditions.count < Self.maximumConditions else {
            throw Refusal(description: "\(combatants[place].name) has too many conditions.")
        }
        combatants[place].conditions.append(Condition(name: condition, turns: turns, moment: moment))
    }

    /// Ends a condition early.
    public mutating func end(_ condition: String, of name: String) throws(Refusal) {
        let place = try find(name)
        guard let found = combatants[place].conditions.firstIndex(where: { $0.name == condition }) else {
            throw Refusal(description: "\(combatants[place].name) is not \(condition).")
        }
        combatants[place].conditions.remove(at: found)
    }

    // MARK: - Within

    private mutating func begin(_ place: Int) -> [Event] {
        current = combatants[place].name
        var events = combatants[place].hasBegun ? [] : count(place, .start)
        combatants[place].hasBegun = false
        if let trigger = combatants[place].readied {
            combatants[place].readied = nil
            events.append(.lapsed(trigger: trigger, of: combatants[place].name))
        }
        return events + [.turn(combatants[place].name)]
    }

    private mutating func count(_ place: Int, _ moment: Condition.Moment) -> [Event] {
        var ended: [Event] = []
        combatants[place].conditions = combatants[place].conditions.compactMap { condition in
            guard condition.moment == moment, let turns = condition.turns else { return condition }
            var left = condition
            left.turns = turns - 1
            if turns > 1 { return left }
            ended.append(.ended(condition: condition.name, of: combatants[place].name))
            return nil
        }
        return ended
    }

    private mutating func insert(_ one: Combatant) {
        let place = combatants.firstIndex { other in
            other.isDelaying && !one.isDelaying
                || other.isDelaying == one.isDelaying
                    && (other.score, other.tiebreaker) < (one.score, one.tiebreaker)
        }
        combatants.insert(one, at: place ?? combatants.count)
    }

    private func isCurrent(_ one: Combatant) -> Bool { one.name == current }

    private func index(_ name: String) -> Int? {
        combatants.firstIndex { $0.name.lowercased() == name.lowercased() }
    }

    private func find(_ name: String) throws(Refusal) -> Int {
        guard let place = index(name) else { throw Refusal(description: "There is no '\(name)' in the order.") }
        return place
    }

    private func currentPlace() throws(Refusal) -> Int {
        guard let current, let place = index(current) else {
            throw Refusal(description: "No turn has begun; go to the next one first.")
        }
        return place
    }
}

extension Initiative.Combatant {
    /// Files of before have the last two only where they were true.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        score = try container.decode(Int.self, forKey: .score)
        tiebreaker = try container.decode(Int.self, forKey: .tiebreaker)
        isDelaying = try container.decode(Bool.self, forKey: .isDelaying)
        readied = try container.decodeIfPresent(String.self, forKey: .readied)
        conditions = try container.decode([Initiative.Condition].self, forKey: .conditions)
        hasBegun = try container.decodeIfPresent(Bool.self, forKey: .hasBegun) ?? false
        hasEnded = try container.decodeIfPresent(Bool.self, forKey: .hasEnded) ?? false
    }
}
