// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketAPI
import MarketPages
import MarketPlatform
import MarketTrust
import SheetCore

extension Keys {
    /// Puts new keys in the place of some.
    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Put new keys in the place of those of some roles: root, targets, timestamp, snapshot, bins.",
            discussion: """
                New keys of timestamp, snapshot and bins are made here. For root and targets, --with names the new key \
                and --replace the id, or its beginning, of the one that goes. Signed by the root's keys; for bins by \
                those of the targets. New keys for timestamp and snapshot also make up for a lead that an attacker took. \
                Name all roles at once: what changes the root comes in one draft.
                """)

        @Argument(help: ArgumentHelp(valueName: "role")) var roles: [String]

        @Option(help: ArgumentHelp("The new key of root or targets.", valueName: "file"), completion: .file())
        var with: String?

        @Option(help: ArgumentHelp("The key that goes.", valueName: "id"))
        var replace: String?

        @OptionGroup var signing: SigningOptions

        private static let offline = ["root", "targets"]

        func validate() throws {
            for role in roles where OnlineRole(rawValue: role) == nil && !Self.offline.contains(role) {
                throw ValidationError("'\(role)' is none of root, targets, timestamp, snapshot, bins.")
            }
            guard Set(roles).count == roles.count else { throw ValidationError("A role is named twice.") }
            switch roles.filter(Self.offline.contains).count {
            case 0: break
            case 1 where with != nil && replace != nil: break
            case 1: throw ValidationError("--with and --replace say which key comes and which goes.")
            default: throw ValidationError("Rotate root and targets one after the other.")
            }
        }

        func run() async throws {
            try await signing.target.withNode { node in
                let administration = TrustAdministration(platform: node.features.platform)
                var drafts: [SignedMetadata] = []
                if roles.contains(where: { $0 != OnlineRole.bins.rawValue }) {
                    drafts.append(try await root(administration))
                }
                if roles.contains(OnlineRole.bins.rawValue) {
                    let key = try await administration.makeOnlineKey(.bins)
                    let targets = try await administration.draftTargets { targets in
                        targets.delegatedKeys = [key.id: key]
                        let keys = TrustRoleKeys(keyIDs: [key.id], threshold: 1)
                        for place in targets.delegations.indices { targets.delegations[place].keys = keys }
                    }
                    drafts.append(targets)
                }
                try await signing.finish(drafts, on: node)
            }
        }

        /// The next root, with all that is new in it.
        private func root(_ administration: TrustAdministration) async throws -> SignedMetadata {
            let incoming = try with.map { try TrustKeyFile(reading: $0).publicKey }
            var made: [OnlineRole: TrustKey] = [:]
            for role in [OnlineRole.timestamp, .snapshot] where roles.contains(role.rawValue) {
                made[role] = try await administration.makeOnlineKey(role)
            }
            return try await administration.draftRoot { root in
                for (role, key) in made {
                    root.keys[key.id] = key
                    root.roles[role.rawValue] = TrustRoleKeys(keyIDs: [key.id], threshold: 1)
                }
                guard let role = roles.first(where: Self.offline.contains), let incoming, let replace,
                    var keys = root.roles[role]
                else { return }
                let going = keys.keyIDs.filter { $0.hasPrefix(replace) }
                guard going.count == 1 else {
                    throw CommandFailure("\(going.count) keys of \(role) begin with '\(replace)'.")
                }
                keys.keyIDs = keys.keyIDs.filter { $0 != going[0] && $0 != incoming.id } + [incoming.id]
                root.keys[incoming.id] = incoming
                root.roles[role] = keys
            }
        }
    }

    /// One more keeper of the root.
    struct AddRootKey: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a root key, and say how many must sign from now on.")

        @Argument(help: ArgumentHelp("The new key; its public half will do.", valueName: "file"), completion: .file())
        var file: String

        @Option(help: "How many root keys must sign; unchanged without.")
        var threshold: Int?

        @OptionGroup var signing: SigningOptions

        func run() async throws {
            let key = try TrustKeyFile(reading: file).publicKey
            try await signing.target.withNode { node in
                let draft = try await TrustAdministration(platform: node.features.platform).draftRoot { root in
                    guard var keys = root.roles["root"] else { return }
                    if !keys.keyIDs.contains(key.id) { keys.keyIDs.append(key.id) }
                    keys.threshold = threshold ?? keys.threshold
                    guard (1...keys.keyIDs.count).contains(keys.threshold) else {
                        throw CommandFailure("There are \(keys.keyIDs.count) root keys.")
                    }
                    root.keys[key.id] = key
                    root.roles["root"] = keys
                }
                try await signing.finish([draft], on: node)
            }
        }
    }

    /// A later end.
    struct Expire: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give the root or the targets another end: a new version that is good for so many days.",
            discussion: "Timestamp, snapshot and bins are signed anew by themselves.")

        @Argument(help: ArgumentHelp("root or targets", valueName: "role")) var role: String

        @Option(help: "From now on.")
        var days = 365

        @OptionGroup var signing: SigningOptions

        func validate() throws {
            guard role == "root" || role == "targets", (1...3650).contains(days) else {
                throw ValidationError("The role is root or targets, --days from 1 to 3650.")
            }
        }

        func run() async throws {
            try await signing.target.withNode { node in
                let platform = node.features.platform
                let end = platform.now().addingTimeInterval(Double(days) * 86_400)
                let administration = TrustAdministration(platform: platform)
                let draft =
                    role == "root"
                    ? try await administration.draftRoot { $0.head.expires = end }
                    : try await administration.draftTargets { $0.head.expires = end }
                try await signing.finish([draft], on: node)
            }
        }
    }
}
