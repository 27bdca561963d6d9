// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import MarketPlatform
import Postgres
import SheetCore

/// Brings what is in the outbox on its way. Any number of nodes may run one: each e-mail is one's at a time, is tried
/// again when that one dies, and is delivered at least once.
package struct EmailDispatcher: Sendable {
    /// E-mails taken at once.
    package static let batch = 10
    /// How long an attempt may take before another may begin, in seconds.
    package static let leaseSeconds = 180.0
    /// Attempts before an e-mail is given up: with the pauses between them about two days.
    package static let maximumAttempts = 16
    /// The longest pause between two attempts, in seconds.
    package static let longestPause = 6.0 * 3600
    /// E-mails with links, and word that an address has an account, that one mailbox gets in a quarter of an hour:
    /// whoever asks for them need not be who gets them.
    package static let mailbox = SignInAttempts(limit: 8)
    /// How long links hold, in seconds.
    static let linkSeconds: [MailLinkPurpose: Double] = [.verify: 86_400, .reset: 3600]

    private let platform: Platform
    private let templates: EmailTemplates
    private let delivery: any MailDelivery
    private let sender: MailAddress
    private let site: String

    /// `site` is where people reach the service, without a last slash: links begin with it.
    package init(
        platform: Platform, templates: EmailTemplates, delivery: any MailDelivery, sender: MailAddress, site: String
    ) {
        self.platform = platform
        self.templates = templates
        self.delivery = delivery
        self.sender = sender
        self.site = site
    }

    package var periodicTask: PeriodicTask {
        PeriodicTask("read the outbox", every: .seconds(1), firstAfter: .zero, atMost: .seconds(60)) { [self] in
            while try await deliverDue() == Self.batch {}
        }
    }

    /// Tries what is due, once; returns how many e-mails that were.
    @discardableResult
    func deliverDue() async throws -> Int {
        let due = try await MailStore.claim(
            limit: Self.batch, lease: Self.leaseSeconds, in: platform.database)
        for entry in due {
            // Whom it is for is nobody's business there.
            let attributes = [
                "sheetmarket.email.template": entry.template.rawValue, "sheetmarket.email.attempt": "\(entry.attempt)",
            ]
            try await tracedFromHere("deliver e-mail", attributes) { try await deliver(entry) }
        }
        return due.count
    }

    private func deliver(_ entry: OutboxEntry) async throws {
        do {
            switch try await written(entry) {
            case .nowhere(let reason):
                try await MailStore.end(entry, as: "dropped", problem: reason, in: platform.database)
            case .message(let message):
                try await delivery.deliver(message)
                try await MailStore.end(entry, as: "sent", in: platform.database)
            }
        } catch let error as PostgresError {
            // The lease ends by itself; the e-mail is tried again then.
            throw error
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            try await failed(entry, error)
        }
    }

    private func failed(_ entry: OutboxEntry, _ error: any Error) async throws {
        let isFinal = (error as? MailDeliveryError)?.isFinal ?? false
        let metadata: Logger.Metadata = [
            "template": "\(entry.template.rawValue)", "id": "\(entry.id.map { "\($0)" } ?? "")",
            "attempt": "\(entry.attempt)", "error": "\(error)",
        ]
        if isFinal || entry.attempt >= Self.maximumAttempts {
            platform.logger.error("an e-mail was abandoned", metadata: metadata)
            try await MailStore.end(entry, as: "dead", problem: "\(error)", in: platform.database)
            return
        }
        platform.logger.warning("an e-mail could not be delivered; it is tried again", metadata: metadata)
        let seconds = Self.pause(after: entry.attempt) * .random(in: 0.8...1.2)
        try await MailStore.postpone(entry, by: seconds, problem: "\(error)", in: platform.database)
    }

    /// Half a minute, and twice as long each time.
    package static func pause(after attempt: Int) -> Double {
        min(longestPause, 30 * Double(1 << min(attempt - 1, 20)))
    }

    // MARK: Writing

    private enum Written {
        case message(MIMEMessage)
        /// There is nobody to tell.
        case nowhere(String)
    }

    private func written(_ entry: OutboxEntry) async throws -> Written {
        if let stranger = entry.stranger {
            var values = entry.values.mapValues(DisplayText.oneLine)
            values["site"] = site
            return .message(try message(entry, to: stranger, language: entry.values[Mail.languageKey], values))
        }
        var entry = entry
        guard let user = try await reader(of: entry), user.disabledAt == nil else { return .nowhere("no such account") }
        let purpose = Self.purpose(of: entry.template)
        guard let recipient = entry.recipient ?? user.deliverableEmail else { return .nowhere("no address") }
        if purpose == nil, entry.recipient == nil, user.emailVerifiedAt == nil { return .nowhere("not verified") }
        var values = entry.values.mapValues(DisplayText.oneLine)
        var reader = user
        if let purpose {
            guard try await maySend(to: recipient, entry) else { return .nowhere("too many e-mails to this address") }
            let holder = try await AccountStore.user(provedEmail: recipient, in: platform.database)
            if let holder, holder.id != user.id {
                // The caller is not told whether the account exists; the address's owner is.
                guard purpose == .verify else { return .nowhere("the address is another account's") }
                entry.template = .addressTaken
                reader = holder
            } else {
                guard let link = try await link(purpose, to: recipient, of: user, in: entry) else {
                    return .nowhere("dropped meanwhile")
                }
                values["link"] = link
            }
        }
        values["name"] = DisplayText.oneLine(reader.displayName)
        values["handle"] = reader.handle
        values["site"] = site
        return .message(try message(entry, to: recipient, language: reader.language, values))
    }

    private func message(
        _ entry: OutboxEntry, to recipient: String, language: String?, _ values: [String: String]
    ) throws -> MIMEMessage {
        guard let id = entry.id, let message = templates.message(entry.template, language: language, values: values)
        else { throw MailDeliveryError("there is no template '\(entry.template.rawValue)'", isFinal: true) }
        return MIMEMessage(
            sender: sender, recipient: recipient, subject: message.subject, body: message.body, id: id.description,
            date: entry.createdAt)
    }

    /// Whom an e-mail is for. Who asked for a new password is looked up only here: the call that asks does the same
    /// work whether there is an account or not.
    private func reader(of entry: OutboxEntry) async throws -> UserRecord? {
        if let id = entry.user { return try await AccountStore.user(id: id, in: platform.database) }
        guard let login = entry.values["login"] else { return nil }
        return try await AccountStore.user(forgetting: login, in: platform.database)
    }

    /// Counts an e-mail at its first attempt; `false` when its mailbox had enough of them.
    private func maySend(to recipient: String, _ entry: OutboxEntry) async throws -> Bool {
        guard entry.attempt <= 1 else { return true }
        do {
            try await Self.mailbox.begin(.init(emailTo: recipient, at: platform.now()), in: platform.database)
            return true
        } catch AccountError.tooManyAttempts {
            return false
        }
    }

    private static func purpose(of template: EmailTemplate) -> MailLinkPurpose? {
        switch template {
        case .verify: .verify
        case .reset: .reset
        default: nil
        }
    }

    private func link(
        _ purpose: MailLinkPurpose, to address: String, of user: UserRecord, in message: OutboxEntry
    ) async throws -> String? {
        let secret = SessionSecret()
        let now = platform.now()
        let isEntered = try await MailLinkStore.insert(
            secret, for: purpose, of: user.id, email: address, in: message.id, at: now,
            until: now.addingTimeInterval(Self.linkSeconds[purpose] ?? 3600), in: platform.database)
        guard isEntered else { return nil }
        return "\(site)/\(purpose == .verify ? "verify-email" : "reset-password")?token=\(secret.text)"
    }
}
