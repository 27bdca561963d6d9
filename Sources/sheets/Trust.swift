// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketClient
import SheetCore

/// Whose signature this library believes.
struct Trust: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust",
        abstract: "Say by which root a market's signed catalog is verified.",
        discussion: """
            The first installation from a market pins its root as it comes. To be sure from the start, pin the one that \
            the operator gave you, or compare its fingerprint.
            """,
        subcommands: [Init.self, Status.self], defaultSubcommand: Status.self)

    struct Init: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "init",
            abstract: "Pin a market's root. One that is pinned stays, unless another is named.")

        @Option(help: ArgumentHelp("A root.json that came by a way you trust.", valueName: "file"), completion: .file())
        var root: String?

        @Option(
            help: ArgumentHelp(
                "SHA-256 that the first root must have, the market's or that of --root.", valueName: "hex"))
        var fingerprint: String?

        @OptionGroup var market: MarketOptions
        @OptionGroup var mirror: MirrorOptions
        @OptionGroup var libraryOptions: LibraryOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let library = libraryOptions.open()
            let client = try mirror.client(of: market)
            let session = TrustSession(library: library, client: client)
            var wasPinned = false
            if let root {
                guard let bytes = FileManager.default.contents(atPath: root) else {
                    throw CommandFailure("\(root) cannot be read.")
                }
                let found = ContentHash(hashing: bytes).hex
                if let fingerprint, fingerprint.lowercased() != found {
                    throw LibraryError.wrongFingerprint(
                        server: client.server.description, expected: fingerprint, found: found)
                }
                try await session.pin(bytes)
            } else if fingerprint == nil, try await session.root != nil {
                // Whoever takes a market over does not get its pin replaced by a command that names none.
                wasPinned = true
            } else {
                guard try await session.pinFirst(fingerprint: fingerprint) != nil else {
                    throw CommandFailure("\(client.server) does not sign its catalog.")
                }
            }
            guard let pinned = try await session.root else {
                throw CommandFailure("No root of \(client.server) is pinned.")
            }
            if output.json { return try Terminal.json(PinnedRoot(client, pinned)) }
            let done = wasPinned ? "Already pinned:" : "Pinned"
            Terminal.out("\(done) the root of \(client.server), fingerprint \(pinned.fingerprint).")
            if wasPinned {
                Terminal.out("It stays; --root or --fingerprint puts another in its place.")
            } else if root == nil && fingerprint == nil {
                Terminal.out("Compare it with what the operator tells: it came from the market itself.")
            }
        }
    }

    private struct PinnedRoot: Encodable {
        let server: String
        let fingerprint: String
        let version: Int64
        let expires: Date
        let pinnedAt: Date

        init(_ client: MarketClient, _ root: TrustSession.Root) {
            server = client.server.description
            fingerprint = root.fingerprint
            version = root.version
            expires = root.expires
            pinnedAt = root.pinnedAt
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Show what is pinned. Needs no network.")

        @OptionGroup var market: MarketOptions
        @OptionGroup var libraryOptions: LibraryOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let client = try market.client()
            let session = TrustSession(library: libraryOptions.open(), client: client)
            guard let root = try await session.root else {
                throw CommandFailure("No root of \(client.server) is pinned; the first installation does that.")
            }
            if output.json {
                try Terminal.json(PinnedRoot(client, root))
            } else {
                let end = TrustDate.text(root.expires)
                Terminal.out("\(client.server): root version \(root.version), good until \(end)")
                Terminal.out("fingerprint of the root that was pinned: \(root.fingerprint)")
            }
        }
    }
}
