// SPDX-License-Identifier: Apache-2.0
import Foundation
import Moderation
import SheetCore
import Testing

@Suite("The drawing of a case's way in docs/moderation.md")
struct DrawingTests {
    private static let states: Set<String> = ["open", "claimed", "waiting", "decided", "appealed", "closed"]

    private struct Step: Hashable {
        var from: String
        var event: String
        var to: String
    }

    private static func document() throws -> String {
        var folder = URL(fileURLWithPath: #filePath)
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            let file = folder.appendingPathComponent("docs/moderation.md")
            if FileManager.default.fileExists(atPath: file.path) {
                return try String(contentsOf: file, encoding: .utf8)
            }
        }
        throw CocoaError(.fileNoSuchFile)
    }

    /// All that the machine does: every kind of case in every state, every event, by everybody.
    private static func machine() throws -> Set<Step> {
        let cast = CaseCast()
        let actors: [CaseActor] =
            [cast.ada, cast.bea, cast.root].map { .moderator($0) }
            + [.person(cast.uploader), .person(cast.reporter), .system]
        let decisions = try Verdict.allCases.map { try cast.decision($0) }
        let events: [(String, CaseEvent)] =
            [
                ("claim", .claim(reason: nil)), ("claim", .claim(reason: "r")), ("release", .release), ("ask", .ask),
                ("answer", .answer), ("revise", .revise), ("confirm", .confirm), ("decline", .decline(reason: "r")),
                ("withdraw", .withdraw), ("appeal", .appeal), ("upheld", .appealEnded(isOverturned: false)),
                ("overturned", .appealEnded(isOverturned: true)), ("settle", .settle),
            ] + decisions.map { ("decide", .decide($0)) }
        var steps: Set<Step> = []
        for file in Self.files(cast, decisions) {
            for (name, event) in events {
                for actor in actors {
                    guard let outcome = try? file.after(event, by: actor, at: cast.now) else { continue }
                    steps.insert(Step(from: Self.name(file.status), event: name, to: Self.name(outcome.status)))
                }
            }
        }
        return steps
    }

    private static func files(_ cast: CaseCast, _ decisions: [Decision]) -> [CaseFile] {
        let statuses: [CaseStatus] = [
            .open, cast.held(by: cast.ada), cast.held(by: cast.bea, seconds: -1), .waiting, .decided, .appealed,
            .closed,
        ]
        var files: [CaseFile] = []
        for status in statuses {
            var audit = cast.upload(status, .published)
            audit.isAudit = true
            let kinds =
                SubmissionState.allCases.map { cast.upload(status, $0) } + [
                    audit, cast.report(status), cast.report(status, installs: 1000),
                    cast.report(status, isTakenDown: true), cast.appeal(status, decidedBy: cast.root),
                    CaseFile(kind: .report, subject: .user(cast.uploader), status: status, parties: [cast.uploader]),
                ]
            files += kinds
            for kind in kinds {
                for decision in decisions {
                    for seconds: TimeInterval in [60, 31 * 86_400] {
                        var file = kind
                        file.past = .init(verdict: decision.verdict, at: cast.now.addingTimeInterval(-seconds))
                        files.append(file)
                        file.past?.wasAppealed = true
                        files.append(file)
                    }
                    var file = kind
                    file.proposal = .init(by: cast.bea.id, decision: decision)
                    files.append(file)
                }
            }
        }
        return files
    }

    private static func name(_ status: CaseStatus) -> String {
        switch status {
        case .open: "open"
        case .claimed: "claimed"
        case .waiting: "waiting"
        case .decided: "decided"
        case .appealed: "appealed"
        case .closed: "closed"
        }
    }

    @Test("each arrow of the drawing is a step of the machine, and each step has its arrow")
    func drawing() throws {
        let text = try Self.document()
        let block = try #require(text.split(separator: "```mermaid").dropFirst().first?.split(separator: "```").first)
        var drawn: Set<[String]> = []
        for line in block.split(separator: "\n") where line.contains("-->") && !line.contains("[*]") {
            let parts = line.split(separator: ":")[0].split(separator: "-->")
            drawn.insert(parts.map { $0.trimmingCharacters(in: .whitespaces) })
        }
        let done = Set(try Self.machine().map { [$0.from, $0.to] })
        #expect(drawn == done, "only drawn: \(drawn.subtracting(done)); only done: \(done.subtracting(drawn))")
    }

    @Test("each line of the table is what the machine does, event by event")
    func table() throws {
        let steps = try Self.machine()
        let rows = try Self.document().split(separator: "\n").filter { line in
            Self.states.contains { line.hasPrefix("| \($0) |") }
        }
        #expect(rows.count == Self.states.count)
        var told: Set<String> = []
        for row in rows {
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            try #require(cells.count == 2)
            for piece in Self.pieces(cells[1]) where piece.contains("→") {
                let sides = piece.split(separator: "→", maxSplits: 1).map(String.init)
                let events = Self.withoutAsides(sides[0]).split(separator: ",").map {
                    $0.trimmingCharacters(in: .whitespaces)
                }
                let words = Set(sides[1].split { !$0.isLetter }.map(String.init))
                let done = steps.filter { $0.from == cells[0] && events.contains($0.event) }
                #expect(Set(done.map(\.to)) == words.intersection(Self.states), "\(cells[0]): \(piece)")
                for event in events { told.insert("\(cells[0]) \(event)") }
            }
        }
        #expect(told == Set(steps.map { "\($0.from) \($0.event)" }))
    }

    /// Parts between semicolons that are not in brackets.
    private static func pieces(_ cell: String) -> [String] {
        var pieces = [""]
        var depth = 0
        for letter in cell {
            if letter == "(" { depth += 1 }
            if letter == ")" { depth -= 1 }
            if letter == ";", depth == 0 { pieces.append("") } else { pieces[pieces.count - 1].append(letter) }
        }
        return pieces
    }

    private static func withoutAsides(_ text: String) -> String {
        text.replacing(/\([^)]*\)/, with: "")
    }
}
