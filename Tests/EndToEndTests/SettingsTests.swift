// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import MarketWire
import NIOCore
import NIOHTTP1
import SheetCore
import TestSupport
import Testing

/// Settings whose parts are tested elsewhere, as an operator sets them: in the environment of the real program.
@Suite("Settings as an operator sets them")
struct SettingsTests {
    /// Where people would reach it.
    private static let site = "http://sheets.example.org"

    @Test(
        "An e-mail goes to the server that was set, over TLS, in one's own words; passwords on one's list are refused")
    func lettersAndPasswords() async throws {
        let servers = try await MailAndTLS.start(tls: true)
        let port = try #require(servers.smtpsPort)
        SuiteLog.note(.mail, "open sesame")
        let folder = try ScratchFolder("settings")
        let letters = folder.url.appendingPathComponent("letters")
        let english = letters.appendingPathComponent("en")
        try FileManager.default.createDirectory(at: english, withIntermediateDirectories: true)
        try Data("Subject: A seat at the table\n\n{{name}}, take it: {{link}}\n".utf8)
            .write(to: english.appendingPathComponent("verify.mustache"))
        let leaked = "the dragon sleeps at noon"
        let list = folder.url.appendingPathComponent("leaked.txt")
        try Data([leaked, "so does the ogre"].map(Self.line).sorted().joined().utf8).write(to: list)

        let market = try await RunningMarket(
            data: folder.url.appendingPathComponent("data"),
            environment: [
                "SHEETMARKET_PUBLIC_URL": Self.site, "SHEETMARKET_SMTP_URL": "smtps://localhost:\(port)",
                "SHEETMARKET_SMTP_USER": "postbox", "SHEETMARKET_SMTP_PASSWORD": "open sesame",
                "SHEETMARKET_SMTP_CA": servers.certificate.path,
                "SHEETMARKET_MAIL_FROM": "The Table <table@example.org>",
                "SHEETMARKET_MAIL_TEMPLATES": letters.path, "SHEETMARKET_LEAKED_PASSWORDS": list.path,
            ])
        let refused = try await market.http.send(
            json: RegisterRequest(handle: "nadia", email: "nadia@example.org", password: leaked), to: "/auth/register")
        #expect(refused.status == 422 && refused.problemCode == .breachedPassword, "\(refused.text)")
        let taken = try await market.http.send(
            json: RegisterRequest(
                handle: "nadia", email: "nadia@example.org", password: RunningMarket.password(of: "nadia")),
            to: "/auth/register")
        #expect(taken.status == 201, "\(taken.text)")
        let mail = try #require(await servers.nextMail(), "\(market.log.suffix(2000))")
        #expect(mail.tls && mail.user == "postbox")
        #expect(mail.from == "table@example.org" && mail.to == ["nadia@example.org"])
        #expect(mail.text.contains("Subject: A seat at the table\r\n"))
        #expect(mail.text.contains("nadia, take it: \(Self.site)/verify-email"))
        #expect(await market.stop() == 0)

        // Nobody reads the certificates where no mail server is set.
        let other = folder.url.appendingPathComponent("other")
        let silent = try await RunningMarket(
            data: other, environment: ["SHEETMARKET_SMTP_CA": "/nonexistent.pem"])
        #expect(await silent.stop() == 0)
        let broken = try await Command.run(
            BuildProducts.executable("sheetmarket"), ["up", "--data", other.path, "--listen", "127.0.0.1:0"],
            environment: [
                "SHEETMARKET_SMTP_CA": "/nonexistent.pem", "SHEETMARKET_SMTP_URL": "smtps://localhost:\(port)",
            ])
        #expect(broken.status == 1)
        #expect(broken.errors.contains("SHEETMARKET_SMTP_CA (/nonexistent.pem) cannot be read."))
    }

    @Test("A provider in the operator's file is offered, and whoever it vouches for can make an account")
    func signInProvider() async throws {
        let folder = try ScratchFolder("settings")
        let provider = try await GuildProvider(named: "The Mock", in: folder.url)
        defer { provider.stop() }

        let market = try await RunningMarket(
            data: folder.url.appendingPathComponent("data"),
            environment: ["SHEETMARKET_SIGN_IN_PROVIDERS": provider.file.path, "SHEETMARKET_PUBLIC_URL": Self.site])
        let page = try await market.http.get("/login")
        #expect(page.text.contains("Continue with The Mock") && page.text.contains("/auth/oidc/mock"))
        let departure = try await market.http.get("/auth/oidc/mock")
        let door = departure.headers.first(name: "location") ?? ""
        #expect(departure.status == 303 && door.hasPrefix("\(provider.issuer)/oauth2/authorize?"), "\(departure.text)")
        let cookie = departure.headers["set-cookie"].map { $0.prefix { $0 != ";" } }.joined(separator: "; ")

        var there = TestHTTP(base: provider.issuer)
        there.isChecked = false
        let vouched = try await there.send(
            .POST, door, headers: [("Content-Type", "application/x-www-form-urlencoded")],
            body: ByteBuffer(string: "sub=ada-1815"))
        let back = vouched.headers.first(name: "location") ?? ""
        #expect(back.hasPrefix("\(Self.site)/auth/oidc/mock/callback?"), "\(vouched.status) \(vouched.text)")
        let arrival = try await market.http.get(
            String(back.dropFirst(Self.site.count)), headers: [("Cookie", cookie), ("Sec-Fetch-Site", "cross-site")])
        #expect(arrival.headers.first(name: "location") == "/auth/sign-up", "\(arrival.status) \(arrival.text)")
        #expect(await market.stop() == 0)
    }

    @Test("serve wants a second factor of moderators where nothing is set, and none when told so")
    func secondFactorOfStaff() async throws {
        let folder = try ScratchFolder("settings")
        let secret = Data(repeating: 9, count: 32).base64EncodedString()
        let nodes = TwoNodes(environment: [
            "DATABASE_URL": try await TestCluster.shared.makeDatabase(), "SHEETMARKET_LISTEN": "127.0.0.1:0",
            "SHEETMARKET_STORAGE": folder.url.appendingPathComponent("storage").path,
            "SHEETMARKET_DOWNLOAD_KEYS": "k1:\(secret)", "SHEETMARKET_SECRET_KEYS": "s1:\(secret)",
        ])
        try await nodes.restart(server: 0, keys: [:])
        let password = RunningMarket.password(of: "moritz")
        let registered = try await nodes.doors[0].send(
            json: RegisterRequest(handle: "moritz", email: "moritz@example.org", password: password),
            to: "/auth/register")
        #expect(registered.status == 201, "\(registered.text)")
        let role = try await nodes.operate(["admin", "user", "role", "moritz", "moderator"])
        #expect(role.status == 0, "\(role.errors)")
        let settings: [(keys: [String: String], status: Int)] = [
            ([:], 403), (["SHEETMARKET_STAFF_SECOND_FACTOR": "off"], 200),
        ]
        for (keys, status) in settings {
            try await nodes.restart(server: 0, keys: keys)
            let door = await nodes.doors[0]
            let signedIn = try await door.send(
                json: LoginRequest(login: "moritz", password: password), to: "/auth/login")
            let field = try #require(signedIn.headers.first(name: "set-cookie"), "\(signedIn.text)")
            let queue = try await door.get(
                "\(Paths.base)/moderation/queue", headers: [("Cookie", String(field.prefix { $0 != ";" }))])
            let refusal: ErrorCode? = status == 403 ? .secondFactorEnrolmentRequired : nil
            #expect(queue.status == status && queue.problemCode == refusal, "\(queue.text)")
        }
        try await nodes.stop()
    }

    /// A password as lists of leaked ones tell of it.
    private static func line(_ password: String) -> String {
        Insecure.SHA1.hash(data: Data(password.utf8)).map { String(format: "%02X", Int($0)) }.joined() + ":7\n"
    }
}
