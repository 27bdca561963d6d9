// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import MarketClient

struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Hash everything in the library again and say what is damaged or missing. Needs no network.")

    @OptionGroup var libraryOptions: LibraryOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var progress: ProgressOptions

    func run() async throws {
        let bar = progress.bar("verifying", quiet: output.json || !Terminal.isWatched)
        let report = try await libraryOptions.open().verify { bar.show($0) }
        bar.end()
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
}
