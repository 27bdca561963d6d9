// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import SystemPackage
import TemplateIngest

struct Plugin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Work with outside importers.", subcommands: [Test.self, List.self])

    /// Whether an importer keeps to the protocol.
    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Try an importer the way the market uses it, and the ways hostile files do.",
            discussion: """
                Runs it behind the same walls as the market does: handshake, files in its folder 'samples' (one whose \
                name begins with 'refused-' must be refused), empty, garbage and huge input, cancellation and limits. \
                The protocol is described in plugins/README.md. Exit status: 0 when it conforms, 1 when it does not.
                """)

        @Argument(help: "The importer's folder, with its plugin.json.", completion: .directory)
        var folder: String

        func run() async throws {
            let path = FilePath(URL(fileURLWithPath: folder).standardizedFileURL.path)
            let plugin = try PluginFolder(path)
            let conformance = PluginConformance(
                folder: plugin, reader: SheetReader(configuration: .besideThisProgram()))
            printLine("\(plugin.manifest.name) \(plugin.manifest.version) in \(plugin.path)")
            let checks = try await conformance.run { printLine($0.line) }
            let failures = checks.count { $0.verdict == .failed }
            printLine(
                failures == 0 ? "It conforms: \(checks.count) checks." : "\(failures) of \(checks.count) checks failed."
            )
            if failures > 0 { throw ExitCode(1) }
        }
    }

    /// What a folder of importers holds.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the importers in a folder of importers, and why others cannot be used.")

        @Argument(help: "The folder, as in SHEETMARKET_PLUGINS.", completion: .directory)
        var folder: String

        func run() async throws {
            let (usable, problems) = PluginFolder.all(
                in: FilePath(URL(fileURLWithPath: folder).standardizedFileURL.path))
            for plugin in usable {
                let manifest = plugin.manifest
                printLine("\(manifest.name)  \(manifest.version)  \(manifest.summary ?? "")")
            }
            for problem in problems { printLine("cannot be used: \(problem)") }
            if !problems.isEmpty { throw ExitCode(1) }
        }
    }
}
