// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import MarketAPI
import MarketCatalog
import MarketPlatform
import MarketSearch

extension Admin {
    /// The tables that searching and browsing are answered from.
    struct Search: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Care for the search index.", subcommands: [Rebuild.self])

        /// Makes every derived table anew.
        struct Rebuild: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Make every table that searching and browsing use anew from the catalog.",
                discussion: """
                    Reading goes on meanwhile; publications wait, some minutes for a million templates. Triggers keep these \
                    tables, so this is for a restored or hand-edited database.
                    """)

            @Option(
                help: ArgumentHelp("How many of the most downloaded templates are ranked first.", valueName: "count"))
            var popular = SearchIndex.usualPopular

            @OptionGroup var target: AdminTarget

            func validate() throws {
                guard (100...1_000_000).contains(popular) else {
                    throw ValidationError("--popular takes 100 to 1000000.")
                }
            }

            func run() async throws {
                try await target.withNode { [popular] node in
                    try await SearchIndex(database: node.features.database, popular: popular).rebuild()
                }
                printLine("The search index is rebuilt.")
            }
        }
    }
}
