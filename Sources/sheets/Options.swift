// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketClient

struct MarketOptions: ParsableArguments {
    static let defaultServer = "http://127.0.0.1:8080"

    @Option(
        help: ArgumentHelp("The market's address (default: $SHEETS_SERVER, else \(defaultServer)).", valueName: "url"))
    var server: String?

    func address() throws -> ServerAddress {
        let text = server ?? Environment.variable("SHEETS_SERVER") ?? Self.defaultServer
        guard let address = ServerAddress(text) else {
            throw ValidationError("'\(text)' is not a market's address; one looks like https://market.example.")
        }
        return address
    }

    /// A client with the stored or given token, if there is one.
    func client() throws -> MarketClient { try client(of: try address()) }

    /// A client of the market that something came from, which may be another one than is named here.
    func client(of server: String) throws -> MarketClient {
        guard let address = ServerAddress(server) else {
            throw CommandFailure("'\(Terminal.printable(server))' is not a market's address.")
        }
        return try client(of: address)
    }

    private func client(of address: ServerAddress) throws -> MarketClient {
        // The variable's token is for the market that is named: no other one may see it.
        let given = try address == self.address() ? Environment.variable("SHEETS_TOKEN") : nil
        return Network.client(
            of: address, token: try given ?? Credentials.load().servers[address.description]?.token)
    }
}

struct MirrorOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A static mirror of the market, which is asked instead (default: $SHEETS_MIRROR).",
            discussion: "What it has is verified by the market's own root.", valueName: "url|dir"))
    var mirror: String?

    /// The mirror that was named, if any.
    func address() throws -> MirrorAddress? {
        guard let text = mirror ?? Environment.variable("SHEETS_MIRROR") else { return nil }
        guard let address = MirrorAddress(text) else {
            throw ValidationError(
                "'\(text)' is no mirror: name a folder, or an address such as https://mirror.example.")
        }
        return address
    }

    /// The client of a market, or of its mirror; `market` must be named then: its root is what counts.
    func client(of market: MarketOptions) throws -> MarketClient {
        guard let mirror = try address() else { return try market.client() }
        guard market.server != nil || Environment.variable("SHEETS_SERVER") != nil else {
            throw ValidationError(
                "Of which market is \(mirror) a mirror? Name it by --server or $SHEETS_SERVER: its root verifies what the "
                    + "mirror has.")
        }
        return Network.client(of: try market.address(), mirror: mirror)
    }

    /// The client of the market that something came from, or of the mirror; `market` is the one that is named.
    func client(of server: String, beside market: MarketOptions) throws -> MarketClient {
        guard let mirror = try address(), let address = ServerAddress(server) else {
            return try market.client(of: server)
        }
        return Network.client(of: address, mirror: mirror)
    }
}

struct LibraryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The library's folder (default: $SHEETS_LIBRARY, else $XDG_DATA_HOME/sheets).", valueName: "folder"))
    var library: String?

    func open() -> Library {
        let given = library ?? Environment.variable("SHEETS_LIBRARY")
        let path = given ?? Environment.folder("XDG_DATA_HOME", ".local/share") + "/sheets"
        let root = URL(fileURLWithPath: path).standardizedFileURL.path
        return Library(root: root) { try CharacterStore(library: Library(root: root)).sheetsInUse() }
    }
}

struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON for programs; docs/schemas/sheets.schema.json describes it.")
    var json = false
}

/// How to show that something is under way.
struct ProgressOptions: ParsableArguments {
    @Flag(name: .customLong("no-progress"), help: "Show no progress bars, even on a terminal.")
    var noProgress = false

    func bar(_ title: String, quiet: Bool) -> ProgressBar {
        ProgressBar(title: title, style: quiet ? .silent : noProgress ? .lines : .automatic)
    }
}

extension TemplateReference: ExpressibleByArgument {
    /// Reads `NAME` or `NAME@VERSION`.
    public init?(argument: String) {
        self.init(argument)
    }
}

extension TemplateReference {
    static let help = ArgumentHelp("Slug or id, and perhaps a version: NAME@VERSION.", valueName: "template")
}

extension LibraryOptions {
    func characters() -> CharacterStore { CharacterStore(library: open()) }
}
