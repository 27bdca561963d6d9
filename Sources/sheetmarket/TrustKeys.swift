// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketAPI
import MarketPages
import MarketPlatform
import MarketTrust
import SheetCore

/// What changes a root or targets: signed with the keys at hand, and published once there are enough.
struct SigningOptions: ParsableArguments {
    @Option(
        name: .customLong("key"),
        help: ArgumentHelp(
            "A private key that signs; may be repeated. Without any, those in DIR/trust-keys.", valueName: "file"),
        completion: .file())
    var keys: [String] = []

    @Option(
        help: ArgumentHelp("Where to put it while signatures are missing.", valueName: "file"), completion: .file())
    var out: String?

    @OptionGroup var target: AdminTarget

    func privateKeys() throws -> [TrustSigningKey] {
        var paths = keys
        if paths.isEmpty, let data = target.data {
            let folder = DataFolder(data).trustKeys
            paths = ["root.json", "targets.json"].map { folder.appending(path: $0).path }
                .filter { FileManager.default.fileExists(atPath: $0) }
        }
        return try paths.map { path in
            guard let key = try TrustKeyFile(reading: path).privateKey else {
                throw CommandFailure("\(path) has no private half.")
            }
            return key
        }
    }

    /// Signs drafts, and publishes them or writes them for others to sign. A draft that waits for signatures is not
    /// written over.
    func finish(_ drafts: [SignedMetadata], on node: Node) async throws {
        let administration = TrustAdministration(platform: node.features.platform)
        let keys = try privateKeys()
        var signed: [String] = []
        for draft in drafts {
            var metadata = draft
            let role = metadata.signed["_type"]?.string ?? "metadata"
            for key in keys { try metadata.sign(with: key) }
            guard let missing = try await administration.missingSignatures(metadata) else {
                try await administration.handIn(metadata)
                signed.append(role)
                continue
            }
            let file = try write(metadata, drafts.count == 1 ? out ?? "\(role).json" : "\(role).json")
            printLine(
                "\(missing) Wrote \(file): take it to each key (`sheetmarket keys sign \(file) --key FILE`, no network")
            printLine("needed), then `sheetmarket keys publish \(file)` here.")
        }
        guard !signed.isEmpty else { return }
        try await TrustPublisher(platform: node.features.platform).publish()
        let pending = try await TrustStatus.read(node.features.database)?.pending ?? signed
        for role in signed {
            let isInForce = !pending.contains(role)
            printLine(isInForce ? "Published the new \(role)." : "Took the new \(role) in; it waits (keys status).")
        }
    }

    private func write(_ metadata: SignedMetadata, _ file: String) throws -> String {
        guard !FileManager.default.fileExists(atPath: file) else {
            throw CommandFailure(
                "\(file) is there already: have it signed and published first, or remove it. To change several roles, "
                    + "name them at once.")
        }
        try metadata.file.write(to: URL(filePath: file), options: .atomic)
        return file
    }
}

extension Keys {
    /// Makes the first set of keys.
    struct Init: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make the keys of the signed catalog, and its first root and targets.",
            discussion: """
                Without --root-key and --targets-key, one of each is made in the folder --keys. Name the public halves \
                of keys that were made elsewhere (`sheetmarket keys new-offline-key`) to have them never on this machine. \
                `sheetmarket up` does this by itself.
                """)

        @Option(help: ArgumentHelp("Where keys that are made go (default: DIR/trust-keys).", valueName: "folder"))
        var keys: String?

        @Option(name: .customLong("root-key"), help: ArgumentHelp("A root key; may be repeated.", valueName: "file"))
        var rootKeys: [String] = []

        @Option(help: "How many root keys must sign.")
        var rootThreshold = 1

        @Option(
            name: .customLong("targets-key"),
            help: ArgumentHelp("A key of the targets; may be repeated.", valueName: "file"))
        var targetsKeys: [String] = []

        @Option(help: "How many keys of the targets must sign.")
        var targetsThreshold = 1

        @Option(help: "How many bins share the files among them; a power of two. It cannot be changed later.")
        var bins = BinLayout.usualCount

        @Flag(
            help: """
                Forget all roles and keys and begin again: for when too few root keys are left, or enough are stolen. \
                Clients must pin the new root.
                """)
        var anew = false

        @OptionGroup var options: AdminTarget

        private var folder: URL? { keys.map { URL(filePath: $0) } ?? options.data.map { DataFolder($0).trustKeys } }

        func run() async throws {
            try await options.withNode { node in
                let platform = node.features.platform
                if anew { try await discard(platform) }
                guard !rootKeys.isEmpty || !targetsKeys.isEmpty else {
                    guard let folder else { throw CommandFailure("--keys says where the offline keys go.") }
                    if let line = try await TrustSet(folder: folder).make(platform, binCount: bins) { printLine(line) }
                    try await TrustPublisher(platform: platform).publish()
                    return
                }
                let root = try rootKeys.map(TrustKeyFile.init(reading:))
                let targets = try targetsKeys.map(TrustKeyFile.init(reading:))
                guard (1...max(1, root.count)).contains(rootThreshold), !root.isEmpty, !targets.isEmpty,
                    (1...targets.count).contains(targetsThreshold)
                else { throw CommandFailure("Name at least as many root keys and targets keys as must sign.") }
                for name in ["root.json", "targets.json"] where FileManager.default.fileExists(atPath: name) {
                    throw CommandFailure("\(name) is there already, and may be a key: go to another folder.")
                }
                let draft = try await TrustAdministration(platform: platform).begin(
                    .init(
                        root: root.map(\.publicKey), rootThreshold: rootThreshold, targets: targets.map(\.publicKey),
                        targetsThreshold: targetsThreshold), binCount: bins)
                for (name, metadata) in [("root.json", draft.root), ("targets.json", draft.targets)] {
                    var metadata = metadata
                    for key in (root + targets).compactMap(\.privateKey) { try metadata.sign(with: key) }
                    try metadata.file.write(to: URL(filePath: name), options: .atomic)
                }
                printLine(
                    "Wrote root.json and targets.json: sign each where its keys are (`sheetmarket keys sign`), then")
                printLine("`sheetmarket keys publish root.json targets.json`.")
            }
        }

        /// Old keys that lie where new ones go would be taken for those.
        private func discard(_ platform: Platform) async throws {
            let old = ["root.json", "targets.json"].compactMap { folder?.appending(path: $0).path }
            if rootKeys.isEmpty, let file = old.first(where: FileManager.default.fileExists(atPath:)) {
                throw CommandFailure("\(file) is there: move the old keys away first.")
            }
            try await TrustAdministration(platform: platform).discard()
        }
    }

    /// How things stand.
    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show the signed catalog's roles, keys and ends.")

        @OptionGroup var options: AdminTarget

        func run() async throws {
            guard let status = try await options.withNode({ try await TrustStatus.read($0.features.database) }) else {
                throw TrustPublishingError.notInitialized
            }
            for role in status.roles {
                let keys = role.keyIDs.map { String($0.prefix(16)) }.joined(separator: ", ")
                let end = TrustDate.text(role.end)
                printLine("\(role.name)  version \(role.version)  until \(end)  \(role.threshold) of \(keys)")
            }
            printLine(
                "\(status.files) files in \(status.binCount) bins; \(status.unpublishedChanges) changes to publish")
            if let fingerprint = status.fingerprint {
                printLine("fingerprint of the first root, for `sheets trust init --fingerprint`: \(fingerprint)")
            }
            if !status.pending.isEmpty { printLine("waiting: \(status.pending.joined(separator: ", "))") }
        }
    }

    /// A key that never needs to be on the server.
    struct NewOfflineKey: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a key for the root or the targets, on any machine.",
            discussion: "Writes the key to FILE and its public half, which may go anywhere, to FILE.pub.")

        @Argument(completion: .file()) var file: String

        func run() throws {
            guard !FileManager.default.fileExists(atPath: file) else {
                throw CommandFailure("\(file) is there already.")
            }
            let key = TrustSigningKey()
            try TrustKeyFile(key).write(to: URL(filePath: file))
            try TrustKeyFile(publicHalfOf: key).write(to: URL(filePath: file + ".pub"))
            printLine(key.publicKey.id)
        }
    }

    /// Adds signatures; needs no network and no market.
    struct Sign: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sign a root or targets, on any machine.", discussion: "Shows what it signs, and adds to FILE.")

        @Argument(completion: .file()) var file: String

        @Option(name: .customLong("key"), help: ArgumentHelp("A private key; may be repeated.", valueName: "file"))
        var keys: [String]

        func run() throws {
            var metadata = try readMetadata(file)
            printLine(
                "\(metadata.signed["_type"]?.string ?? "") version \(metadata.signed["version"]?.integer ?? 0), "
                    + "until \(metadata.signed["expires"]?.string ?? "")")
            for path in keys {
                guard let key = try TrustKeyFile(reading: path).privateKey else {
                    throw CommandFailure("\(path) has no private half.")
                }
                try metadata.sign(with: key)
                printLine("signed with \(key.publicKey.id)")
            }
            try metadata.file.write(to: URL(filePath: file), options: .atomic)
        }
    }

    /// Takes in what was signed elsewhere.
    struct Publish: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take in signed roots and targets, and put them in force.")

        @Argument(completion: .file()) var files: [String]

        @OptionGroup var options: AdminTarget

        func run() async throws {
            // The roots come first, in their order: each signs for the next, and the last for the targets.
            let all = try files.map(readMetadata).sorted { Self.place($0) < Self.place($1) }
            try await options.withNode { node in
                let platform = node.features.platform
                var wasRoot = false
                for metadata in all {
                    let isRoot = Self.place(metadata).0 == 0
                    if isRoot && wasRoot { try await TrustPublisher(platform: platform).publish() }
                    wasRoot = isRoot
                    let role = try await TrustAdministration(platform: platform).handIn(metadata)
                    printLine("Took the new \(role) in.")
                }
                try await TrustPublisher(platform: platform).publish()
            }
        }

        private static func place(_ metadata: SignedMetadata) -> (Int, Int64) {
            (metadata.signed["_type"]?.string == "root" ? 0 : 1, metadata.signed["version"]?.integer ?? 0)
        }
    }
}

private func readMetadata(_ path: String) throws -> SignedMetadata {
    guard let bytes = FileManager.default.contents(atPath: path) else {
        throw CommandFailure("\(path) cannot be read.")
    }
    return try SignedMetadata(reading: bytes, role: path)
}
