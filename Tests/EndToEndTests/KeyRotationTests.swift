// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import MarketWire
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@Suite("Keys rotate without downtime")
struct KeyRotationTests {
    /// A setting of keys, by their names.
    private static func keys(_ names: String...) -> [String: String] {
        func key(_ prefix: String, _ name: String) -> String {
            let digest = SHA256.hash(data: Data("\(prefix) \(name)".utf8))
            return "\(prefix)-\(name):\(Data(digest).base64EncodedString())"
        }
        func setting(_ prefix: String) -> String { names.map { key(prefix, $0) }.joined(separator: ",") }
        return [
            "SHEETMARKET_DOWNLOAD_KEYS": setting("d"), "SHEETMARKET_SECRET_KEYS": setting("s"),
            "SHEETMARKET_AUDIT_KEYS": setting("a"),
        ]
    }

    @Test("Everything made with the old keys goes on working on both nodes, and nobody notices")
    func rotation() async throws {
        let folder = try ScratchFolder("rotation")
        let database = try await TestCluster.shared.makeDatabase()
        let emails = folder.url.appendingPathComponent("letters")
        let receiver = try await HookReceiver()
        let nodes = TwoNodes(environment: [
            // Nobody asks for it on this socket; it stands here to be seen nowhere in the log.
            "DATABASE_URL": database + " password=lanternfish-of-the-deep",
            "SHEETMARKET_STORAGE": folder.url.appendingPathComponent("storage").path,
            "SHEETMARKET_MAIL_FOLDER": emails.path, "SHEETMARKET_STAFF_SECOND_FACTOR": "off",
            "SHEETMARKET_OUTGOING_ALLOW_PRIVATE": "on", "SHEETMARKET_LISTEN": "127.0.0.1:0",
            "SHEETMARKET_LIMIT_ADDRESS": "off", "SHEETMARKET_LIMIT_ACCOUNT": "off",
        ])
        let old = Self.keys("old")
        #expect(try await nodes.operate(["seed", "--no-examples"], keys: old).status == 0)
        for index in 0..<2 { try await nodes.restart(server: index, keys: old) }
        try await nodes.restartWorker(keys: old)
        var scene = try await RotationScene(nodes: nodes, database: database, emails: emails, receiver: receiver)
        try await scene.check("with the old keys")
        // Or the worker has done so already.
        #expect(try await nodes.operate(["admin", "audit", "checkpoint"], keys: old).status == 0)

        let asking = Task { [cookie = scene.cookie] in
            await nodes.askOn("\(Paths.base)/me", headers: [("Cookie", cookie)])
        }
        // First every node must know the new keys, then they may use them.
        for (stage, keys) in [("new behind", Self.keys("old", "new")), ("new in front", Self.keys("new", "old"))] {
            for index in 0..<2 {
                try await nodes.restart(server: index, keys: keys)
                try await scene.check("\(stage), server \(index)")
                // What a node makes now works on the one that has the keys of before.
                try await scene.enrolAnother(at: index)
            }
            try await nodes.restartWorker(keys: keys)
            try await scene.check("\(stage), worker")
        }
        let both = Self.keys("new", "old")
        #expect(try await nodes.operate(["admin", "audit", "verify"], keys: both).status == 0)
        let before = try await nodes.operate(["admin", "keys", "status"], keys: both)
        #expect(before.output.contains("Still needed besides s-new: s-old."), "\(before.output)\(before.errors)")
        let resealed = try await nodes.operate(["admin", "keys", "reseal"], keys: both)
        #expect(resealed.status == 0 && resealed.output.contains("Nothing else than s-new is needed."), "\(resealed)")
        #expect(try await nodes.operate(["admin", "keys", "reseal"], keys: both).output.hasPrefix("0 sealed anew"))
        try await scene.check("sealed anew")
        #expect(try await nodes.operate(["admin", "audit", "checkpoint"], keys: both).output.hasPrefix("Signed entry"))

        // The old keys go. Of the audit log's the public half stays, for its old checkpoints.
        let halves = try await nodes.operate(["keys", "public-audit-keys"], keys: old).output
        let half = halves.trimmingCharacters(in: .whitespacesAndNewlines).replacing(":", with: ":public:")
        let new = Self.keys("new").merging([
            "SHEETMARKET_AUDIT_KEYS": "\(Self.keys("new")["SHEETMARKET_AUDIT_KEYS"] ?? ""),\(half)"
        ]) { $1 }
        scene.hasOldDownloads = false
        for index in 0..<2 { try await nodes.restart(server: index, keys: new) }
        try await nodes.restartWorker(keys: new)
        try await scene.check("without the old keys")
        try await scene.useUp()
        let verified = try await nodes.operate(["admin", "audit", "verify"], keys: new)
        let checkpoints = verified.output.firstMatch(of: /(\d+) signed checkpoints/).flatMap { Int($0.1) } ?? 0
        #expect(verified.status == 0 && checkpoints >= 2, "\(verified)")

        asking.cancel()
        let asked = await asking.value
        #expect(asked.faults.isEmpty && asked.answered > 100, "\(asked)")
        try await nodes.stop()
        await receiver.stop()
    }
}

/// What was made with the old keys, and whether it works.
private struct RotationScene {
    private struct NoEmail: Error {}

    private static let password = "correct horse battery"
    private static let sameOrigin = ("Sec-Fetch-Site", "same-origin")

    let nodes: TwoNodes
    let database: String
    let receiver: HookReceiver
    /// Ada's browser.
    let cookie: String
    private let ada: String
    private let recoveryCodes: [String]
    private let secondFactor: Data
    private let webhook: NewWebhook
    private let oldDownload: String
    private let slug: String
    private let link: String
    private var others: [(handle: String, secret: Data)] = []
    /// Whether addresses that the old key signed should still lead somewhere.
    var hasOldDownloads = true

    init(nodes: TwoNodes, database: String, emails: URL, receiver: HookReceiver) async throws {
        self.nodes = nodes
        self.database = database
        self.receiver = receiver
        let doors = await nodes.doors
        ada = "ada"
        cookie = try await Self.register(ada, at: doors[0])
        link = try await Self.link(in: emails)
        let author = try await doors[1].tokenHolder(handle: ada, password: Self.password)
        _ = try await Self.register("moritz", at: doors[1])
        #expect(try await nodes.operate(["admin", "user", "role", "moritz", "moderator"]).status == 0)
        let moderator = try await doors[0].tokenHolder(handle: "moritz", password: Self.password)
        var builder = PDFDocumentBuilder()
        builder.addPage(headings: ["Skills", "Combat"])
        slug = try await Scene.publish("Old and new", file: builder.build(), as: author, approvedBy: moderator)
            .templateSlug
        oldDownload = try await Self.download(slug, at: doors[0])
        webhook = try await author.send(
            .POST, "\(Paths.base)/webhooks",
            json: WebhookRequest(url: receiver.base + "/hook", events: [.versionPublished])
        ).json(NewWebhook.self)
        let enrolled = try await Self.enrol(cookie, at: doors[0])
        secondFactor = enrolled.0
        recoveryCodes = enrolled.1
    }

    /// Registers somebody, and returns their browser's cookie.
    private static func register(_ handle: String, at door: TestHTTP) async throws -> String {
        let answer = try await door.send(
            json: RegisterRequest(handle: handle, email: "\(handle)@example.org", password: password),
            to: "/auth/register")
        let field = try #require(answer.headers.first(name: "set-cookie"), "\(answer.text)")
        return String(field.prefix { $0 != ";" })
    }

    /// The first e-mail's link.
    private static func link(in emails: URL) async throws -> String {
        let deadline = ContinuousClock.now + .seconds(600)
        while ContinuousClock.now < deadline {
            for name in (try? FileManager.default.contentsOfDirectory(atPath: emails.path)) ?? [] {
                let text = try String(contentsOf: emails.appendingPathComponent(name), encoding: .utf8)
                SuiteLog.note(message: text)
                let plain = text.replacing("=\r\n", with: "").replacing("=3D", with: "=")
                if let found = plain.firstMatch(of: /token=([0-9A-Za-z]{43})/) { return String(found.1) }
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw NoEmail()
    }

    private static func download(_ slug: String, at door: TestHTTP) async throws -> String {
        let ticket = try await door.get("\(Paths.download(slug, "latest"))?redirect=false").json(DownloadTicket.self)
        return try #require(URL(string: ticket.url)).withoutHost
    }

    private static func enrol(_ cookie: String, at door: TestHTTP) async throws -> (Data, [String]) {
        let fields = [("Cookie", cookie), sameOrigin]
        let begun = try await door.send(.POST, "\(Paths.base)/me/second-factor", headers: fields)
        let secret = bytes(base32: try begun.json(SecondFactorEnrolment.self).secret)
        let done = try await door.send(
            .POST, "\(Paths.base)/me/second-factor/activate", json: SecondFactorCode(code: code(of: secret)),
            headers: fields)
        return (secret, try done.json(RecoveryCodes.self).recoveryCodes)
    }

    /// Somebody sets a second factor up at one node, and signs in at the other.
    mutating func enrolAnother(at index: Int) async throws {
        let doors = await nodes.doors
        let handle = "person-\(others.count)"
        let cookie = try await Self.register(handle, at: doors[index])
        let (secret, _) = try await Self.enrol(cookie, at: doors[index])
        others.append((handle, secret))
        try await signIn(handle, secret, at: doors[1 - index])
    }

    /// Each of the old things, at each node.
    func check(_ when: Comment) async throws {
        let doors = await nodes.doors
        for (index, door) in doors.enumerated() {
            #expect(try await door.get("\(Paths.base)/me", headers: [("Cookie", cookie)]).status == 200, when)
            try await signIn(ada, secondFactor, at: door)
            for other in others { try await signIn(other.handle, other.secret, at: door) }
            #expect(try await door.get(oldDownload).status == (hasOldDownloads ? 200 : 403), when)
            let fresh = try await Self.download(slug, at: door)
            #expect(try await doors[1 - index].get(fresh).status == 200, when)
        }
        let count = receiver.deliveries.count
        let author = try await doors[0].send(
            .POST, "\(Paths.base)/webhooks/\(webhook.webhook.id)/ping", headers: [("Cookie", cookie), Self.sameOrigin])
        #expect(author.status < 300, "\(author.text)")
        #expect(try await receiver.delivery(after: count).isSigned(with: webhook.secret), when)
    }

    /// What can be used only once: a recovery code, and the link of the first e-mail.
    func useUp() async throws {
        let doors = await nodes.doors
        try await finish(ada, code: { recoveryCodes[3] }, at: doors[1])
        let proved = try await doors[0].send(json: EmailVerification(token: link), to: "/auth/verify-email")
        #expect(proved.status == 204, "\(proved.text)")
    }

    private func signIn(_ handle: String, _ secret: Data, at door: TestHTTP) async throws {
        // A code counts once; here one would have to wait half a minute for the next.
        let client = PostgresClient(configuration: .calm(connectionString: database), logger: TestLog.logger)
        try await client.execute("UPDATE second_factors SET last_step = 0")
        await client.shutdown()
        try await finish(handle, code: { Self.code(of: secret) }, at: door)
    }

    /// The code is made when it is asked for: until a password is hashed, one may be over.
    private func finish(_ handle: String, code: () -> String, at door: TestHTTP) async throws {
        let first = try await door.send(
            json: LoginRequest(login: handle, password: Self.password), to: "/auth/login")
        let ticket = try #require(try first.json(ProblemDocument.self).ticket, "\(first.text)")
        let second = try await door.send(
            json: SecondFactorRequest(ticket: ticket, code: code()), to: "/auth/second-factor")
        #expect(second.status == 200, "\(second.text)")
    }

    // MARK: An authenticator app

    /// RFC 6238 with the usual parameters.
    private static func code(of secret: Data) -> String {
        let step = UInt64(Date().timeIntervalSince1970 / 30)
        let counter = withUnsafeBytes(of: step.bigEndian) { Data($0) }
        let mac = Array(
            HMAC<Insecure.SHA1>.authenticationCode(for: counter, using: SymmetricKey(data: secret)))
        let offset = Int(mac[19] & 15)
        let number = mac[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        return String(String(number + 1_000_000_000).suffix(6))
    }

    private static func bytes(base32 text: String) -> Data {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        var bytes = Data()
        var buffer: UInt32 = 0
        var bits = 0
        for message in text {
            buffer = (buffer << 5 | UInt32(alphabet.firstIndex(of: message) ?? 0)) & 0xFFFF
            bits += 5
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
        }
        return bytes
    }
}
