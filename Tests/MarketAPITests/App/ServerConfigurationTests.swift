// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import MarketAccounts
import MarketCatalog
import MarketIngest
import TestSupport
import Testing

@testable import MarketAPI
@testable import MarketPlatform

@Suite("What an operator can set")
struct ServerConfigurationTests {
    private func load(_ environment: [String: String]) throws -> ServerConfiguration {
        try ServerConfiguration.load(environment: environment)
    }

    private func problems(_ environment: [String: String], file: URL? = nil) -> [String] {
        let error = #expect(throws: ConfigurationError.self) {
            _ = try ServerConfiguration.load(environment: environment, file: file)
        }
        return error?.problems ?? []
    }

    @Test("nothing set means the defaults")
    func defaults() throws {
        let configuration = try load(["HOME": "/root", "PATH": "/bin"])
        #expect(configuration.listen == ListenAddress(host: "127.0.0.1", port: 8080))
        #expect(configuration.databaseURL == nil)
        #expect(configuration.limits.ingest.uploadBytes == 50 << 20)
    }

    @Test("each setting's default is the one that its help promises, and its example is accepted")
    func tableIsTrue() throws {
        for setting in Setting.all where !setting.name.hasSuffix("_KEYS") {
            var configuration = ServerConfiguration()
            try setting.apply(setting.example, &configuration)
            let isText = [
                "SHEETMARKET_ASSETS", "SHEETMARKET_READER", "SHEETMARKET_IMPORTER", "SHEETMARKET_PLUGINS",
                "SHEETMARKET_PRESETS", "SHEETMARKET_RULES", "SHEETMARKET_LOG_FORMAT", "SHEETMARKET_STAFF_SECOND_FACTOR",
                "SHEETMARKET_MAIL_FROM", "SHEETMARKET_MAIL_FOLDER", "SHEETMARKET_LIMIT_TOKEN", "SHEETMARKET_SMTP_CA",
                "SHEETMARKET_CLIENT_PROGRAM",
            ].contains(setting.name)
            if let standard = setting.standard, !isText {
                try setting.apply(standard, &configuration)
                let untouched = ServerConfiguration()
                var dumped = ("", "")
                dump(configuration, to: &dumped.0)
                dump(untouched, to: &dumped.1)
                #expect(dumped.0 == dumped.1, "the default of \(setting.name)")
            }
        }
    }

    @Test("numbers, sizes, times, words and addresses are read with their units")
    func forms() throws {
        let configuration = try load([
            "SHEETMARKET_MAX_UPLOAD_BYTES": "100MB", "SHEETMARKET_DOWNLOAD_TTL": "1", "SHEETMARKET_SESSION_TTL": "36h",
            "SHEETMARKET_JOB_LEASE": "2", "SHEETMARKET_LISTEN": "[::1]:0", "SHEETMARKET_LOG_LEVEL": "WARNING",
            "SHEETMARKET_TRUSTED_PROXIES": "10.0.0.1, ::1", "SHEETMARKET_PUBLIC_URL": "https://sheets.example.org/",
            "SHEETMARKET_DB_POOL_TIMEOUT": "0.5s",
        ])
        #expect(configuration.limits.ingest.uploadBytes == 100 << 20)
        #expect(configuration.limits.catalog.downloadSeconds == 1)
        #expect(configuration.limits.accounts.sessionSeconds == 36 * 3600)
        #expect(configuration.limits.leaseSeconds == 2)
        #expect(configuration.listen.host == "::1" && configuration.listen.port == 0)
        #expect(configuration.listen.description == "[::1]:0")
        #expect(configuration.logLevel == .warning)
        #expect(configuration.trustedProxies == ["10.0.0.1", "::1"])
        #expect(configuration.publicURL == "https://sheets.example.org")
        #expect(configuration.databasePoolTimeout == .milliseconds(500))
    }

    @Test(
        "a bad value is refused by name, with what is wrong and what would do",
        arguments: [
            ("SHEETMARKET_LISTEN", "8080", "HOST:PORT"), ("SHEETMARKET_LISTEN", "host:99999", "port"),
            ("SHEETMARKET_LISTEN", "::1:80", "brackets"), ("SHEETMARKET_WORKERS", "many", "whole number"),
            ("SHEETMARKET_WORKERS", "-1", "0 to 256"), ("SHEETMARKET_MAX_UPLOAD_BYTES", "50 apples", "number of bytes"),
            ("SHEETMARKET_MAX_UPLOAD_BYTES", "99999999999999999999", "number of bytes"),
            ("SHEETMARKET_DOWNLOAD_TTL", "soon", "time"), ("SHEETMARKET_DOWNLOAD_TTL", "0", "1 to 604800"),
            ("SHEETMARKET_LOG_LEVEL", "loud", "trace, debug"), ("SHEETMARKET_STORAGE", "relative", "absolute path"),
            ("SHEETMARKET_PUBLIC_URL", "ftp://x", "https://"), ("SHEETMARKET_TRUSTED_PROXIES", "proxy", "'proxy'"),
            ("SHEETMARKET_DOWNLOAD_KEYS", "k1", "id:BASE64"),
        ])
    func badValues(name: String, value: String, reason: String) {
        let problem = problems([name: value]).first ?? ""
        #expect(problem.hasPrefix(name))
        #expect(problem.contains(reason))
        #expect(problem.contains("Example: \(name)="))
    }

    @Test("every bad setting is told at once, and secrets are not repeated")
    func allProblems() {
        let secret = "k1:c2hvcnQ="
        let found = problems([
            "SHEETMARKET_DOWNLOAD_KEYS": secret, "SHEETMARKET_WORKERS": "x", "DATABASE_URL": "hunter2",
        ])
        #expect(found.count == 3)
        #expect(!found.joined().contains(secret))
        #expect(!found.joined().contains("hunter2"))
    }

    @Test("a file is read as systemd reads it, the environment wins, and a misspelt name is refused with its neighbour")
    func file() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "settings-\(UUID().uuidString).env")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(
            "# comment\n\nSHEETMARKET_WORKERS=7\nSHEETMARKET_STORAGE=\"/srv/sheets\"\nSHEETMARKET_DB_POOL = 9\n".utf8
        )
        .write(to: file)
        let configuration = try ServerConfiguration.load(environment: ["SHEETMARKET_WORKERS": "3"], file: file)
        #expect(configuration.workers == 3)
        #expect(configuration.storage.folder?.path == "/srv/sheets")
        #expect(configuration.databasePool == 9)

        try Data("SHEETMARKET_WORKER=7\nnonsense\n".utf8).write(to: file)
        #expect(problems([:], file: file).first?.contains("line 2") == true)
        try Data("SHEETMARKET_WORKER=7\n".utf8).write(to: file)
        let problem = problems([:], file: file).first ?? ""
        #expect(problem.contains("line 1") && problem.contains("Did you mean SHEETMARKET_WORKERS?"))
        #expect(problems([:], file: URL(filePath: "/nonexistent.env")).first?.contains("/nonexistent.env") == true)
        #expect(
            ServerConfiguration.unknownNames(in: ["SHEETMARKET_WRKERS": "1", "HOME": "/"]) == ["SHEETMARKET_WRKERS"])
    }

    @Test("a configuration can be printed, in whatever holds it, without its secrets")
    func printsNoSecrets() throws {
        let configuration = try load(["DATABASE_URL": "postgresql://app:hunter2@db/market"])
        #expect(!"\(configuration) \(String(reflecting: [configuration])) \((configuration, 1))".contains("hunter2"))
    }

    @Test("what a command needs and does not have is named")
    func required() throws {
        let configuration = try load(["SHEETMARKET_STORAGE": "/srv"])
        let error = #expect(throws: ConfigurationError.self) {
            try configuration.require(["DATABASE_URL", "SHEETMARKET_STORAGE"])
        }
        #expect(error?.problems.count == 1)
        #expect(error?.problems.first?.hasPrefix("DATABASE_URL must be set") == true)
    }

    @Test("deploy/env.example is the file that the program prints")
    func exampleFile() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
            .deletingLastPathComponent()
        let shipped = try String(contentsOf: root.appending(path: "deploy/env.example"), encoding: .utf8)
        #expect(shipped == ServerConfiguration.exampleFile)
        for setting in Setting.all { #expect(ServerConfiguration.help.contains(setting.name)) }
    }

    @Test(
        "Secrets stand in files of their own, or are systemd's credentials; what is set itself wins over a credential")
    func secretFiles() throws {
        let folder = try ScratchFolder("secrets")
        let file = folder.url.appendingPathComponent("SHEETMARKET_SMTP_PASSWORD")
        try Data("open sesame\n".utf8).write(to: file)
        let named = try ServerConfiguration.load(environment: ["SHEETMARKET_SMTP_PASSWORD_FILE": file.path])
        #expect(named.mail.password == "open sesame")
        #expect(named.sources["SHEETMARKET_SMTP_PASSWORD"]?.origin == file.path)
        let credentials = ["CREDENTIALS_DIRECTORY": folder.url.path]
        #expect(try ServerConfiguration.load(environment: credentials).mail.password == "open sesame")
        let set = credentials.merging(["SHEETMARKET_SMTP_PASSWORD": "mine"]) { $1 }
        #expect(try ServerConfiguration.load(environment: set).mail.password == "mine")
        for bad in [
            ["SHEETMARKET_SMTP_PASSWORD_FILE": folder.url.path + "/none"],
            ["SHEETMARKET_SMTP_PASSWORD_FILE": file.path, "SHEETMARKET_SMTP_PASSWORD": "mine"],
        ] {
            #expect(throws: ConfigurationError.self) { try ServerConfiguration.load(environment: bad) }
        }
        #expect(ServerConfiguration.unknownNames(in: ["SHEETMARKET_SMTP_PASSWORD_FILE": "/x"]).isEmpty)
        #expect(ServerConfiguration.unknownNames(in: ["SHEETMARKET_NAME_FILE": "/x"]) == ["SHEETMARKET_NAME_FILE"])
    }

    @Test("A bucket takes the place of a folder, and needs what goes with it")
    func bucket() async throws {
        var configuration = try ServerConfiguration.load(environment: ["SHEETMARKET_S3_BUCKET": "sheets"])
        try configuration.require(["SHEETMARKET_STORAGE"])
        await #expect(throws: ConfigurationError.self) {
            _ = try await configuration.storage.open(logger: TestLog.logger)
        }
        configuration = try ServerConfiguration.load(environment: [
            "SHEETMARKET_S3_BUCKET": "sheets", "SHEETMARKET_S3_ENDPOINT": "http://127.0.0.1:1/",
            "SHEETMARKET_S3_ACCESS_KEY": "key", "SHEETMARKET_S3_SECRET_KEY": "secret", "SHEETMARKET_S3_PREFIX": "a/",
        ])
        let stores = try await configuration.storage.open(logger: TestLog.logger)
        #expect(stores.disk == nil && stores.bucket != nil)
        for (name, value) in [
            ("SHEETMARKET_S3_BUCKET", "A_"), ("SHEETMARKET_S3_PREFIX", "a"), ("SHEETMARKET_STORAGE_PRIMARY", "tape"),
            ("SHEETMARKET_ACCEL_PATH", "internal"), ("SHEETMARKET_S3_ENDPOINT", "s3.example.org"),
        ] {
            #expect(throws: ConfigurationError.self, "\(name)") {
                try ServerConfiguration.load(environment: [name: value])
            }
        }
    }
}
