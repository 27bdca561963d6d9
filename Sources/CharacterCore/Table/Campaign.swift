// SPDX-License-Identifier: Apache-2.0
import SheetCore

extension Entity {
    /// Stands for a campaign in the type of its identifier.
    public enum Campaign {}
    /// Stands for a note of a session in the type of its identifier.
    public enum SessionNote {}
}

/// A campaign.
public typealias CampaignID = Identifier<Entity.Campaign>
/// A note of a campaign.
public typealias SessionNoteID = Identifier<Entity.SessionNote>

/// A day of the calendar, `2026-03-01`, wherever the table stands.
public struct CalendarDay: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    /// `YYYY-MM-DD`.
    public let description: String

    /// Reads `YYYY-MM-DD`; `nil` for anything else, and for days that there never were.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2], text.utf8.allSatisfy({ (48...57).contains($0) || $0 == 45 }),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]), (1...12).contains(month)
        else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...days[month - 1]).contains(day) else { return nil }
        description = text
    }

    /// Reads it from JSON.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let day = CalendarDay(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "a day looks like 2026-03-01")
        }
        self = day
    }

    /// Writes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// Earlier days come first.
    public static func < (one: Self, other: Self) -> Bool { one.description < other.description }
}

/// A campaign: who plays, and what happened.
public struct Campaign: Sendable, Codable, Equatable {
    /// Somebody who plays in it.
    public struct Member: Sendable, Codable, Equatable {
        /// The character's id; `nil` for one that is on paper only.
        public var id: String?
        /// What people call it.
        public var name: String
        /// Who plays the character, if that is known.
        public var player: String?

        /// Takes the parts as they are.
        public init(id: String? = nil, name: String, player: String? = nil) {
            self.id = id
            self.name = name
            self.player = player
        }
    }

    /// What happened on a day.
    public struct Note: Sendable, Codable, Equatable {
        /// Its identifier.
        public var id: SessionNoteID
        /// The day of the session.
        public var day: CalendarDay
        /// The title that people see.
        public var title: String
        /// Markdown.
        public var text: String
    }

    /// A note in which something was found.
    public struct Hit: Sendable, Equatable {
        /// The note that was found.
        public var note: Note
        /// The line with the first word that was looked for, or a part of it.
        public var excerpt: String
    }

    /// Why something cannot be done.
    public struct Refusal: Error, Equatable, CustomStringConvertible {
        /// A sentence for people.
        public let description: String
    }

    /// 1.
    public var format = 1
    /// Its identifier.
    public let id: CampaignID
    /// What people call it.
    public private(set) var name: String
    /// The game system's slug.
    public var gameSystem: String?
    /// Out of sight, and not changed until it is brought back.
    public private(set) var isArchived = false
    /// In order of joining.
    public private(set) var members: [Member] = []
    /// By day; those of one day in order of writing.
    public private(set) var notes: [Note] = []

    /// Most members and notes, and how much a note may say, in characters.
    public static let maximumMembers = 200
    /// Most notes of a campaign.
    public static let maximumNotes = 5000
    /// Most characters of a note.
    public static let maximumTextLength = 100_000
    /// Longest name or title, in characters.
    public static let maximumNameLength = 120

    /// A new one.
    public init(id: CampaignID = .make(), name: String, gameSystem: String? = nil) throws(Refusal) {
        self.id = id
        self.name = try Self.line(name, "A campaign's name")
        self.gameSystem = gameSystem
    }

    /// Calls it something else.
    public mutating func rename(_ name: String) throws(Refusal) {
        try checkOpen()
        self.name = try Self.line(name, "A campaign's name")
    }

    /// Puts it away, or brings it back.
    public mutating func archive(_ isArchived: Bool = true) {
        self.isArchived = isArchived
    }

    /// Adds a character; one with the same id, or else the same name, is described anew.
    public mutating func join(_ member: Member) throws(Refusal) {
        try checkOpen()
        var member = member
        member.name = try Self.line(member.name, "A character's name")
        if let player = member.player { member.player = try Self.line(player, "A player's name") }
        let known = members.firstIndex {
            $0.id != nil && member.id != nil ? $0.id == member.id : $0.name.lowercased() == member.name.lowercased()
        }
        if let known {
            member.id = member.id ?? members[known].id
            member.player = member.player ?? members[known].player
            members[known] = member
        } else {
            guard members.count < Self.maximumMembers else {
                throw Refusal(description: "A campaign has at most \(Self.maximumMembers) characters.")
            }
            members.append(member)
        }
    }

    /// Calls members by other names, by their ids.
    public mutating func rename(_ names: [String: String]) {
        for place in members.indices {
            if let name = members[place].id.flatMap({ names[$0] }) { members[place].name = name }
        }
    }

    /// Takes a character out, by id or name.
    public mutating func leave(_ key: String) throws(Refusal) {
        try checkOpen()
        guard let place = members.firstIndex(where: { $0.id == key || $0.name.lowercased() == key.lowercased() })
        else { throw Refusal(description: "Nobody in '\(name)' is called '\(key)'.") }
        members.remove(at: place)
    }

    /// Writes a note.
    @discardableResult
    public mutating func write(
        _ text: String, title: String, on day: CalendarDay, id: SessionNoteID = .make()
    ) throws(Refusal) -> Note {
        try checkOpen()
        guard notes.count < Self.maximumNotes else {
            throw Refusal(description: "A campaign has at most \(Self.maximumNotes) notes.")
        }
        let note = try Note(id: id, day: day, title: Self.line(title, "A title"), text: Self.text(text))
        notes.insert(note, at: notes.firstIndex { $0.day > day } ?? notes.count)
        return note
    }

    /// Puts another text in the place of a note's.
    public mutating func rewrite(_ id: SessionNoteID, _ text: String, title: String? = nil) throws(Refusal) {
        try checkOpen()
        let place = try find(id)
        notes[place].text = try Self.text(text)
        if let title { notes[place].title = try Self.line(title, "A title") }
    }

    /// Throws a note away.
    public mutating func erase(_ id: SessionNoteID) throws(Refusal) {
        try checkOpen()
        notes.remove(at: try find(id))
    }

    /// Notes that have all the words somewhere, the newest first. Case and accents do not matter.
    public func search(_ query: String) -> [Hit] {
        let words = UnicodeText.folded(query).split(whereSeparator: \.isWhitespace).map(String.init)
        guard !words.isEmpty else { return [] }
        return notes.reversed().compactMap { note in
            let all = UnicodeText.folded("\(note.title)\n\(note.text)\n\(note.day)")
            guard words.allSatisfy({ all.contains($0) }) else { return nil }
            let line = note.text.split(whereSeparator: \.isNewline).first { line in
                let folded = UnicodeText.folded(String(line))
                return words.contains { folded.contains($0) }
            }
            return Hit(note: note, excerpt: Self.excerpt(line.map(String.init) ?? note.title, words))
        }
    }

    /// At most 160 characters around the first word.
    private static func excerpt(_ line: String, _ words: [String]) -> String {
        guard line.count > 160 else { return line }
        let pieces = line.split(separator: " ", omittingEmptySubsequences: false)
        let first = pieces.map { UnicodeText.folded(String($0)) }.firstIndex { piece in
            words.contains { piece.contains($0) }
        }
        let place = first ?? 0
        let shown = pieces[max(0, place - 8)...].joined(separator: " ")
        return (place > 8 ? "…" : "") + String(shown.prefix(160)) + (shown.count > 160 ? "…" : "")
    }

    private func checkOpen() throws(Refusal) {
        if isArchived { throw Refusal(description: "'\(name)' is archived; bring it back before changing it.") }
    }

    private func find(_ id: SessionNoteID) throws(Refusal) -> Int {
        guard let place = notes.firstIndex(where: { $0.id == id }) else {
            throw Refusal(description: "'\(name)' has no note \(id).")
        }
        return place
    }

    private static func line(_ text: String, _ what: String) throws(Refusal) -> String {
        guard (1...maximumNameLength).contains(text.count), PlainText.cleaned(text, most: maximumNameLength) == text
        else { throw Refusal(description: "\(what) is one line of 1 to \(maximumNameLength) characters.") }
        return text
    }

    private static func text(_ text: String) throws(Refusal) -> String {
        guard text.count <= maximumTextLength else {
            throw Refusal(description: "A note has at most \(maximumTextLength) characters.")
        }
        return text
    }
}
