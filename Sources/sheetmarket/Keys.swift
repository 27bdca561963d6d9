// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import MarketAPI

/// Makes keys.
struct Keys: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Make keys.", subcommands: [NewDownloadKey.self])

    /// A key for SHEETMARKET_DOWNLOAD_KEYS.
    struct NewDownloadKey: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a new key for SHEETMARKET_DOWNLOAD_KEYS.",
            discussion: """
                To rotate: put the new key behind the others on all nodes (they verify it), then in front (they sign with \
                it), and drop the old one when its last address has expired (SHEETMARKET_DOWNLOAD_TTL).
                """)

        @Option(help: "The key's name, which addresses carry: letters, digits, - and _.")
        var id = "k1"

        func validate() throws {
            let allowed = id.utf8.allSatisfy {
                (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 45 || $0 == 95
            }
            guard allowed, (1...32).contains(id.utf8.count) else {
                throw ValidationError("--id takes 1 to 32 letters, digits, '-' or '_'.")
            }
        }

        func run() {
            print(DownloadSigner.makeKeySetting(id: id))
        }
    }
}

/// Prints every setting.
struct Settings: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print every setting with its explanation, as a file to start from.")

    func run() {
        print(ServerConfiguration.exampleFile, terminator: "")
    }
}
