// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketClient
import MarketWire
import SheetCore

/// The stored sign-ins, one per server: `$XDG_CONFIG_HOME/sheets/credentials.json`, readable by its owner alone.
struct Credentials: Codable {
    struct SignIn: Codable {
        var token: String
        /// Whose it is.
        var handle: String
        /// Known for tokens that `sheets login` made itself; those are revoked on logout.
        var tokenId: TokenID?
        var expiresAt: Date?
    }

    var format = 1
    var servers: [String: SignIn] = [:]

    static var path: String { Environment.folder("XDG_CONFIG_HOME", ".config") + "/sheets/credentials.json" }

    static func load() throws -> Credentials {
        guard let data = FileManager.default.contents(atPath: path) else { return Credentials() }
        do {
            return try WireJSON.decoder().decode(Credentials.self, from: data)
        } catch {
            throw CommandFailure("\(path) cannot be read; remove it and sign in again with `sheets login`.")
        }
    }

    func save() throws {
        let folder = URL(fileURLWithPath: Self.path).deletingLastPathComponent().path
        try AtomicFile.makeFolder(folder, permissions: 0o700)
        let data = try WireJSON.encoder().encode(self) + Data("\n".utf8)
        try AtomicFile.write(data, to: Self.path, permissions: 0o600)
    }
}
