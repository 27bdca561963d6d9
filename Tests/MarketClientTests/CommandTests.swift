// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketClient
import MarketWire
import NIOCore
import SheetCore
import Synchronization
import Testing

@Suite struct CommandTests {
    let sheet = SampleSheet()
    let first = SemanticVersion(1, 0, 0)
    static let nowhere = "http://127.0.0.1:1"

    @Test("install, then list, verify, open, remove and install again with the server gone")
    func offlineLife() async throws {
        let scratch = try Scratch()
        let bytes = Data(sheet.bytes(first))
        try await withStub(sheet.market()) { server in
            let run = try await CommandLineRun.sheets("install", "quest-sheet@1.0.0", in: scratch, server: server.url)
            #expect(run.status == 0)
            let told = "Installed quest-sheet 1.0.0; its bytes are as the market said, which signs nothing.\n"
            #expect(run.output == told)
        }
        let list = try await CommandLineRun.sheets("list", "--json", in: scratch, server: Self.nowhere)
        let template = try #require((try list.json()["templates"] as? [[String: Any]])?.first)
        #expect(template["slug"] as? String == "quest-sheet")
        #expect(template["version"] as? String == "1.0.0")
        #expect(template["sha256"] as? String == sheet.hash(first).hex)
        #expect(template["installed"] as? Bool == true)

        let verify = try await CommandLineRun.sheets("verify", "--json", in: scratch, server: Self.nowhere)
        #expect(verify.status == 0)
        #expect(try verify.json()["ok"] as? Bool == true)

        let open = try await CommandLineRun.sheets("open", "--path", "quest-sheet", in: scratch, server: Self.nowhere)
        let path = open.output.trimmingCharacters(in: .newlines)
        #expect(FileManager.default.contents(atPath: path) == bytes)

        let show = try await CommandLineRun.sheets("show", "quest-sheet", in: scratch, server: Self.nowhere)
        #expect(show.status == 0)
        #expect(show.output.hasPrefix("Quest Sheet 1.0.0\n"))
        #expect(show.errors.contains("Shown from the library."))

        let remove = try await CommandLineRun.sheets("remove", "quest-sheet", in: scratch, server: Self.nowhere)
        #expect(remove.status == 0)
        let gone = try await CommandLineRun.sheets("open", "--path", "quest-sheet", in: scratch, server: Self.nowhere)
        #expect(gone.status == 1)
        #expect(gone.output.isEmpty)
        let again = try await CommandLineRun.sheets("install", "quest-sheet", in: scratch, server: Self.nowhere)
        #expect(again.status == 0)
        #expect(again.errors.contains("Installed from the library"))
    }

    @Test("a process killed in the middle of a download leaves nothing visible, and the next one goes on")
    func killedInstall() async throws {
        let scratch = try Scratch()
        let handler = sheet.market { request, server, bytes in
            guard server.seen("/files/1.0.0").count == 1 else { return SampleSheet.serve(request, server, bytes) }
            var response = Response(
                status: .ok,
                body: .init(contentLength: bytes.count) { writer in
                    try await writer.write(ByteBuffer(bytes: bytes.prefix(65_536)))
                    try await Task.sleep(for: .seconds(3600))
                })
            response.headers[.eTag] = "\"\(ContentHash(hashing: Data(bytes)))\""
            return response
        }
        try await withStub(handler) { server in
            let started = try CommandLineRun.start(["install", "quest-sheet"], in: scratch, server: server.url)
            let part = "\(scratch.library.root)/partial/\(sheet.hash(first)).part"
            while (FileManager.default.contents(atPath: part)?.count ?? 0) < 65_536 {
                try await Task.sleep(for: .milliseconds(10))
            }
            kill(started.process.processIdentifier, SIGKILL)
            _ = try await started.end()
            #expect(try scratch.library.contents().records == [])
            #expect(!FileManager.default.fileExists(atPath: scratch.library.objectPath(sheet.hash(first))))
            let verify = try await CommandLineRun.sheets("verify", in: scratch, server: server.url)
            #expect(verify.status == 0)

            let run = try await CommandLineRun.sheets("install", "quest-sheet", in: scratch, server: server.url)
            #expect(run.status == 0)
            #expect(run.errors.contains("Going on with an earlier download from 65.5 kB."))
            #expect(server.seen("/files/1.0.0").last?.headers[.range] == "bytes=65536-")
            #expect(try await scratch.library.verify().leftovers == [])
        }
    }

    @Test("two processes that install the same at once both succeed, with one download")
    func twoProcesses() async throws {
        let scratch = try Scratch()
        let handler = sheet.market { request, server, bytes in
            try await Task.sleep(for: .milliseconds(300))
            return SampleSheet.serve(request, server, bytes)
        }
        try await withStub(handler) { server in
            async let one = CommandLineRun.sheets("install", "quest-sheet", in: scratch, server: server.url)
            async let other = CommandLineRun.sheets("install", "quest-sheet", in: scratch, server: server.url)
            let statuses = try await [one.status, other.status]
            #expect(statuses == [0, 0])
            #expect(server.seen("/files/1.0.0").count == 1)
            #expect(try await scratch.library.verify().ok)
        }
    }

    @Test("exit statuses tell failure, usage, refusal and network apart")
    func statuses() async throws {
        let scratch = try Scratch()
        let handler = sheet.market { _, _, bytes in .bytes(bytes.reversed()) }
        try await withStub(handler) { server in
            let expected: [([String], Int32)] = [
                (["show", "other-sheet"], 1), (["frobnicate"], 2), (["install", "Not A Name"], 2),
                (["search", "--server", "nonsense"], 2), (["publish", "a.pdf", "--version", "1"], 2),
                (["install", "quest-sheet"], 3), (["install", "quest-sheet", "--server", Self.nowhere], 4),
                (["search", "--server", Self.nowhere], 4), (["--help"], 0), (["--version"], 0),
            ]
            for (arguments, status) in expected {
                let run = try await CommandLineRun.start(arguments, in: scratch, server: server.url).end()
                #expect(run.status == status, "\(arguments): \(run.errors)")
            }
        }
    }

    @Test("help names what an option takes as a newcomer would, not as the option is called")
    func help() async throws {
        let scratch = try Scratch()
        let expected: [(String, [String])] = [
            ("search", ["<word> ...", "--game-system <slug>", "--author <handle>", "--license <spdx-id>"]),
            ("search", ["--language <code>", "--min-rating <stars>", "--max-pages <count>", "--limit <count>"]),
            ("show", ["<template>", "--server <url>", "--library <folder>"]),
            ("install", ["<template> ...", "--channel <stable|beta>"]), ("update", ["<template> ..."]),
            ("archive", ["export", "import", "verify"]), ("backup", ["restore"]), ("status", ["<submission-id>"]),
            ("publish", ["--metadata <file>", "--changelog <markdown>", "--minimum-client <version>"]),
            ("login", ["--login <handle|address>", "--expires-in-days <days>"]),
        ]
        for (command, names) in expected {
            let run = try await CommandLineRun.sheets(command, "--help", in: scratch, server: Self.nowhere)
            #expect(run.status == 0)
            // Lines of the usage break between words.
            let text = run.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            for name in names { #expect(text.contains(name), "\(command): \(name)") }
        }
    }

    @Test("a damaged library fails verification with status 3 and names the file")
    func damaged() async throws {
        let scratch = try Scratch()
        try await withStub(sheet.market()) { server in
            _ = try await server.installer(scratch).install(.quest)
        }
        let object = scratch.library.objectPath(sheet.hash(first))
        try FileManager.default.removeItem(atPath: object)
        try Data("other".utf8).write(to: URL(fileURLWithPath: object))
        let verify = try await CommandLineRun.sheets("verify", in: scratch, server: Self.nowhere)
        #expect(verify.status == 3)
        #expect(verify.output.contains("damaged: The file of quest-sheet@1.0.0 is damaged"))
        #expect(verify.output.contains(object))
        let open = try await CommandLineRun.sheets("open", "--path", "quest-sheet", in: scratch, server: Self.nowhere)
        #expect(open.status == 3)
        #expect(open.output.isEmpty)
    }

    @Test("search prints aligned columns, and names from the server cannot steer the terminal")
    func search() async throws {
        let scratch = try Scratch()
        var hostile = sheet.summary(first)
        hostile.name = "Evil\u{1B}]0;title\u{07}\u{202E}Sheet\nsecond line"
        let summaries = [sheet.summary(first), hostile]
        try await withStub { _, _ in
            try .json(TemplateList(templates: summaries, nextCursor: nil))
        } _: { server in
            let run = try await CommandLineRun.sheets("search", "quest", "-g", "dnd5e", in: scratch, server: server.url)
            #expect(
                run.output == """
                    NAME         VERSION  SYSTEM  PAGES  RATING   DOWNLOADS  TITLE
                    quest-sheet  1.0.0    dnd5e       1  4.5 (2)         12  Quest Sheet
                    quest-sheet  1.0.0    dnd5e       1  4.5 (2)         12  Evil]0;titleSheet second line

                    """)
            #expect(server.seen().first?.target.contains("q=quest&gameSystem=dnd5e") == true)
        }
    }

    @Test("login stores a token for its owner alone, status uses it, logout revokes and forgets it")
    func login() async throws {
        let scratch = try Scratch()
        let account = Account(
            id: .make(), handle: "ada", displayName: "Ada", email: "ada@example.org", role: .user,
            createdAt: SampleSheet.time)
        let info = TokenInfo(
            id: .make(), name: "t", scopes: [.read], createdAt: SampleSheet.time, expiresAt: Date() + 86_400,
            lastUsedAt: nil)
        let asked = Mutex<TokenRequest?>(nil)
        try await withStub { request, _ in
            switch (request.method, request.uri.path) {
            case (.post, "/api/v1/auth/tokens"):
                let body = try await request.body.collect(upTo: 1 << 16)
                let value = try WireJSON.decoder().decode(TokenRequest.self, from: Data(body.readableBytesView))
                asked.withLock { $0 = value }
                return try .json(NewToken(token: "sm_secret", info: info), status: .created)
            case (.get, "/api/v1/me"):
                guard request.headers[.authorization] == "Bearer sm_secret" else {
                    return try .problem(401, .invalidToken, "Who are you?")
                }
                return try .json(account)
            case (.get, "/api/v1/submissions"):
                return try .json(SubmissionList(submissions: [], nextCursor: nil))
            case (.delete, "/api/v1/auth/tokens/\(info.id)"):
                return Response(status: .noContent)
            default:
                return try .problem(404, .notFound, "Nothing.")
            }
        } _: { server in
            let before = try await CommandLineRun.sheets("status", in: scratch, server: server.url)
            #expect(before.status == 3)
            #expect(before.errors.contains("sheets login"))

            let login = try await CommandLineRun.sheets(
                "login", "--login", "ada", "--password-stdin", in: scratch, server: server.url, input: "pass word\n")
            #expect(login.status == 0)
            #expect(asked.withLock { $0?.password } == "pass word")
            #expect(asked.withLock { $0?.scopes } == [.read, .templatesWrite, .reviewsWrite])
            let file = scratch.path + "/.config/sheets/credentials.json"
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)

            let status = try await CommandLineRun.sheets("status", "--json", in: scratch, server: server.url)
            #expect((try status.json()["account"] as? [String: Any])?["handle"] as? String == "ada")

            let logout = try await CommandLineRun.sheets("logout", "--json", in: scratch, server: server.url)
            #expect(logout.status == 0)
            #expect(server.seen("/api/v1/auth/tokens/\(info.id)").count == 1)
            #expect(try String(contentsOfFile: file, encoding: .utf8).contains("sm_secret") == false)

            let token = try await CommandLineRun.sheets(
                "login", "--token-stdin", in: scratch, server: server.url, input: "sm_secret\n")
            #expect(token.status == 0)
            let wrong = try await CommandLineRun.sheets(
                "login", "--token-stdin", in: scratch, server: server.url, input: "sm_wrong\n")
            #expect(wrong.status == 3)
        }
    }

    @Test("publish uploads, follows the inspection, and ends with findings and what comes next")
    func publish() async throws {
        let scratch = try Scratch()
        let pdf = scratch.path + "/quest.pdf"
        try Data("%PDF-1.7 not really".utf8).write(to: URL(fileURLWithPath: pdf))
        let finding = Finding(.noFormFields, .warning, page: 0, message: "There is nothing to fill in.")
        let id = SubmissionID.make()
        @Sendable func status(_ state: SubmissionState, _ findings: [Finding]) -> SubmissionStatus {
            SubmissionStatus(
                id: id, state: state, progress: .init(fraction: 0.5, step: "reading"), findings: findings,
                templateId: sheet.id, templateSlug: "quest-sheet", templateName: "Quest Sheet", version: first,
                caseId: nil, fileName: "quest.pdf", sizeBytes: 19, sha256: sheet.hash(first), pageCount: 2,
                decision: nil, createdAt: SampleSheet.time, updatedAt: SampleSheet.time)
        }
        let ending = Mutex(SubmissionState.awaitingReview)
        try await withStub { request, server in
            if request.method == .post {
                _ = try await request.body.collect(upTo: 1 << 20)
                return try .json(status(.received, []), status: .accepted)
            }
            guard request.uri.path.hasSuffix("/events") else { return try .json(status(.inspecting, [])) }
            let event = status(ending.withLock { $0 }, [finding])
            let data = String(decoding: try WireJSON.encoder().encode(event), as: UTF8.self)
            return Response(
                status: .ok, headers: [.contentType: "text/event-stream"],
                body: .init(byteBuffer: ByteBuffer(string: "id: 1\ndata: \(data)\n\n")))
        } _: { server in
            let arguments = ["publish", pdf, "--name", "Quest Sheet", "--game-system", "dnd5e", "--license", "CC0-1.0"]
            let missing = try await CommandLineRun.start(arguments, in: scratch, server: server.url).end()
            #expect(missing.status == 2)
            #expect(server.seen().isEmpty)

            let all = arguments + ["--version", "1.0.0"]
            let run = try await CommandLineRun.start(all, in: scratch, server: server.url).end()
            #expect(run.status == 0)
            #expect(run.errors.contains("uploading quest.pdf: 100%"))
            #expect(run.output.contains("Quest Sheet 1.0.0: waiting for a moderator (quest.pdf, 19 B, 2 pages)"))
            #expect(run.output.contains("warning   no_form_fields     1  There is nothing to fill in."))
            #expect(run.output.contains("sheets status \(id)"))

            ending.withLock { $0 = .rejected }
            let json = try await CommandLineRun.start(all + ["--json"], in: scratch, server: server.url).end()
            #expect(json.status == 3)
            #expect(try json.json()["state"] as? String == "rejected")
        }
    }
}
