// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import MarketClient
import MarketWire

struct Logout: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Forget the stored token, and make it worthless if `sheets login` made it.")

    @OptionGroup var market: MarketOptions

    func run() async throws {
        let address = try market.address()
        var credentials = try Credentials.load()
        guard let signIn = credentials.servers.removeValue(forKey: address.description) else {
            Terminal.out("Nobody is signed in at \(address).")
            return
        }
        // Forgotten first: whatever the server says, this machine has it no longer.
        try credentials.save()
        if let id = signIn.tokenId {
            do {
                try await MarketClient(server: address, token: signIn.token).revokeToken(id)
            } catch let error as MarketClientError {
                let until = signIn.expiresAt.map { " until \(Readable.day($0))" } ?? ""
                Terminal.note(
                    Terminal.printable("The token could not be revoked and stays valid\(until): \(error.description)"))
            }
        }
        Terminal.out(Terminal.printable("Signed out at \(address) (\(signIn.handle))."))
    }
}
