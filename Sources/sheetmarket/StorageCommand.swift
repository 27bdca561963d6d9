// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketAPI
import MarketPlatform
import SheetCore

/// What is done with the store of artifacts and pictures.
struct StorageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "storage", abstract: "Move artifacts and pictures between a folder and a bucket.",
        subcommands: [Move.self])

    struct Move: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Copy every object to the other store, and remove it here once no node needs it.",
            discussion: """
                Runs while the market serves, any number of times: what is there already is left alone, and each copy is \
                checked against its hash. In this order nothing is unreadable at any moment:

                  1. Set both SHEETMARKET_STORAGE and SHEETMARKET_S3_… on every node, with SHEETMARKET_STORAGE_PRIMARY as \
                the store to move to, and restart the nodes one by one. New objects go there from now on; older ones are \
                read where they are.
                  2. sheetmarket storage move --to s3
                  3. sheetmarket storage move --to s3 --remove-source
                  4. Take the settings of the old store away and restart the nodes.


                """ + NodeOptions.discussion)

        @Option(help: "Where the objects go: disk or s3.")
        var to: StorageSettings.Kind

        @Flag(help: "Remove objects from the old store once the new one has them.")
        var removeSource = false

        @OptionGroup var target: AdminTarget

        func run() async throws {
            let stores = try await target.stores()
            guard let disk = stores.disk, let bucket = stores.bucket else {
                throw CommandFailure(
                    "Both stores must be set: SHEETMARKET_STORAGE, and SHEETMARKET_S3_BUCKET with what goes with it.")
            }
            let move = StorageMove(
                source: to == .s3 ? disk : bucket, target: to == .s3 ? bucket : disk, removesSource: removeSource)
            let outcome = try await move.run { done, total in
                printLine("\(done) of \(counted(total, "object"))")
            }
            printLine(
                "\(counted(outcome.copied, "object")) copied, \(outcome.present) there already, \(outcome.removed) removed "
                    + "from the old store.")
            guard outcome.damaged.isEmpty else {
                throw CommandFailure(
                    "Not moved, since their bytes are not those of their names: "
                        + "\(outcome.damaged.map(\.hex).joined(separator: ", ")). `sheetmarket verify` tells what names them."
                )
            }
        }
    }
}

extension StorageSettings.Kind: ExpressibleByArgument {}

/// Moves objects from one store to another.
struct StorageMove: Sendable {
    struct Outcome: Sendable, Equatable {
        var copied = 0
        var present = 0
        var removed = 0
        var damaged: [ContentHash] = []
    }

    /// Objects between two lines of progress.
    private static let batch = 500

    let source: any Storage
    let target: any Storage
    let removesSource: Bool

    /// Copies what the target has not; removes from the source only what the target says it has, whole.
    func run(progress: (_ done: Int, _ total: Int) -> Void) async throws -> Outcome {
        let hashes = try await ArtifactCopy.names(in: source)
        let copy = ArtifactCopy(source: source, target: target)
        var outcome = Outcome()
        for begin in stride(from: 0, to: hashes.count, by: Self.batch) {
            try Task.checkCancellation()
            let batch = Array(hashes[begin..<min(begin + Self.batch, hashes.count)])
            let summary = try await copy.copy(batch)
            outcome.copied += summary.copied
            outcome.present += summary.list.entries.count - summary.copied
            outcome.damaged += summary.damaged
            if removesSource {
                for hash in summary.list.entries.keys { try await source.remove(hash) }
                outcome.removed += summary.list.entries.count
            }
            progress(begin + batch.count, hashes.count)
        }
        return outcome
    }
}
