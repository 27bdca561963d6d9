// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketAPI
import MarketCommunity
import MarketPages
import MarketPlatform

extension Admin {
    struct Ratings: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Care for the ratings.", subcommands: [Rebuild.self])

        struct Rebuild: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Make every rating and every count of votes anew from the reviews.",
                discussion: "Reading and reviewing go on meanwhile. For a restored or hand-edited database.")

            @OptionGroup var target: AdminTarget

            func run() async throws {
                let count = try await target.withNode { node in
                    try await MarketCommunity.Ratings(database: node.features.database).rebuild(at: node.features.now())
                }
                printLine("Ratings made anew: \(count).")
            }
        }
    }
}
