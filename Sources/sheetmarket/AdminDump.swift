// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import MarketAPI
import MarketCatalog
import MarketPages
import MarketWire
import SheetCore

extension Admin {
    /// Writes the public catalog into a file.
    struct Dump: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write the public catalog into a file now, in place of today's dump.",
            discussion: "Workers do this each night after 03:00 UTC. The file is served at /api/v1/dumps/NAME.")

        @OptionGroup var target: AdminTarget

        func run() async throws {
            let dump = try await target.withNode { node in
                try await CatalogDumps(platform: node.features.platform).make()
            }
            guard let dump else { throw CommandFailure("Another process is writing a dump just now.") }
            printLine(
                "\(dump.name)  \(dump.templateCount) templates  \(dump.sizeBytes) bytes  sha256 \(dump.sha256.hex)")
        }
    }
}
