// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import Logging
import MarketAccounts
import MarketHTTP
import MarketPages
import MarketPlatform
import Moderation

/// Everything an operator can set, read once at the start from the environment and a file.
///
/// The defaults are those of `sheetmarket up`; what has none is `nil` until it is set.
package struct ServerConfiguration: Sendable {
    /// What was set, as it was written, by the settings' names.
    var sources: [String: SettingsFile.Value] = [:]

    /// A libpq connection string or URI.
    package var databaseURL: String?
    /// The database itself, where that is a pooler.
    package var directDatabaseURL: String?
    /// Streaming replicas of it, separated by blanks.
    package var replicaURLs: String?
    /// How old what they show may be.
    package var replicaLag: Duration = .seconds(10)
    /// The role that serves, where `databaseURL` names the one that migrates.
    package var serviceRole: String?
    /// Connections for transactions.
    package var databasePool = 4
    /// Connections that single statements share.
    package var databasePipeline = 2
    /// How long a request waits for a connection before it is answered with 503.
    package var databasePoolTimeout: Duration = .seconds(5)
    /// The longest a statement may run.
    package var statementTimeout: Duration = .seconds(30)

    /// Where connections are taken.
    package var listen = ListenAddress(host: "127.0.0.1", port: 8080)
    /// Where people reach the service, when that is not the address above.
    package var publicURL: String?
    /// What the operator says of the market.
    package var site = SiteSettings()
    /// Proxies whose word on the client's address is taken.
    package var trustedProxies: Set<String> = []
    /// How long open requests and running jobs may go on once the service was told to end.
    package var shutdownGrace: Duration = .seconds(20)

    /// How long a server that was told to end still takes connections.
    package var drain: Duration = .seconds(1)

    /// Where artifacts and pictures lie.
    package var storage = StorageSettings()
    /// The keys of download addresses as `id:BASE64,…`; the first signs, all verify.
    package var downloadKeys: String?
    /// Keys of what the database alone must not give away, in the same form.
    package var secretKeys: String?
    /// The keys that sign checkpoints of the audit log as `id:BASE64,…`; the first signs, all verify.
    package var auditKeys: String?
    /// How much people and files are allowed, by feature.
    package var limits = MarketLimits()
    /// What every call goes through.
    package var middleware = MiddlewareSettings()

    /// The file that lists the sign-in providers.
    package var signInProviders: URL?
    /// Whether moderators and administrators need a second factor; nil leaves it to the command.
    package var staffSecondFactor: Requirement?
    /// Whether registration requires an e-mail address.
    package var email = EmailRequirement.optional
    /// A sorted file of SHA-1 hashes of leaked passwords.
    package var leakedPasswords: URL?
    /// E-mails.
    package var mail = MailSettings()

    /// Ingest workers in this process.
    package var workers = 2
    /// The program that reads PDFs; nil means `sheet-inspect` beside this program.
    package var reader: URL?
    /// What reading one file may use up, and how large a sheet may be.
    package var readerLimits = ReaderLimits()
    /// How many files a reader reads before a fresh one takes its place.
    package var filesPerReader = 32
    /// How long an idle reader process is kept.
    package var readerIdleTimeout: Duration = .seconds(300)
    /// The program with the built-in importers; nil means `sheet-import` beside this program.
    package var importer: URL?
    /// The folder whose folders are outside importers; nil means `plugins/` among the assets.
    package var plugins: URL?
    /// The folder of region presets for known layouts.
    package var presets: URL?
    /// The folder of the rules of the risk score; nil means `rules/` among the assets.
    package var rules: URL?
    /// The folder of rules that are tried beside them.
    package var shadowRules: URL?
    /// Who is trusted with publishing updates at once.
    package var trust = TrustedPath.Terms()
    /// The folder of canned reasons besides those among the assets.
    package var reasons: URL?
    /// The folder with `migrations/`, `web/` and `examples/`; nil means: found from where this program is.
    package var assets: URL?

    /// Whether webhooks may be sent into private networks.
    package var allowsPrivateOutgoing = false

    /// The least severe messages that are logged.
    package var logLevel: Logger.Level = .info
    /// How messages are written; nil means text at a terminal and JSON elsewhere.
    package var logFormat: LogFormat?
    /// Where traces go.
    package var tracing = TraceSettings()

    package init() {}
}

/// Does not print its values: some of them are secrets.
extension ServerConfiguration: CustomStringConvertible, CustomDebugStringConvertible {
    package var description: String { "ServerConfiguration" }
    package var debugDescription: String { description }
}

/// Where connections are taken.
package struct ListenAddress: Sendable, Equatable, CustomStringConvertible {
    /// A name or an address, without brackets.
    package var host: String
    /// 0 lets the system choose.
    package var port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Reads `HOST:PORT`, with an IPv6 address in brackets.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (0...65535).contains(port)
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty, host.allSatisfy({ !$0.isWhitespace && $0 != "/" }) else { return nil }
        self.init(host: String(host), port: port)
    }

    /// `HOST:PORT`, as in an address.
    package var description: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

/// Whether something is demanded.
package enum Requirement: String, Sendable, CaseIterable {
    /// Nobody goes on without.
    case required
    /// It is left to everybody.
    case off
}

/// Whether registering takes an e-mail address.
package enum EmailRequirement: String, Sendable, CaseIterable {
    /// Nobody registers without one.
    case required
    /// It is left to everybody.
    case optional
}

/// How e-mails leave the service.
package struct MailSettings: Sendable {
    /// `smtp://host:port` or `smtps://host:port`.
    package var server: String?
    /// Who signs in there.
    package var user: String?
    /// With which password.
    package var password: String?
    /// Whether nothing is sent before TLS is there.
    package var tls = Requirement.required
    /// The certificates that its own is checked against, instead of the system's.
    package var authorities: URL?
    /// From whom e-mails are.
    package var sender: String?
    /// The folder that e-mails are written to, where there is no server.
    package var folder: URL?
    /// The operator's own texts.
    package var templates: URL?

    package init() {}
}
