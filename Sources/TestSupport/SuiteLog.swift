// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Synchronization

/// What a whole run of the tests logs, and every secret that is made in it. `scripts/check-logs` runs the suite with
/// `SHEETMARKET_TEST_LOGS` naming an empty folder, and looks afterwards for the ones in the others. Without that
/// variable nothing is written.
package enum SuiteLog {
    /// What kind of secret something is; the script demands that there is one of each.
    package enum Kind: String, Sendable, CaseIterable {
        /// Of an account.
        case password
        /// Of a program.
        case token
        /// The value of a cookie.
        case session
        /// Between the two steps of signing in.
        case ticket
        /// What an e-mail's link carries.
        case link
        /// What makes the codes of a second factor.
        case secondFactor = "second-factor"
        /// In place of a second factor.
        case recoveryCode = "recovery-code"
        /// Of downloads, sealed secrets or the audit log.
        case key
        /// What deliveries are signed with.
        case webhook
        /// The signature of a download's address.
        case address
        /// Of the account at the mail server.
        case mail = "mail-password"
        /// Of the database.
        case database = "database-password"
        /// What a provider of identities knows us by.
        case provider = "provider-secret"
    }

    /// Shorter ones are words, and stand everywhere.
    static let leastLength = 8
    /// Longer ones try limits out, and are refused.
    static let mostLength = 2000

    static let folder = ProcessInfo.processInfo.environment["SHEETMARKET_TEST_LOGS"].map {
        URL(fileURLWithPath: $0, isDirectory: true)
    }
    private static let known = Mutex<Set<String>>([])

    /// Notes a secret that must stand in no log.
    package static func note(_ kind: Kind, _ secret: String?) {
        guard folder != nil, let secret, (leastLength...mostLength).contains(secret.utf8.count),
            secret.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }),
            known.withLock({ $0.insert(secret).inserted })
        else { return }
        append("\(kind.rawValue)\t\(secret)\n".utf8, to: "secrets")
    }

    /// Adds to a file of the folder. Each call is one write at the end: lines of several threads and processes stay
    /// whole.
    static func append(_ text: some Collection<UInt8>, to name: String) {
        guard let folder, !text.isEmpty else { return }
        let file = open(folder.appendingPathComponent(name).path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        let bytes = Array(text)
        _ = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        close(file)
    }

    /// Keeps a copy of a log; of one that still grows, a hard link, which has all that will be written.
    static func keep(_ log: URL, growing: Bool = false) {
        guard let folder else { return }
        let place = folder.appendingPathComponent("postgres-\(UInt32.random(in: .min ... .max)).log")
        if growing, link(log.path, place.path) == 0 { return }
        // A log that is lost fails no test.
        try? FileManager.default.copyItem(at: log, to: place)
    }
}

// What is known of requests and answers.
extension SuiteLog {
    /// Notes what fields hold.
    package static func note(fields: some Sequence<(name: String, value: String)>) {
        guard folder != nil else { return }
        for (name, value) in fields {
            switch name.lowercased() {
            case "authorization" where value.lowercased().hasPrefix("bearer "): note(.token, String(value.dropFirst(7)))
            case "cookie":
                for pair in value.split(separator: ";") { note(cookie: pair) }
            case "set-cookie": note(cookie: value.prefix { $0 != ";" })
            case "location": note(address: value)
            default: break
            }
        }
    }

    private static func note(cookie pair: Substring) {
        note(.session, pair.split(separator: "=", maxSplits: 1).dropFirst().first.map { String($0) })
    }

    /// Notes what an address that holds secrets holds.
    static func note(address: String) {
        note(.address, address.firstMatch(of: /[?&]sig=([0-9A-Za-z_\-]+)/).map { String($0.1) })
        note(.link, address.firstMatch(of: /[?&]token=([0-9A-Za-z]+)/).map { String($0.1) })
    }

    /// Notes what a body holds, by its members' names.
    package static func note(body: Data, type: String?) {
        guard folder != nil, body.count <= 1 << 20, let type = type?.lowercased() else { return }
        // What is no JSON names no members.
        if type.contains("json"), let value = try? JSONSerialization.jsonObject(with: body) { return walk(value) }
        guard type.hasPrefix("application/x-www-form-urlencoded") else { return }
        for pair in String(decoding: body, as: UTF8.self).replacing("+", with: " ").split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1).map { $0.removingPercentEncoding ?? "" }
            if parts.count == 2 { note(member: parts[0], parts[1], isEnrolment: false) }
        }
    }

    private static func walk(_ value: Any) {
        if let items = value as? [Any] { items.forEach(walk) }
        guard let members = value as? [String: Any] else { return }
        for (name, member) in members {
            if let text = member as? String {
                note(member: name, text, isEnrolment: members["uri"] != nil)
            } else if name == "recoveryCodes", let codes = member as? [String] {
                for code in codes { note(.recoveryCode, code) }
            } else {
                walk(member)
            }
        }
    }

    private static func note(member name: String, _ text: String, isEnrolment: Bool) {
        switch name {
        // One word is no password that is taken, but one that stands in many lines: `sheetmarket`.
        case "password" where !text.allSatisfy(\.isLetter): note(.password, text)
        case "token": note(text.hasPrefix("smk_") ? .token : .link, text)
        case "ticket": note(.ticket, text)
        case "secret": note(isEnrolment ? .secondFactor : .webhook, text)
        // The six digits of an app are too short to be looked for.
        case "code" where text.utf8.count >= 12 && text.contains("-"): note(.recoveryCode, text)
        case "url": note(address: text)
        default: break
        }
    }

    /// Notes the keys of a setting: `id:BASE64,…`.
    package static func note(keys setting: String) {
        for key in setting.split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
            note(.key, key.split(separator: ":", maxSplits: 1).dropFirst().first.map { String($0) })
        }
    }

    /// Notes what stands in the settings of a program.
    static func note(environment: [String: String]) {
        guard folder != nil else { return }
        for (name, value) in environment {
            switch name {
            case "SHEETMARKET_DOWNLOAD_KEYS", "SHEETMARKET_SECRET_KEYS", "SHEETMARKET_AUDIT_KEYS": note(keys: value)
            case "SHEETMARKET_SMTP_PASSWORD": note(.mail, value)
            case "SHEETS_TOKEN": note(.token, value)
            case "DATABASE_URL":
                note(.database, value.firstMatch(of: /password=([^\s&']+)/).map { String($0.1) })
            default: break
            }
        }
    }

    /// Notes what lies in the folder of `up`, and keeps the log of its database.
    static func note(data: URL, isOver: Bool) {
        guard folder != nil else { return }
        func text(_ name: String) -> String {
            // Not every folder has every file.
            (try? String(contentsOf: data.appendingPathComponent(name), encoding: .utf8)) ?? ""
        }
        note(.token, text("admin-token").trimmingCharacters(in: .whitespacesAndNewlines))
        for name in ["download-keys", "secret-keys", "audit-keys"] { note(keys: text(name)) }
        // Without an e-mail there is no such folder.
        let emails = (try? FileManager.default.contentsOfDirectory(atPath: data.path + "/mail")) ?? []
        for message in emails { note(message: text("mail/\(message)")) }
        if isOver { keep(data.appendingPathComponent("postgres/postgres.log")) }
    }

    /// Notes what an e-mail's link carries, however the e-mail is encoded.
    package static func note(message: String) {
        let plain = message.replacing("=\r\n", with: "").replacing("=3D", with: "=")
        for match in plain.matches(of: /token=([0-9A-Za-z]+)/) { note(.link, String(match.1)) }
    }
}
