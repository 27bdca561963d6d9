// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketAPI
import MarketPlatform
import Moderation

struct Keys: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make keys, and look after those that sign the catalog.",
        subcommands: [
            Init.self, Status.self, Rotate.self, AddRootKey.self, Expire.self, NewOfflineKey.self, Sign.self,
            Publish.self,
            NewDownloadKey.self, NewSecretKey.self, NewAuditKey.self, PublicAuditKeys.self,
        ])

    /// A key for SHEETMARKET_AUDIT_KEYS.
    struct NewAuditKey: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a new key for SHEETMARKET_AUDIT_KEYS.",
            discussion:
                "To rotate: put the new key in front and keep the old ones behind it, or old checkpoints cannot be verified. "
                + "Their public halves will do, as id:public:BASE64 (`sheetmarket keys public-audit-keys`)."
        )

        @Option(help: ArgumentHelp("The key's name, which checkpoints carry.", valueName: "name"))
        var id = "a1"

        func run() {
            print(AuditKeys.makeSetting(id: id))
        }
    }

    /// What others verify checkpoints with.
    struct PublicAuditKeys: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the public keys of SHEETMARKET_AUDIT_KEYS, as id:BASE64, one in a line.")

        @OptionGroup var options: NodeOptions

        func run() throws {
            let setting = try options.load(requiring: ["SHEETMARKET_AUDIT_KEYS"]).auditKeys ?? ""
            for key in try AuditKeys(setting: setting).publicKeys {
                printLine("\(key.id):\(key.key.base64EncodedString())")
            }
        }
    }

    /// A key for SHEETMARKET_DOWNLOAD_KEYS.
    struct NewDownloadKey: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a new key for SHEETMARKET_DOWNLOAD_KEYS.",
            discussion: """
                To rotate: put the new key behind the others on all nodes (they verify it), then in front (they sign with \
                it), and drop the old one when its last address has expired (SHEETMARKET_DOWNLOAD_TTL).
                """)

        @Option(
            help: ArgumentHelp("The key's name, which addresses carry: letters, digits, - and _.", valueName: "name"))
        var id = "k1"

        func validate() throws { try Keys.check(id) }

        func run() {
            print(DownloadSigner.makeKeySetting(id: id))
        }
    }

    /// A key for SHEETMARKET_SECRET_KEYS.
    struct NewSecretKey: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a new key for SHEETMARKET_SECRET_KEYS.",
            discussion: """
                To rotate: put the new key behind the others on all nodes (they open with it), then in front (they seal \
                with it), run `sheetmarket admin keys reseal`, and drop the old one.
                """)

        @Option(help: ArgumentHelp("The key's name: letters, digits, - and _.", valueName: "name"))
        var id = "s1"

        func validate() throws { try Keys.check(id) }

        func run() {
            print(SecretBox.makeKeySetting(id: id))
        }
    }

    private static func check(_ id: String) throws {
        let allowed = id.utf8.allSatisfy {
            (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 45 || $0 == 95
        }
        guard allowed, (1...32).contains(id.utf8.count) else {
            throw ValidationError("--id takes 1 to 32 letters, digits, '-' or '_'.")
        }
    }
}

struct Settings: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print every setting with its explanation, as a file to start from.")

    func run() {
        print(ServerConfiguration.exampleFile, terminator: "")
    }
}
