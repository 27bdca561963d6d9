// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketClient
import MarketWire

struct Login: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Sign in: make a token with login and password, or store one that you have.",
        discussion: "The token is kept in $XDG_CONFIG_HOME/sheets/credentials.json, readable by you alone.")

    @Option(
        help: ArgumentHelp("Handle or confirmed e-mail address; asked for when absent.", valueName: "handle|address"))
    var login: String?

    @Flag(name: .customLong("password-stdin"), help: "Read the password from standard input.")
    var passwordFromInput = false

    @Option(
        help: "The code of the account's second factor, or a recovery code; asked for when it is needed and absent.")
    var code: String?

    @Flag(name: .customLong("token-stdin"), help: "Store a token that is read from standard input.")
    var tokenFromInput = false

    @Option(help: "What the token may do: \(TokenScope.all.map(\.rawValue).joined(separator: ", ")). May be repeated.")
    var scope: [String] = []

    @Option(name: .customLong("expires-in-days"), help: ArgumentHelp("How long the token lives.", valueName: "days"))
    var expiresInDays = 90

    @OptionGroup var market: MarketOptions
    @OptionGroup var output: OutputOptions

    private struct SignedIn: Encodable {
        let server: String
        let account: Account
        let expiresAt: Date?
    }

    func validate() throws {
        if tokenFromInput && (login != nil || passwordFromInput || !scope.isEmpty) {
            throw ValidationError("--token-stdin stands alone: the token says who you are and what it may do.")
        }
        guard (1...366).contains(expiresInDays) else { throw ValidationError("--expires-in-days is from 1 to 366.") }
    }

    func run() async throws {
        let address = try market.address()
        if !address.isPrivate {
            Terminal.note("Warning: \(address) is not https; anybody on the way can read the password and the token.")
        }
        var credentials = try Credentials.load()
        let client = Network.client(of: address)
        let signIn: Credentials.SignIn
        let account: Account
        if tokenFromInput {
            let token = try Self.line("the token")
            account = try await client.signedIn(with: token).me()
            signIn = .init(token: token, handle: account.handle, tokenId: nil, expiresAt: nil)
        } else {
            let new = try await Self.makeToken(try request(), client)
            account = try await client.signedIn(with: new.token).me()
            signIn = .init(
                token: new.token, handle: account.handle, tokenId: new.info.id, expiresAt: new.info.expiresAt)
        }
        credentials.servers[address.description] = signIn
        try credentials.save()
        if output.json {
            try Terminal.json(
                SignedIn(server: address.description, account: account, expiresAt: signIn.expiresAt))
        } else {
            let until = signIn.expiresAt.map { " until \(Readable.day($0))" } ?? ""
            Terminal.out(Terminal.printable("Signed in at \(address) as \(account.handle)\(until)."))
        }
    }

    private func request() throws -> TokenRequest {
        guard let name = login ?? (passwordFromInput ? nil : Terminal.ask("Handle or e-mail: ")), !name.isEmpty else {
            throw ValidationError("A login is needed: --login NAME.")
        }
        let password =
            passwordFromInput ? try Self.line("the password") : Terminal.ask("Password: ", secret: true) ?? ""
        guard !password.isEmpty else { throw CommandFailure("No password was given.", .usage) }
        let scopes = scope.isEmpty ? [.read, .templatesWrite, .reviewsWrite] : scope.map { TokenScope(rawValue: $0) }
        return TokenRequest(
            name: "sheets on \(ProcessInfo.processInfo.hostName)", scopes: scopes, expiresInDays: expiresInDays,
            login: name, password: password, code: code)
    }

    /// Asks for a code only when the account has a second factor.
    private static func makeToken(_ request: TokenRequest, _ client: MarketClient) async throws -> NewToken {
        do {
            return try await client.makeToken(request)
        } catch let error as MarketClientError where error.code == .secondFactorRequired && request.code == nil {
            guard let code = Terminal.ask("Code of your second factor: "), !code.isEmpty else { throw error }
            var request = request
            request.code = code
            return try await client.makeToken(request)
        }
    }

    private static func line(_ what: String) throws -> String {
        let line = readLine(strippingNewline: true)?.trimmingCharacters(in: .whitespaces) ?? ""
        guard !line.isEmpty else { throw CommandFailure("Standard input should have had \(what).", .usage) }
        return line
    }
}
