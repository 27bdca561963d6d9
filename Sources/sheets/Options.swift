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
    func client() throws -> MarketClient {
        let address = try address()
        let token = try Environment.variable("SHEETS_TOKEN") ?? Credentials.load().servers[address.description]?.token
        return MarketClient(server: address, token: token)
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
        return Library(root: URL(fileURLWithPath: path).standardizedFileURL.path)
    }
}

struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON for programs.")
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
