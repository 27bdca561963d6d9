// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketAPI
import MarketPlatform
import ServiceLifecycle

/// Fills a market with game systems and example sheets.
struct Seed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Enter the game systems and publish the example sheets.",
        discussion:
            "Can be run any number of times: what is there is left alone. Needs DATABASE_URL and SHEETMARKET_STORAGE.")

    @Flag(help: "Enter the game systems only.")
    var noExamples = false

    @OptionGroup var options: NodeOptions

    func run() async throws {
        var configuration = try options.load(requiring: ["DATABASE_URL", "SHEETMARKET_STORAGE"])
        configuration.fillDownloadKeys()
        let ready = configuration
        let withExamples = !noExamples
        try await ServiceRun(grace: ready.shutdownGrace, logger: .service).run {
            let node = try await Node.open(ready, logger: .service)
            // The examples go through the workers; those of this process help when no other runs.
            return try [NodeShutdown(node: node)] + (withExamples ? node.workers() : [])
                + [Seeding(node: node, withExamples: withExamples)]
        }
    }
}

/// Ends the run when it is done.
private struct Seeding: FiniteService {
    let node: Node
    let withExamples: Bool

    func run() async throws {
        let seeder = ExampleSeeder(features: node.features, examples: node.assets.examples)
        try await seeder.seedGameSystems()
        if withExamples { try await seeder.publishExamples() }
    }
}
