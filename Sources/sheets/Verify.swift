// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketClient
import MarketWire
import SheetCore

struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Hash everything in the library again and say what is damaged or missing. Needs no network.",
        discussion: "With --repair what is wrong is fetched again, each from the market that it came from.")

    @Flag(help: "Fetch again what is damaged or missing.")
    var repair = false

    @OptionGroup var market: MarketOptions
    @OptionGroup var mirror: MirrorOptions

    @OptionGroup var libraryOptions: LibraryOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var progress: ProgressOptions

    func run() async throws {
        let bar = progress.bar("verifying", quiet: output.json || !Terminal.isWatched)
        let library = libraryOptions.open()
        var report = try await library.verify { bar.show($0) }
        bar.end()
        if repair, !report.ok {
            for problem in report.problems { try await mend(problem, library) }
            report = try await library.verify()
        }
        if output.json {
            try Terminal.json(report)
        } else {
            for problem in report.problems {
                Terminal.out(Terminal.printable("\(problem.kind.rawValue): \(problem.message)"))
                Terminal.out("  \(problem.path)")
            }
            for leftover in report.leftovers { Terminal.out("leftover, harmless: \(leftover)") }
            let checked =
                "\(Readable.count(report.templates, "template")), \(Readable.count(report.files, "file")), "
                + Readable.bytes(report.bytes)
            Terminal.out(
                report.ok
                    ? "All is well: \(checked)." : "\(Readable.count(report.problems.count, "problem")) in \(checked).")
        }
        if !report.ok { throw ExitStatus.refused }
    }

    /// What cannot be mended is told, and found again by the check that follows.
    private func mend(_ problem: VerificationReport.Problem, _ library: Library) async throws {
        // Of an unreadable record only its name is known, so the market that was named is asked.
        let origin = problem.templateId.flatMap { try? library.record($0) }?.server
        let client = try origin.map { try mirror.client(of: $0, beside: market) } ?? mirror.client(of: market)
        let name = problem.template ?? problem.path
        do {
            try await Installer(client: client, library: library).repair(problem) { event in
                if case .notice(let text) = event { Terminal.note(Terminal.printable(text)) }
            }
            Terminal.note(Terminal.printable("Fetched again: \(name)."))
        } catch let error where !(error is CancellationError) {
            _ = ExitStatus.report(error)
        }
    }
}
