// SPDX-License-Identifier: Apache-2.0
import MarketContract
import MarketHTTP
import MarketPlatform
import SheetCore

/// What the codes of problems mean and what to do, as their pages tell it: made of `web/openapi/problems.json`.
struct ProblemReference: Sendable {
    /// A code and what it means.
    struct Code: Sendable {
        let code: String
        let address: String
        let title: String
        let status: String
        let meaning: [MarkdownBlocks.Span]
        let advice: [MarkdownBlocks.Span]
        /// The sentence that comes with it.
        let sample: String
        /// The calls that answer with it, where they are few enough to say something.
        let calls: [ReferenceView.CallLink]
        let hasCalls: Bool
        let isCommon: Bool
    }

    /// Codes that come with one status.
    struct Group: Sendable {
        let heading: String
        let anchor: String
        let codes: [Code]
    }

    /// More calls than these make a list that nobody reads.
    private static let mostCalls = 24

    let groups: [Group]
    private let codes: [String: Code]

    init(_ problems: JSONValue, groups reference: [ReferenceView.Group]) {
        var calls: [String: [ReferenceView.CallLink]] = [:]
        for call in reference.flatMap(\.calls) {
            for code in Set(call.faults.flatMap(\.codes)) { calls[code, default: []].append(call.link) }
        }
        let all = problems.members.map { Self.code($0, $1, calls: calls[$0] ?? []) }
        codes = Dictionary(all.map { ($0.code, $0) }, uniquingKeysWith: { first, _ in first })
        let byStatus = Dictionary(grouping: all) { $0.status.prefix(3) }
        groups = byStatus.sorted { $0.key < $1.key }.map { status, codes in
            Group(
                heading: "\(status) \(Self.phrases[String(status)] ?? "")", anchor: "status-\(status)",
                codes: codes.sorted { $0.code < $1.code })
        }
    }

    /// What there is to say of a code.
    func page(_ code: String) -> Code? { codes[code] }

    /// All codes, by status.
    var all: [Code] { groups.flatMap(\.codes) }

    private static func code(_ code: String, _ piece: JSONValue, calls: [ReferenceView.CallLink]) -> Code {
        let words = code.replacing("_", with: " ")
        let isCommon = calls.count > mostCalls
        return Code(
            code: code, address: PagePaths.problem(code), title: DisplayText.sentence(words),
            status: (piece["statuses"]?.items ?? []).compactMap(\.integer).map(String.init).joined(separator: ", "),
            meaning: MarkdownBlocks.spans(piece["meaning"]?.text ?? ""),
            advice: MarkdownBlocks.spans(piece["advice"]?.text ?? ""), sample: piece["detail"]?.text ?? "",
            calls: isCommon ? [] : calls, hasCalls: !calls.isEmpty && !isCommon, isCommon: isCommon)
    }

    private static let phrases = [
        "400": "The request cannot be understood", "401": "Who are you?", "403": "Not allowed", "404": "Not there",
        "405": "Not in this way", "409": "It does not fit what is there", "410": "Gone", "412": "It has changed",
        "413": "Too large", "415": "Of another kind", "416": "Out of range", "422": "Values that do not hold",
        "429": "Too fast", "500": "Our fault", "503": "Not now",
    ]
}
