// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketClient
import SheetCore

/// Installs a sheet and opens it, online or offline, from the market or from a mirror of it.
@main
struct InstallSheet {
    static let usage = "usage: install-sheet SERVER SHEET LIBRARY [--mirror URL|DIR] [--root FILE] [--fingerprint HEX]"

    static func main() async {
        var words = Array(CommandLine.arguments.dropFirst())
        func option(_ name: String) -> String? {
            guard let place = words.firstIndex(of: name), place + 1 < words.count else { return nil }
            defer { words.removeSubrange(place...place + 1) }
            return words[place + 1]
        }
        let mirror = option("--mirror")
        let root = option("--root")
        let fingerprint = option("--fingerprint")
        guard words.count == 3, let server = ServerAddress(words[0]), let sheet = TemplateReference(words[1]),
            let address = mirror.map({ MirrorAddress($0) }) ?? .some(nil)
        else {
            print(usage)
            exit(2)
        }
        let client = address.map { MarketClient(server: server, mirror: $0) } ?? MarketClient(server: server)
        let library = Library(root: words[2])
        do {
            if let root {
                let bytes = try Data(contentsOf: URL(filePath: root))
                try await TrustSession(library: library, client: client).pin(bytes)
            }
            try await installAndOpen(sheet, from: client, into: library, fingerprint: fingerprint)
        } catch {
            print("\(sheet.key) could not be installed: \(error)")
            exit(1)
        }
    }
}
