// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketAPI
import MarketPages
import MarketPlatform
import MarketTrust

/// A copy that needs no program to serve it.
struct Mirror: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write the signed catalog and its files into a folder that any web server can serve.",
        discussion: """
            Run it again to bring the folder up to date; one that is neither empty nor a mirror is refused. Clients verify what they get there as \
            they do here, so that nobody needs to trust who serves it. Run it daily at least: after seven days its metadata \
            has expired.
            """)

    @Option(help: ArgumentHelp("The mirror's folder.", valueName: "dir"), completion: .directory)
    var to: String

    @OptionGroup var target: AdminTarget

    func run() async throws {
        let folder = URL(filePath: to)
        let report = try await target.withNode { node in
            try await StaticMirror(platform: node.features.platform, folder: folder).write()
        }
        printLine(
            "\(report.written) files written (\(report.writtenBytes) bytes), \(report.kept) kept, \(report.removed) removed"
        )
    }
}
