// SPDX-License-Identifier: Apache-2.0
import Foundation
import Outgoing

/// A way that e-mails leave the service.
package protocol MailDelivery: Sendable {
    /// Returns once the e-mail is in somebody's keeping; throws `MailDeliveryError`, or what the network throws.
    func deliver(_ message: MIMEMessage) async throws

    /// For the log at the start: where e-mails go.
    var summary: String { get }
}

/// Why an e-mail was not taken.
package struct MailDeliveryError: Error, Sendable, Equatable, CustomStringConvertible {
    /// For the operator; without anything that the e-mail says.
    package let description: String
    /// Whether another attempt is of no use.
    package let isFinal: Bool

    package init(_ description: String, isFinal: Bool = false) {
        self.description = description
        self.isFinal = isFinal
    }
}

/// Writes each e-mail into a file instead of sending it: for a market on one machine, and for looking at them.
package struct FileMailDelivery: MailDelivery {
    private let folder: URL

    /// The folder is made when the first e-mail comes.
    package init(_ folder: URL) {
        self.folder = folder
    }

    package var summary: String { "e-mails are not sent but written to \(folder.path)" }

    /// `2026-11-21T130405Z-ID.eml`, written atomically with mode 0600. A second attempt at the same e-mail replaces the
    /// same file.
    package func deliver(_ message: MIMEMessage) async throws {
        let files = FileManager.default
        let time = message.date.formatted(.iso8601.timeSeparator(.omitted))
        let name = "\(time)-\(message.id).eml"
        let fresh = folder.appendingPathComponent(".\(name).new")
        do {
            try files.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            guard
                files.createFile(
                    atPath: fresh.path, contents: Data(message.encoded), attributes: [.posixPermissions: 0o600])
            else { throw MailDeliveryError("the folder of e-mails cannot be written to") }
            guard rename(fresh.path, folder.appendingPathComponent(name).path) == 0 else {
                throw MailDeliveryError("the folder of e-mails cannot be written to")
            }
        } catch let error as MailDeliveryError {
            throw error
        } catch {
            throw MailDeliveryError("the folder of e-mails cannot be written to: \(error.localizedDescription)")
        }
    }
}

/// Hands e-mails to the operator's mail server.
package struct SMTPMailDelivery: MailDelivery {
    private let server: SMTPServer
    private let client: OutgoingClient

    /// `client` must be allowed to reach the server: the operator named it, so that it may be anywhere.
    package init(_ server: SMTPServer, client: OutgoingClient) {
        self.server = server
        self.client = client
    }

    package var summary: String { "e-mails go to \(server.url)" }

    /// Returns once the server has taken the e-mail.
    package func deliver(_ message: MIMEMessage) async throws {
        do throws(OutgoingError) {
            try await client.deliver(
                message.encoded, from: message.sender.address, to: [message.recipient], through: server)
        } catch {
            throw MailDeliveryError("\(error)", isFinal: !error.isTransient && error != .cancelled)
        }
    }
}
