// SPDX-License-Identifier: Apache-2.0
#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Why a file is not of the format it should be: everything that was found wrong, up to a limit.
public struct FormatFailure: Error, Equatable, CustomStringConvertible {
    /// One thing that is wrong.
    public struct Problem: Sendable, Equatable {
        /// JSON pointer to the place (RFC 6901).
        public let pointer: String
        /// What is wrong and what would be right.
        public let detail: String

        public init(_ pointer: String, _ detail: String) {
            self.pointer = pointer
            self.detail = detail
        }
    }

    /// Most problems that are told of one file.
    public static let most = 20

    /// In the file's order; never empty.
    public let problems: [Problem]

    /// A failure with one cause.
    public init(_ pointer: String, _ detail: String) {
        problems = [Problem(pointer, detail)]
    }

    init(_ problems: [Problem]) {
        self.problems = problems
    }

    /// What a decoder complained about.
    public init(_ error: any Error) {
        if let failure = error as? FormatFailure {
            self = failure
            return
        }
        guard let error = error as? DecodingError else {
            self.init("", "The file cannot be read.")
            return
        }
        switch error {
        case .keyNotFound(let key, let context): self.init(Self.pointer(context.codingPath + [key]), "This is missing.")
        case .typeMismatch(let type, let context):
            self.init(Self.pointer(context.codingPath), "This should be \(Self.name(of: type)).")
        case .valueNotFound(let type, let context):
            self.init(Self.pointer(context.codingPath), "This is null and should be \(Self.name(of: type)).")
        case .dataCorrupted(let context) where context.codingPath.isEmpty:
            self.init("", "This is not JSON (RFC 8259) in UTF-8.")
        case .dataCorrupted(let context):
            self.init(Self.pointer(context.codingPath), "This value does not fit.")
        @unknown default: self.init("", "The file cannot be read.")
        }
    }

    /// One sentence for each problem.
    public var description: String {
        problems.map { $0.pointer.isEmpty ? $0.detail : "\($0.pointer): \($0.detail)" }.joined(separator: " ")
    }

    private static func pointer(_ path: [any CodingKey]) -> String {
        path.map { "/" + ($0.intValue.map(String.init) ?? $0.stringValue) }.joined()
    }

    private static func name(of type: Any.Type) -> String {
        switch type {
        case is String.Type: "text"
        case is Int.Type, is Double.Type: "a number"
        case is Bool.Type: "true or false"
        default: "\(type)".hasPrefix("Array") ? "a list" : "an object"
        }
    }
}

/// Gathers what is wrong with a file.
package struct FormatCheck {
    private(set) var problems: [FormatFailure.Problem] = []

    package init() {}

    package mutating func require(
        _ isTrue: Bool, _ pointer: @autoclosure () -> String, _ detail: @autoclosure () -> String
    ) {
        guard !isTrue, problems.count < FormatFailure.most else { return }
        problems.append(.init(pointer(), detail()))
    }

    /// A line of text with 1 to `most` characters, or none at all when it may be absent.
    mutating func line(_ text: String?, most: Int, _ pointer: @autoclosure () -> String, isNeeded: Bool = true) {
        guard let text else {
            require(!isNeeded, pointer(), "This is missing.")
            return
        }
        let isLine = (isNeeded ? 1 : 0)...most ~= text.count && text.utf8.count <= 8 * most && PlainText.isPlain(text)
        require(isLine, pointer(), "This should be one line of text with at most \(most) characters.")
    }

    /// Text of any number of lines.
    mutating func text(_ text: String?, most: Int, _ pointer: @autoclosure () -> String) {
        guard let text else { return }
        let isText =
            text.count <= most && text.utf8.count <= 8 * most
            && PlainText.isPlain(text.replacing("\r\n", with: "\n").replacing("\t", with: " "), lines: true)
        require(isText, pointer(), "This should be text with at most \(most) characters and no control characters.")
    }

    package func finish() throws(FormatFailure) {
        if !problems.isEmpty { throw FormatFailure(problems) }
    }
}

/// A file in JSON that a template can be made of.
public protocol JSONFormat: Codable, Sendable {
    /// The kind of template that such a file is.
    static var kind: TemplateKind { get }
    /// Largest file, in bytes.
    static var maximumBytes: Int { get }
    /// Checks what its parts mean together.
    func check() throws(FormatFailure)
    /// A readable rendering.
    var outline: ContentOutline { get }
    /// What the file says of itself.
    var metadata: DraftMetadata { get }
}

extension JSONFormat {
    /// Reads and checks a file.
    public static func read(_ data: Data) throws(FormatFailure) -> Self {
        guard data.count <= maximumBytes else {
            throw FormatFailure("", "The file is larger than \(maximumBytes) bytes, the most for this format.")
        }
        let value: Self
        do {
            value = try JSONDecoder().decode(Self.self, from: data)
        } catch {
            throw FormatFailure(error)
        }
        try value.check()
        return value
    }
}
