// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// A field of a PDF's form, as `sheet-export --read-fields` tells of it.
public struct FormField: Sendable, Hashable, Codable {
    public enum Kind: String, Sendable, Codable {
        case text, checkBox, radio, choice
        /// A button that only does something, a signature.
        case other
    }

    /// What can be chosen: what people see, and how the file calls it.
    public struct Option: Sendable, Hashable, Codable {
        public var label: String
        public var value: String

        public init(label: String, value: String) {
            self.label = label
            self.value = value
        }
    }

    public var name: String
    public var kind: Kind
    /// What is filled in; of a box `yes` or nothing, of a choice its label, of several one in each line.
    public var value: String
    /// The first page that shows it, from 0.
    public var page: Int
    public var isReadOnly: Bool?
    public var isMultiline: Bool?
    public var isComb: Bool?
    /// A choice that takes what is not in its list.
    public var isEditable: Bool?
    public var takesSeveral: Bool?
    /// In letters.
    public var maximumLength: Int?
    public var options: [Option]?

    public init(
        name: String, kind: Kind, value: String = "", page: Int = 0, isReadOnly: Bool? = nil,
        isMultiline: Bool? = nil, isEditable: Bool? = nil, takesSeveral: Bool? = nil, maximumLength: Int? = nil,
        options: [Option]? = nil
    ) {
        self.name = name
        self.kind = kind
        self.value = value
        self.page = page
        self.isReadOnly = isReadOnly
        self.isMultiline = isMultiline
        self.isEditable = isEditable
        self.takesSeveral = takesSeveral
        self.maximumLength = maximumLength
        self.options = options
    }

    /// What is written for a value: one line where there is only one, and of a box yes or no.
    public func written(_ value: String) -> String {
        switch kind {
        case .text where isMultiline != true:
            value.split(whereSeparator: \.isNewline).joined(separator: " ")
        case .checkBox: Self.isYes(value) ? "yes" : ""
        case .radio where option(value) == nil && Self.isNo(value): ""
        default: takesSeveral == true ? value : option(value)?.label ?? value
        }
    }

    /// Why it cannot hold a value; `nil` if it can.
    public func refusal(of value: String) -> String? {
        if isReadOnly == true { return "it can only be read" }
        switch kind {
        case .text:
            let count = value.unicodeScalars.count
            return maximumLength.flatMap { count > $0 ? "it holds at most \($0) letters, not \(count)" : nil }
        case .checkBox:
            return Self.isYes(value) || Self.isNo(value) ? nil : "it is a box: yes or no, not '\(value)'"
        case .radio, .choice:
            guard isEditable != true else { return nil }
            let wanted = takesSeveral == true ? value.split(whereSeparator: \.isNewline).map(String.init) : [value]
            let strange = wanted.first { option($0) == nil && !($0.isEmpty || kind == .radio && Self.isNo($0)) }
            return strange.map { strange in
                "it has no choice '\(strange)', only \((options ?? []).prefix(30).map(\.label).joined(separator: ", "))"
            }
        case .other: return "it is nothing that can be filled in"
        }
    }

    private func option(_ value: String) -> Option? {
        let options = options ?? []
        let key = UnicodeText.folded(value)
        return options.first { $0.label == value || $0.value == value }
            ?? options.first { UnicodeText.folded($0.label) == key || UnicodeText.folded($0.value) == key }
    }

    public static func isYes(_ value: String) -> Bool { ["1", "on", "true", "x", "yes"].contains(value.lowercased()) }
    public static func isNo(_ value: String) -> Bool {
        ["", "0", "off", "false", "no"].contains(value.lowercased())
    }
}
