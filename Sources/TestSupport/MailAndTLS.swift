// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import MarketAccounts

/// The servers of `Tests/Servers/mail_and_tls.py`.
package struct MailAndTLS: Sendable {
    /// A mail that was taken.
    package struct Mail: Decodable, Sendable {
        /// The sender as the server was told.
        package let from: String
        /// The recipients as the server was told.
        package let to: [String]
        package let message: Data
        /// Whether it came over TLS.
        package let tls: Bool
        /// Who signed in.
        package let user: String?

        /// All of it as text.
        package var text: String { String(decoding: message, as: UTF8.self) }
    }

    private struct Ports: Decodable {
        let smtp: Int
        let smtps: Int?
        let https: Int?
    }

    /// Mail, with STARTTLS where there is a certificate.
    package let smtpPort: Int
    /// Mail with TLS from the first byte.
    package let smtpsPort: Int?
    /// A page over TLS.
    package let httpsPort: Int?
    /// The certificate, which is its own authority.
    package let certificate: URL
    private let folder: ScratchFolder
    private let child: Child

    /// Ends the program when nothing holds the value any more.
    private final class Child: Sendable {
        let program: ChildProgram

        init(_ program: ChildProgram) { self.program = program }

        deinit { program.signal(SIGTERM) }
    }

    /// Starts them, with a certificate for `localhost` or without one.
    package static func start(tls: Bool) async throws -> MailAndTLS {
        let folder = try ScratchFolder("servers")
        let certificate = folder.url.appendingPathComponent("certificate.pem")
        let key = folder.url.appendingPathComponent("key.pem")
        if tls { try await makeCertificate(certificate, key: key) }
        let program = try ChildProgram(
            BuildProducts.root.appendingPathComponent(".venv/bin/python"),
            [BuildProducts.root.appendingPathComponent("Tests/Servers/mail_and_tls.py").path]
                + (tls ? [certificate.path, key.path] : []))
        let child = Child(program)
        guard let line = await program.line(within: 600, where: { $0.contains("\"smtp\"") }) else {
            throw RunningMarket.StartFailure(description: "\(program.errors): run 'make setup' first")
        }
        let ports = try JSONDecoder().decode(Ports.self, from: Data(line.utf8))
        return MailAndTLS(
            smtpPort: ports.smtp, smtpsPort: ports.smtps, httpsPort: ports.https, certificate: certificate,
            folder: folder, child: child)
    }

    /// Makes a certificate for `localhost` that is its own authority.
    package static func makeCertificate(_ certificate: URL, key: URL) async throws {
        let made = try await Command.run(
            URL(fileURLWithPath: "/usr/bin/openssl"),
            [
                "req", "-new", "-x509", "-days", "2", "-nodes", "-subj", "/CN=localhost", "-addext",
                "subjectAltName=DNS:localhost", "-keyout", key.path, "-out", certificate.path,
            ])
        guard made.status == 0 else { throw RunningMarket.StartFailure(description: made.errors) }
    }

    /// The next mail that is taken, or `nil` when none is for a while.
    package func nextMail() async throws -> Mail? {
        let message = await child.program.line(within: 600) { $0.contains("\"message\"") }
        guard let line = message else { return nil }
        return try JSONDecoder().decode(Mail.self, from: Data(line.utf8))
    }
}
