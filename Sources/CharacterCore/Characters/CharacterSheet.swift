// SPDX-License-Identifier: Apache-2.0
import SheetCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A character and its pages at one moment.
public struct SheetContent: Hashable, Sendable {
    public var character: PlayerCharacter
    /// By page, from 0.
    public var drawings: [Int: PageDrawing]

    public init(character: PlayerCharacter, drawings: [Int: PageDrawing] = [:]) {
        self.character = character
        self.drawings = drawings
    }
}

/// A character as several devices edit it. Its state depends on which operations it has seen, never on their order: of
/// each key it holds those that no other has replaced (a multi-value register; M. Shapiro et al., "A comprehensive
/// study of Convergent and Commutative Replicated Data Types", 2011). Two that know nothing of each other are both
/// kept.
public struct CharacterSheet: Sendable {
    public let id: CharacterID
    public let createdAt: Date
    public private(set) var changedAt: Date
    public private(set) var device: DeviceID
    public private(set) var history = EditHistory()
    private var number = 0
    private var clock = 0
    /// Most of either that is taken from a file or a device, so that this one can always count on.
    private static let most = Int.max - (1 << 32)
    private var heads: [SheetKey: [SheetOperation]] = [:]
    private var keys: [EditID: SheetKey] = [:]
    private var replaced: [DeviceID: NumberSet] = [:]

    /// The sheet of a character that no other device has: a new one, or one out of an archive.
    public init(_ content: SheetContent, device: DeviceID = .make()) {
        self.device = device
        id = content.character.id
        createdAt = content.character.createdAt
        changedAt = content.character.changedAt
        let own = content.drawings.values.flatMap(\.elements).filter { $0.id.device == device }
        number = min(Self.most, own.map(\.id.number).max() ?? 0)
        var values = content.values
        for conflict in content.character.conflicts {
            let (key, value) = conflict.lost
            receive(operation(key, value, replacing: [], at: changedAt))
            // A layer that is as every page's is no edit, but here it won against one.
            if case .layer(let page, let id) = key, values[key] == nil {
                values[key] = content.drawings[page]?.layers.first { $0.id == id }.map(SheetValue.layer)
            }
        }
        for (key, value) in values.sorted(by: { $0.key.description < $1.key.description }) {
            receive(operation(key, value, replacing: [], at: changedAt))
        }
    }

    // MARK: - What stands where

    /// The value that counts: the latest, and of an element that one device took away and another changed, the change.
    public func value(at key: SheetKey) -> SheetValue? {
        if let winner = winner(of: key) { return winner.value }
        guard case .element(let page, let id) = key, let loser = copy(id, page) else { return nil }
        return loser
    }

    private func winner(of key: SheetKey) -> SheetOperation? {
        guard let operations = heads[key] else { return nil }
        if case .element = key, let last = operations.last(where: { $0.value != nil }) { return last }
        return operations.last
    }

    /// An element that lost against another version of the same stands beside it, under the name of the edit that made
    /// it.
    private func copy(_ id: EditID, _ page: Int) -> SheetValue? {
        guard let key = keys[id], case .element(page, _) = key, winner(of: key)?.id != id,
            let operation = heads[key]?.first(where: { $0.id == id }), case .element(var element)? = operation.value
        else { return nil }
        element.id = id
        return .element(element)
    }

    /// Values that lost against later ones of other devices, until `settle` chooses. Elements never: both stand on the
    /// page.
    public var conflicts: [SheetKey: [SheetValue]] {
        var found: [SheetKey: [SheetValue]] = [:]
        for (key, operations) in heads where operations.count > 1 {
            if case .element = key { continue }
            let lost = operations.dropLast().compactMap(\.value).filter { $0 != operations.last?.value }
            if !lost.isEmpty { found[key] = lost }
        }
        return found
    }

    /// The character with its pages.
    public var content: SheetContent {
        var fields: [String: JSONValue] = [:]
        var pages: [Int: PageFrame] = [:]
        var layers: [Int: [String: DrawingLayer]] = [:]
        var elements: [Int: [PageElement]] = [:]
        for (key, operations) in heads {
            guard let winner = winner(of: key) else { continue }
            switch (key, winner.value) {
            case (.field(let name), .field(let value)?): fields[name] = value
            case (.page(let page), .page(let frame)?): pages[page] = frame
            case (.layer(let page, let id), .layer(let layer)?): layers[page, default: [:]][id] = layer
            case (.element(let page, _), .element(let element)?):
                elements[page, default: []].append(element)
                for operation in operations where operation.id != winner.id {
                    if case .element(let lost)? = copy(operation.id, page) { elements[page]?.append(lost) }
                }
            default: break
            }
        }
        let lost = conflicts.flatMap { key, values in values.compactMap { FieldConflict($0, lostAt: key) } }
        let inOrder = lost.map { (conflict: $0, text: $0.value.json) }.sorted {
            ($0.conflict.field, $0.text) < ($1.conflict.field, $1.text)
        }
        let drawings = pages.map { page, frame in
            var shown = Dictionary(uniqueKeysWithValues: DrawingLayer.standard.map { ($0.id, $0) })
            for (id, layer) in layers[page] ?? [:] { shown[id] = layer }
            let drawing = PageDrawing(
                size: frame.size, layers: Array(shown.values), elements: elements[page] ?? [],
                unknownBlocks: frame.unknownBlocks, unknown: frame.unknown)
            return (page, drawing)
        }
        return SheetContent(
            character: PlayerCharacter(
                id: id, createdAt: createdAt, changedAt: changedAt,
                conflicts: inOrder.map(\.conflict), fields: fields),
            drawings: Dictionary(uniqueKeysWithValues: drawings))
    }

    // MARK: - Editing here

    /// A name for something new.
    public mutating func newID() -> EditID {
        number += 1
        return EditID(device: device, number: number)
    }

    /// In front of everything on a page.
    public func nextOrder(on page: Int) -> Int {
        content.drawings[page]?.nextOrder ?? 1
    }

    /// Does something that can be undone; gives what other devices have to be told. With `joining` it becomes part of
    /// the step before, as one letter typed after the other does.
    @discardableResult
    public mutating func perform(_ edit: SheetEdit, joining: Bool = false, at date: Date = Date()) -> [SheetOperation] {
        let changes = edit.changes.compactMap { change -> EditHistory.Change? in
            let before = value(at: change.key)
            return before == change.value ? nil : .init(key: change.key, before: before, after: change.value)
        }
        guard !changes.isEmpty else { return [] }
        history.enter(.init(name: edit.name, page: edit.page, changes: changes), joining: joining)
        return changes.flatMap { set($0.key, $0.after, at: date) }
    }

    /// Takes back the last step. What another device has changed since is left as it is.
    @discardableResult
    public mutating func undo(_ scope: EditHistory.Scope, at date: Date = Date()) -> [SheetOperation] {
        guard let step = history.undo(scope) else { return [] }
        return step.changes.reversed().flatMap { change in
            value(at: change.key) == change.after ? set(change.key, change.before, at: date) : []
        }
    }

    /// Does again what was undone last.
    @discardableResult
    public mutating func redo(_ scope: EditHistory.Scope, at date: Date = Date()) -> [SheetOperation] {
        guard let step = history.redo(scope) else { return [] }
        return step.changes.flatMap { change in
            value(at: change.key) == change.before ? set(change.key, change.after, at: date) : []
        }
    }

    /// Ends a conflict: only this value stays.
    @discardableResult
    public mutating func settle(_ key: SheetKey, _ value: SheetValue?, at date: Date = Date()) -> [SheetOperation] {
        let made = operation(key, value, replacing: (heads[key] ?? []).map(\.id), at: date)
        receive(made)
        return [made]
    }

    /// The edit that makes this sheet what another content says, as restoring an earlier save does.
    public func edit(_ name: String, to wanted: SheetContent) -> SheetEdit {
        let (now, then) = (content.values, wanted.values)
        let keys = Set(now.keys).union(then.keys).sorted { $0.description < $1.description }
        return SheetEdit(name, keys.compactMap { now[$0] == then[$0] ? nil : .init($0, then[$0]) })
    }

    private mutating func set(_ key: SheetKey, _ value: SheetValue?, at date: Date) -> [SheetOperation] {
        var made: [SheetOperation] = []
        if case .element(let page, let id) = key {
            // Copies get keys of their own, so that what becomes of this one is nothing to them.
            let winner = winner(of: key)
            for lost in (heads[key] ?? []) where lost.value != nil && lost.id != winner?.id {
                let copy = copy(lost.id, page)
                made.append(operation(.element(page: page, id: lost.id), copy, replacing: [lost.id], at: date))
            }
            for copy in made { receive(copy) }
            let source = heads[key] == nil && copy(id, page) != nil ? [id] : (heads[key] ?? []).map(\.id)
            made.append(operation(key, value, replacing: source, at: date))
        } else {
            made.append(operation(key, value, replacing: winner(of: key).map { [$0.id] } ?? [], at: date))
        }
        if let last = made.last { receive(last) }
        return made
    }

    private mutating func operation(
        _ key: SheetKey, _ value: SheetValue?, replacing: [EditID], at date: Date
    ) -> SheetOperation {
        SheetOperation(
            id: newID(), clock: clock + 1, date: max(date.wholeSeconds, changedAt), key: key, value: value,
            replaces: replacing)
    }

    // MARK: - Hearing from other devices

    /// Takes in what another device did: in any order, and any number of times.
    public mutating func receive(_ operations: some Sequence<SheetOperation>) {
        for operation in operations { receive(operation) }
    }

    private mutating func receive(_ operation: SheetOperation) {
        clock = max(clock, min(operation.clock, Self.most))
        changedAt = max(changedAt, operation.date.wholeSeconds)
        if operation.id.device == device { number = max(number, min(operation.id.number, Self.most)) }
        for id in operation.replaces {
            replaced[id.device, default: NumberSet()].insert(id.number)
            drop(id)
        }
        guard keys[operation.id] == nil, replaced[operation.id.device]?.contains(operation.id.number) != true else {
            return
        }
        keys[operation.id] = operation.key
        var now = heads[operation.key] ?? []
        now.insert(operation, at: now.firstIndex { SheetOperation.earlier(operation, $0) } ?? now.endIndex)
        heads[operation.key] = now
    }

    private mutating func drop(_ id: EditID) {
        guard let key = keys.removeValue(forKey: id) else { return }
        heads[key]?.removeAll { $0.id == id }
        if heads[key]?.isEmpty ?? false { heads[key] = nil }
    }

    /// Takes in all that another copy of the same character knows.
    public mutating func merge(_ other: CharacterSheet) {
        for (device, numbers) in other.replaced { replaced[device, default: NumberSet()].formUnion(numbers) }
        for id in keys.keys where replaced[id.device]?.contains(id.number) ?? false { drop(id) }
        receive(other.heads.values.joined())
        clock = max(clock, other.clock)
        changedAt = max(changedAt, other.changedAt)
    }

    /// A copy for another device: it numbers its edits anew, and has none of its own to undo.
    public func copy(for device: DeviceID = .make()) -> CharacterSheet {
        var made = restored(for: device)
        made.history = EditHistory()
        return made
    }

    /// What a backup gives back, with all that can be undone: it numbers its edits anew, because what was done after
    /// the backup may be known elsewhere.
    public func restored(for device: DeviceID = .make()) -> CharacterSheet {
        var made = self
        made.device = device
        made.number = 0
        return made
    }

    /// What another device needs to know to merge: edits that stand, and those that they replaced.
    var known: (operations: [SheetOperation], replaced: [DeviceID: NumberSet], clock: Int) {
        (heads.values.joined().sorted(by: SheetOperation.earlier), replaced, clock)
    }

    /// Puts together what `known` told, for another device.
    init(
        of character: PlayerCharacter, operations: [SheetOperation], replaced: [DeviceID: NumberSet], clock: Int,
        device: DeviceID = .make()
    ) {
        self.device = device
        id = character.id
        createdAt = character.createdAt
        changedAt = character.changedAt
        self.replaced = replaced
        receive(operations)
        self.clock = max(self.clock, min(clock, Self.most))
    }

    /// Whether both have seen the same.
    public func agrees(with other: CharacterSheet) -> Bool {
        id == other.id && heads == other.heads && replaced == other.replaced && changedAt == other.changedAt
    }
}

extension CharacterSheet: VersionedFormat {
    public static let formatName = "A character's sheet"
    /// Of one with strokes in files; one that holds them itself is of version 1.
    public static let formatVersion = 2
    public static let oldestAlike = 1
    public static let maximumBytes = 64 << 20

    private enum CodingKeys: String, CodingKey {
        case formatVersion, id, createdAt, changedAt, device, history, number, clock, operations, replaced, ink
    }

    public init(from decoder: any Decoder) throws {
        if let older = try Self.migrated(decoder) {
            self = older
            return
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(CharacterID.self, forKey: .id)
        createdAt = try container.decode(Date.self, forKey: .createdAt)
        changedAt = try container.decode(Date.self, forKey: .changedAt)
        device = try container.decode(DeviceID.self, forKey: .device)
        if let files = try container.decodeIfPresent([ContentHash].self, forKey: .ink) {
            try (SheetInk.of(decoder.userInfo) ?? SheetInk()).read(files)
        }
        history = try container.decode(EditHistory.self, forKey: .history)
        for (name, numbers) in try container.decode([String: NumberSet].self, forKey: .replaced) {
            guard let bits = UInt64(name, radix: 16) else { continue }
            replaced[DeviceID(bits: bits)] = numbers
        }
        receive(try container.decode([SheetOperation].self, forKey: .operations))
        number = max(number, min(try container.decode(Int.self, forKey: .number), Self.most))
        clock = max(clock, min(try container.decode(Int.self, forKey: .clock), Self.most))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(createdAt, forKey: .createdAt)
        try container.encode(changedAt, forKey: .changedAt)
        try container.encode(device, forKey: .device)
        try container.encode(history, forKey: .history)
        try container.encode(number, forKey: .number)
        try container.encode(clock, forKey: .clock)
        try container.encode(heads.values.joined().sorted(by: SheetOperation.earlier), forKey: .operations)
        let numbers = replaced.map { (String($0.key.bits, radix: 16), $0.value) }
        try container.encode(Dictionary(uniqueKeysWithValues: numbers), forKey: .replaced)
        // All strokes have their numbers now.
        let files = try SheetInk.of(encoder.userInfo)?.write() ?? []
        if !files.isEmpty { try container.encode(files, forKey: .ink) }
        try container.encode(files.isEmpty ? Self.oldestAlike : Self.formatVersion, forKey: .formatVersion)
    }
}
