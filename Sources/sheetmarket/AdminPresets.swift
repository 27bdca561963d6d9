// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketAPI
import MarketIngest
import MarketPages
import SheetCore

extension Admin {
    /// Zoom regions for known layouts.
    struct Preset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make region presets of corrected templates.", subcommands: [Export.self])

        struct Export: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Write the corrected zoom regions of a template as a preset, with the looks of its pages.",
                discussion: """
                    In the folder of SHEETMARKET_PRESETS, or published as a template, the preset gives its regions to \
                    every sheet whose pages look the same. docs/formats.md describes the file.
                    """)

            @Argument(help: "The template: its slug or id.")
            var template: String

            @Option(help: "The version; by default the one on offer.")
            var version = "latest"

            @Flag(help: "Also take regions that were found and that nobody corrected.")
            var detected = false

            @Option(
                name: .shortAndLong,
                help: ArgumentHelp("Where to write it; by default standard output.", valueName: "file"))
            var output: String?

            @OptionGroup var target: AdminTarget

            func run() async throws {
                let preset: RegionPreset
                do {
                    preset = try await target.withNode { node in
                        try await PresetExport(platform: node.features.platform).preset(
                            of: template, version: version, detected: detected)
                    }
                } catch let failure as PresetExport.Failure {
                    throw CommandFailure(failure.description)
                }
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
                let json = try encoder.encode(preset)
                guard let output else {
                    printLine(String(decoding: json, as: UTF8.self))
                    return
                }
                do {
                    try (json + Data("\n".utf8)).write(to: URL(fileURLWithPath: output), options: .atomic)
                } catch {
                    throw CommandFailure("\(output) cannot be written: \(error.localizedDescription)")
                }
                printLine("Wrote \(preset.regions.count) regions on \(preset.pages?.count ?? 0) pages to \(output).")
            }
        }
    }

    /// Fingerprints of pages from before there were any.
    struct Fingerprints: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Read stored sheets again whose pages have no fingerprints yet, and store these.",
            discussion: """
                Needed once after an upgrade from a release without fingerprints, so that re-uploads are noticed and \
                presets can be made. Beside a running market; can be broken off and begun again.
                """)

        @OptionGroup var target: AdminTarget

        func run() async throws {
            let pages = try await target.withNode { node in
                try await node.fillFingerprints { name, pages in printLine("\(name)  \(pages)") }
            }
            printLine("\(pages) pages have their fingerprints now.")
        }
    }
}
