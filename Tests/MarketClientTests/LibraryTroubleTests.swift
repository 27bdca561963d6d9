// SPDX-License-Identifier: Apache-2.0
import Foundation
import Hummingbird
import MarketWire
import SheetCore
import Testing

@testable import MarketClient

@Suite("A library on a full disk, with a wrong clock, and from a market that sends other bytes")
struct LibraryTroubleTests {
    private let sheet = SampleSheet()
    private let first = SemanticVersion(1, 0, 0)
    private let second = SemanticVersion(1, 1, 0)

    /// Starts a program with a library on a disk of its own with that much room.
    private static func disk(_ size: String, _ script: String) -> [String] {
        [
            "/usr/bin/unshare", "--map-root-user", "--mount", "/bin/sh", "-c",
            "mkdir -p \"$SHEETS_LIBRARY\" && mount -t tmpfs -o size=\(size) none \"$SHEETS_LIBRARY\" || exit 98; \(script)",
        ]
    }

    @Test("on a full disk an installation says so, and what is there stays whole; the doctor tells before")
    func fullDisk() async throws {
        let scratch = try Scratch()
        let sheet = SampleSheet(files: [(first, SampleSheet.bytes(20_000, seed: 1)), sheet.files[1]])
        try await withStub(sheet.market()) { server in
            let script = """
                "$0" install quest-sheet@1.0.0 || exit 97
                "$0" install quest-sheet@1.1.0; echo "ended with $?"
                "$0" list; "$0" verify && "$0" open --path quest-sheet && exec "$0" doctor --offline
                """
            let run = try await CommandLineRun.start(
                [], in: scratch, server: server.url, through: Self.disk("300k", script)
            ).end()
            #expect(run.status == 0 && run.output.contains("ended with 1\n"), "\(run)")
            #expect(run.errors.contains("no space left on device"), "\(run)")
            #expect(run.output.contains("quest-sheet  1.0.0") && run.output.contains("quest-sheet-1.0.0.pdf"), "\(run)")
            #expect(run.output.contains("warning  disk: only "), "\(run)")
        }
    }

    @Test("an update whose bytes are wrong leaves the version before as it was", arguments: [true, false])
    func failedUpdate(_ isOfOtherSize: Bool) async throws {
        let scratch = try Scratch()
        let newer = second
        let repository = try SignedRepository(start: Date())
        try repository.publish(2, sheet.files.map { sheet.target($0.version) })
        let plain = sheet.market(offered: second) { request, server, bytes in
            guard request.uri.path.hasSuffix("1.1.0") else { return SampleSheet.serve(request, server, bytes) }
            return .bytes(isOfOtherSize ? Array(bytes.dropLast()) : bytes.reversed())
        }
        let market = repository.market(plain) {
            .init(templateId: $0.templateId, state: .published, genuine: true, newer: newer, slug: "quest-sheet")
        }
        try await withStub(market) { server in
            func sheets(_ words: String...) async throws -> CommandLineRun {
                try await CommandLineRun.start(words, in: scratch, server: server.url).end()
            }
            #expect(try await sheets("install", "quest-sheet@1.0.0").status == 0)
            let run = try await sheets("update")
            #expect(run.status == 3 && run.errors.contains("thrown away"), "\(run)")
            #expect(try scratch.library.find(sheet.slug).versions.map(\.detail.version) == [first])
            let path = try await sheets("open", "--path", "quest-sheet").output.trimmingCharacters(in: .newlines)
            #expect(FileManager.default.contents(atPath: path) == Data(sheet.bytes(first)))
            let verified = try await scratch.library.verify()
            #expect(verified.ok && (isOfOtherSize || verified.leftovers == []), "\(verified)")
        }
    }

    /// Starts a program with a market whose clock is so many seconds ahead.
    private static func ahead(_ seconds: Int) -> [String] {
        [
            "/usr/bin/python3", "-c",
            """
            from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer; import os, subprocess, sys, threading, time
            class Market(BaseHTTPRequestHandler):
                def date_time_string(self, timestamp=None):
                    return super().date_time_string(time.time() + int(sys.argv[1]))
                def log_message(self, *_): pass
                def do_GET(self):
                    self.send_response(200 if self.path == "/healthz" else 404)
                    self.send_header("Content-Length", "0")
                    self.end_headers()
            server = ThreadingHTTPServer(("127.0.0.1", 0), Market)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            os.environ["SHEETS_SERVER"] = f"http://127.0.0.1:{server.server_port}"
            sys.exit(subprocess.run(sys.argv[2:]).returncode)
            """,
            "\(seconds)",
        ]
    }

    @Test(
        "the doctor tells how far this machine's clock is off, and when that is a problem",
        arguments: [
            (0, 0, "ok       clock: right within"), (100, 0, "s behind the server's. Set this machine's clock"),
            (-100, 0, "s ahead of the server's. Set this machine's clock"),
            (7200, 1, "s behind the server's. Set this machine's clock"),
        ] as [(Int, Int32, String)])
    func clock(_ seconds: Int, _ status: Int32, _ words: String) async throws {
        let scratch = try Scratch()
        let run = try await CommandLineRun.start(["doctor"], in: scratch, server: "", through: Self.ahead(seconds))
            .end()
        #expect(run.status == status && run.output.contains(words), "\(run)")
        #expect(run.output.contains("PROBLEM  clock:") == (status == 1), "\(run)")
    }
}
