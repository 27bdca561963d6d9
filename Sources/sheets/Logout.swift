// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import MarketClient
import MarketWire

struct Logout: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Forget the stored token, and make it worthless if `sheets login` made it.")

    @OptionGroup var market: MarketOptions
    @OptionGroup var output: OutputOptions

    private struct SignedOut: Encodable {
        let server: String
        /// Who was signed in, if anybody.
        let handle: String?
        /// Whether the token is worthless now.
        let revoked: Bool
    }

    func run() async throws {
        let address = try market.address()
        var credentials = try Credentials.load()
        guard let signIn = credentials.servers.removeValue(forKey: address.description) else {
            if output.json {
                return try Terminal.json(SignedOut(server: address.description, handle: nil, revoked: false))
            }
            return Terminal.out("Nobody is signed in at \(address).")
        }
        // Forgotten first: whatever the server says, this machine has it no longer.
        try credentials.save()
        var isRevoked = false
        if let id = signIn.tokenId {
            do {
                try await Network.client(of: address, token: signIn.token).revokeToken(id)
                isRevoked = true
            } catch let error as MarketClientError {
                let until = signIn.expiresAt.map { " until \(Readable.day($0))" } ?? ""
                Terminal.note(
                    Terminal.printable("The token could not be revoked and stays valid\(until): \(error.description)"))
            }
        }
        if output.json {
            return try Terminal.json(
                SignedOut(server: address.description, handle: signIn.handle, revoked: isRevoked))
        }
        Terminal.out(Terminal.printable("Signed out at \(address) (\(signIn.handle))."))
    }
}
