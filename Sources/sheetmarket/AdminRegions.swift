// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketAPI
import MarketIngest
import MarketPages
import MarketPlatform

/// What people corrected of the zoom regions that were found.
struct AdminRegions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "regions", abstract: "Write corrected zoom regions, to measure and train the finding of regions.",
        subcommands: [Export.self])

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write the corrected pages of sheets on offer as labels for Training/.",
            discussion: """
                Each page is a file in DIR/labels: what was found and what somebody corrected, the SHA-256 of the sheet and \
                of the page's picture. Only pages of sheets whose owners allow it, under licences that allow changed \
                copies. With --sheets the files themselves are written to DIR/sheets. Training/README.md tells how to \
                measure and train with them. What an earlier export wrote and this one has not is removed.
                """)

        @Option(
            help: ArgumentHelp(
                "The folder to write to: made where it is not there, else that of an earlier export.", valueName: "dir")
        )
        var to: String

        @Flag(help: "Also write the sheets themselves.")
        var sheets = false

        @OptionGroup var target: AdminTarget

        func run() async throws {
            let found = try await target.withNode { node in
                let found = try await CorrectionExport(platform: node.features.platform).result()
                let folder = try CorrectionFolder(URL(fileURLWithPath: to))
                try folder.write(found.pages)
                let wanted = sheets ? Set(found.pages.map(\.sha256)) : []
                try folder.keepSheets(wanted)
                for hash in wanted {
                    try await node.features.platform.storage.withLocalFile(hash) { try folder.copy($0, as: hash) }
                }
                return found
            }
            let count = Set(found.pages.map(\.template)).count
            printLine(
                "Wrote \(counted(found.pages.count, "corrected page")) of \(counted(count, "sheet")) to \(to).")
            if found.withoutConsent > 0 {
                printLine("Left out \(counted(found.withoutConsent, "page")): their owners have not allowed it.")
            }
            if found.withoutLicense > 0 {
                printLine(
                    "Left out \(counted(found.withoutLicense, "page")): their licences do not allow changed copies.")
            }
        }
    }
}
