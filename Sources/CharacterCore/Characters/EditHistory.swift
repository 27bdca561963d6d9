// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// What somebody does in one go: a stroke, a pass of the eraser, a moved selection. It is undone as one.
public struct SheetEdit: Hashable, Sendable {
    /// A key and what shall stand there, `nil` for nothing.
    public struct Change: Hashable, Sendable {
        public var key: SheetKey
        public var value: SheetValue?

        public init(_ key: SheetKey, _ value: SheetValue?) {
            self.key = key
            self.value = value
        }
    }

    /// For the menu: "Draw", "Erase".
    public var name: String
    /// The page that it is undone on; `nil` for the character itself.
    public var page: Int?
    public var changes: [Change]

    public init(_ name: String, page: Int? = nil, _ changes: [Change]) {
        self.name = name
        self.page = page
        self.changes = changes
    }

    /// Puts elements on a page, or in the place of those of the same ids.
    public static func putting(_ elements: [PageElement], on page: Int, name: String = "Draw") -> SheetEdit {
        SheetEdit(name, page: page, elements.map { Change(.element(page: page, id: $0.id), .element($0)) })
    }

    public static func removing(_ ids: some Sequence<EditID>, from page: Int, name: String = "Remove") -> SheetEdit {
        SheetEdit(name, page: page, ids.sorted().map { Change(.element(page: page, id: $0), nil) })
    }

    public static func erasing(_ result: Eraser.Result, on page: Int) -> SheetEdit {
        var edit = removing(result.removed, from: page, name: "Erase")
        edit.changes += putting(result.added, on: page).changes
        return edit
    }

    public static func putting(_ layer: DrawingLayer, on page: Int) -> SheetEdit {
        SheetEdit("Layer", page: page, [Change(.layer(page: page, id: layer.id), .layer(layer))])
    }
}

/// What can be undone and done again, per page and for the character.
public struct EditHistory: Hashable, Sendable, Codable {
    /// Which edits are meant.
    public enum Scope: Hashable, Sendable {
        case character
        case page(Int)
        /// The last of all.
        case everything

        func covers(_ page: Int?) -> Bool {
            switch self {
            case .character: page == nil
            case .page(let number): page == number
            case .everything: true
            }
        }
    }

    struct Change: Hashable, Sendable, Codable {
        var key: SheetKey
        var before: SheetValue?
        var after: SheetValue?
    }

    struct Step: Hashable, Sendable, Codable {
        var name: String
        var page: Int?
        var changes: [Change]
    }

    /// Steps that are kept for each page, and for the character.
    public static let most = 100

    private(set) var done: [Step] = []
    private(set) var undone: [Step] = []

    public init() {}

    /// What the next undo takes back.
    public func undoName(_ scope: Scope) -> String? { done.last { scope.covers($0.page) }?.name }

    /// What the next redo does again.
    public func redoName(_ scope: Scope) -> String? { undone.last { scope.covers($0.page) }?.name }

    /// Enters what was done; with `joining` it becomes part of the step before, if that is of the same name and page.
    mutating func enter(_ step: Step, joining: Bool) {
        undone.removeAll { $0.page == step.page }
        if joining, let last = done.lastIndex(where: { $0.page == step.page }), done[last].name == step.name {
            for change in step.changes {
                if let place = done[last].changes.firstIndex(where: { $0.key == change.key }) {
                    done[last].changes[place].after = change.after
                } else {
                    done[last].changes.append(change)
                }
            }
        } else {
            push(step)
        }
    }

    private mutating func push(_ step: Step) {
        done.append(step)
        guard done.lazy.filter({ $0.page == step.page }).count > Self.most,
            let oldest = done.firstIndex(where: { $0.page == step.page })
        else { return }
        done.remove(at: oldest)
    }

    mutating func undo(_ scope: Scope) -> Step? {
        guard let place = done.lastIndex(where: { scope.covers($0.page) }) else { return nil }
        let step = done.remove(at: place)
        undone.append(step)
        return step
    }

    mutating func redo(_ scope: Scope) -> Step? {
        guard let place = undone.lastIndex(where: { scope.covers($0.page) }) else { return nil }
        let step = undone.remove(at: place)
        push(step)
        return step
    }
}
