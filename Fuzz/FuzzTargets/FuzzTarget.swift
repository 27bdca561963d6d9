// SPDX-License-Identifier: Apache-2.0
import CharacterCore
import Foundation
import IngestWire
import SheetCore
import TemplateIngest
import sheet_import

/// What is fuzzed, by the name of its folder in `Fuzz/corpus`. Each takes any bytes; one that holds a promise to be
/// broken stops the process, which is how libFuzzer hears of it, or says so to the test that replays the corpus.
public struct FuzzTarget: Sendable {
    /// The name.
    public let name: String
    /// Tries some bytes; a sentence when something is wrong.
    public let complaint: @Sendable ([UInt8]) -> String?

    /// All targets.
    public static let all =
        [
            FuzzTarget(name: "answer", complaint: answer),
            FuzzTarget(name: "report", complaint: { judge(AnswerTrial.report($0)) }),
            FuzzTarget(name: "import-answer", complaint: importAnswer),
            FuzzTarget(name: "ink", complaint: { CharacterTrial.drawing($0) }),
            FuzzTarget(name: "character-archive", complaint: { CharacterTrial.archive($0) }),
            FuzzTarget(name: "operations", complaint: { CharacterTrial.operations($0) }),
            FuzzTarget(name: "dice", complaint: dice),
        ] + ImportTrial.importers.map { importer in FuzzTarget(name: importer) { tryImporter(importer, on: $0) } }

    /// What is a formula can be rolled, and no roll is beyond what is computed to be possible.
    @Sendable private static func dice(_ bytes: [UInt8]) -> String? {
        guard let formula = try? RollFormula(String(decoding: bytes, as: UTF8.self)) else { return nil }
        let text = formula.description
        if text.count <= 1000, (try? RollFormula(text)) != formula { return "it reads otherwise" }
        var generator = SeededGenerator(seed: 7)
        guard let outcomes = try? formula.roll(variables: ["str": 3], using: &generator) else { return nil }
        let rolled = formula.rolls.flatMap { Array(repeating: $0.expression, count: $0.times) }
        for (expression, outcome) in zip(rolled, outcomes) {
            // What takes seconds is refused after them; here that would only be slow.
            guard outcome.groups.reduce(0, { $0 + $1.dice.count }) <= 40, abs(outcome.total) <= 2000,
                let odds = try? expression.distribution(variables: ["str": 3])
            else { continue }
            if odds.probability(of: outcome.total) <= 0 { return "it rolled what cannot be" }
        }
        return nil
    }

    /// The first byte says to which request the rest is the answer.
    @Sendable private static func importAnswer(_ bytes: [UInt8]) -> String? {
        let kinds: [ImportRequest.Kind] = [.hello, .recognize, .import]
        guard let first = bytes.first else { return nil }
        _ = AnswerTrial.lines(Array(bytes.dropFirst()), of: kinds[Int(first) % kinds.count])
        return nil
    }

    /// What an importer says is then taken in as a stranger's word.
    private static func tryImporter(_ name: String, on bytes: [UInt8]) -> String? {
        let outcome = ImportTrial.run(name, on: Data(bytes))
        _ = AnswerTrial.lines(outcome.lines.flatMap { [UInt8]($0) + [UInt8(ascii: "\n")] }, of: .import)
        return outcome.complaint
    }

    /// The first byte says in what pieces the rest arrives, which must make no difference.
    @Sendable private static func answer(_ bytes: [UInt8]) -> String? {
        guard let first = bytes.first else { return nil }
        let rest = Array(bytes.dropFirst())
        let outcome = AnswerTrial.answer(rest, pieceBytes: Int(first) + 1)
        if outcome != AnswerTrial.answer(rest, pieceBytes: rest.count) { return "it depends on the pieces" }
        return judge(outcome)
    }

    /// What passed the check must be fit for everything that comes after: the database, JSON, other people's screens.
    private static func judge(_ outcome: AnswerTrial.Outcome) -> String? {
        guard case .report(let report) = outcome else { return nil }
        guard let json = try? JSONEncoder().encode(report),
            let again = try? JSONDecoder().decode(ReaderReport.self, from: json), again == report
        else { return "it cannot be written and read again" }
        if report.sha256 != AnswerTrial.identity.sha256 || report.bytes != 0 { return "it is of another file" }
        let isRefused = report.findings.contains { $0.severity == .blocker }
        if (report.verdict == .refused) != isRefused { return "verdict and findings disagree" }
        if report.pages.count > AnswerTrial.request.limits.pages { return "too many pages" }
        let texts = report.findings.map(\.message) + report.pages.flatMap { $0.regions.map(\.name) }
        let shown = texts.joined() + report.pages.compactMap(\.text).joined()
        if shown.unicodeScalars.contains(where: { $0.value < 32 && $0 != "\n" || $0.value == 0x202E }) {
            return "text that controls"
        }
        return nil
    }
}

/// libFuzzer's way in. `FUZZ_TARGET` names the target.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    if let complaint = chosenTarget.complaint(bytes) { fatalError(complaint) }
    return 0
}

private let chosenTarget: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
        fatalError("FUZZ_TARGET must be one of \(FuzzTarget.all.map(\.name))")
    }
    return target
}()
