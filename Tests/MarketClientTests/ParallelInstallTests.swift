// SPDX-License-Identifier: Apache-2.0
import Foundation
import Hummingbird
import MarketWire
import NIOCore
import SheetCore
import Synchronization
import Testing

@testable import MarketClient

/// A market of several sheets, the version of each another one.
struct SampleMarket: Sendable {
    let sheets: [SampleSheet]

    init(_ count: Int, bytes: Int = 20_000) {
        sheets = (0..<count).map { at in
            let version = SemanticVersion(1, 0, UInt64(at))
            return SampleSheet(
                slug: "sheet-\(at)", files: [(version, SampleSheet.bytes(bytes, seed: UInt64(at) + 1))])
        }
    }

    var references: [TemplateReference] { sheets.map { TemplateReference(key: $0.slug) } }

    func market(
        file: @escaping @Sendable (Request, StubServer, [UInt8]) async throws -> Response = SampleSheet.serve
    ) -> StubServer.Handler {
        let handlers = sheets.map { $0.market(offered: $0.files[0].version, file: file) }
        let sheets = self.sheets
        return { request, server in
            let parts = request.uri.path.split(separator: "/").map(String.init)
            let at = sheets.firstIndex { sheet in
                parts.contains(sheet.slug) || parts.contains(sheet.id.description)
                    || parts == ["files", sheet.files[0].version.description]
            }
            guard let at else { return try .problem(404, .notFound, "There is nothing at \(request.uri.path).") }
            return try await handlers[at](request, server)
        }
    }
}

@Suite("Several templates installed at once")
struct ParallelInstallTests {
    @Test(
        "up to eight come at the same time over as many connections, each verified and in the order that was asked for")
    func atOnce() async throws {
        let scratch = try Scratch()
        let market = SampleMarket(20)
        let running = Mutex((now: 0, most: 0))
        let handler = market.market { request, server, bytes in
            running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            try await Task.sleep(for: .milliseconds(100))
            running.withLock { $0.now -= 1 }
            return SampleSheet.serve(request, server, bytes)
        }
        try await withStub(handler) { server in
            let results = try await server.installer(scratch).install(market.references)
            #expect(try results.map { try $0.get().record.template.slug } == market.sheets.map(\.slug))
            #expect(try results.allSatisfy { try $0.get().downloaded })
            let peers = Set(server.seen().map(\.peer))
            // One that the server ends has a successor.
            #expect(peers.count <= 2 * Installer.maximumAtOnce && server.seen().count > 60, "\(peers)")
        }
        let most = running.withLock { $0.most }
        #expect((2...Installer.maximumAtOnce).contains(most), "\(most)")
        let report = try await scratch.library.verify()
        #expect(report.ok && report.templates == 20 && report.leftovers == [], "\(report)")
    }

    @Test("all are asked about at once, then each needs its file, and its picture where that did not come along")
    func askedAtOnce() async throws {
        let scratch = try Scratch()
        let market = SampleMarket(60, bytes: 5_000)
        let plain = market.market()
        let handler: StubServer.Handler = { request, server in
            switch request.uri.path {
            case "/stale": return try .problem(410, .downloadExpired, "This address has expired.")
            case "\(Paths.base)/installs":
                let body = try await request.body.collect(upTo: 1 << 20)
                let query = try WireJSON.decoder().decode(InstallQuery.self, from: Data(body.readableBytesView))
                return try .json(
                    InstallReport(
                        installs: query.templates.map { key in
                            let sheet = market.sheets.first { $0.slug == key && key != "sheet-7" }
                            let address = key == "sheet-8" ? "/stale" : nil
                            var offer = sheet.map { $0.offer($0.files[0].version, at: address) }
                            // There is no room for most.
                            if query.pictures == true, key.hasPrefix("sheet-1") {
                                offer?.picture = .init(mediaType: "image/webp", data: Data(market.sheets[0].picture))
                            }
                            return .init(offer: offer)
                        }))
            default: return try await plain(request, server)
            }
        }
        try await withStub(handler) { server in
            let results = try await server.installer(scratch).install(market.references)
            #expect(try results.map { try $0.get().record.template.slug } == market.sheets.map(\.slug))
            let asked = server.seen().map(\.path)
            #expect(asked.filter { $0 == "\(Paths.base)/installs" }.count == 2, "fifty at a time")
            for (end, count) in [("/regions", 1), ("/download", 2), ("/preview", 49)] {
                #expect(asked.filter { $0.hasSuffix(end) }.count == count, "\(end)")
            }
            #expect(asked.filter { $0.hasPrefix("/files/") }.count == 60 && asked.contains("/stale"))
        }
        let report = try await scratch.library.verify()
        #expect(report.ok && report.templates == 60 && report.leftovers == [], "\(report)")
        let kept = try scratch.library.contents().records
        #expect(kept.allSatisfy { $0.current?.regions == market.sheets[0].regions.pages })
        #expect(kept.allSatisfy { $0.current?.preview?.sha256 == ContentHash(hashing: Data(market.sheets[0].picture)) })
    }

    @Test("what was installed before is installed again where the market is out of reach")
    func outOfReach() async throws {
        let scratch = try Scratch()
        let market = SampleMarket(3)
        let isDown = Mutex(false)
        let plain = market.market()
        try await withStub({ request, server in
            if isDown.withLock({ $0 }) { return try .problem(503, .unavailable, "Down.") }
            return try await plain(request, server)
        }) { server in
            let installer = try server.installer(scratch)
            _ = try await installer.install(market.references)
            isDown.withLock { $0 = true }
            let before = server.seen().count
            let results = try await installer.install(market.references)
            #expect(results.allSatisfy { (try? $0.get())?.offline == true })
            #expect(server.seen().count - before == 3, "the tries of one question")
        }
    }

    @Test("signed metadata is fetched once for all, and what it does not name is refused alone")
    func trust() async throws {
        let scratch = try Scratch()
        let market = SampleMarket(12)
        let repository = try SignedRepository()
        let signed = market.sheets.dropLast().map { sheet in
            let version = sheet.files[0].version
            let info = TrustFileInfo(length: sheet.bytes(version).count, sha256: sheet.hash(version))
            return TrustTarget(
                path: TargetPath.of(sheet.id, version, .sheet), info: info,
                custom: TrustObject([.init("slug", .string(sheet.slug))]))
        }
        try repository.publish(2, signed)
        let fetched = Mutex<[String]>([])
        let session = TrustSession(
            library: scratch.library, server: "http://market.example",
            source: TrustSource(name: "a mirror") { name, _ in
                fetched.withLock { $0.append(name) }
                return repository.files.withLock { $0[name] }
            }, now: { repository.start })
        try await withStub(market.market()) { server in
            let results = try await Installer(client: try server.client(), library: scratch.library, trust: session)
                .install(market.references)
            #expect(results.dropLast().allSatisfy { (try? $0.get()) != nil })
            #expect(throws: LibraryError.self) { try results[11].get() }
        }
        let counts = fetched.withLock { Dictionary(grouping: $0) { $0 }.mapValues(\.count) }
        #expect(counts["timestamp.json"] == 1 && counts["2.snapshot.json"] == 1 && counts["2.targets.json"] == 1)
        #expect(try scratch.library.contents().installed.count == 11)
    }

    @Test(
        "signed metadata comes by one question; a market without that, or that tells it wrongly, is asked for each part",
        arguments: ["told", "unknown", "forged", "part"])
    func metadata(_ way: String) async throws {
        let scratch = try Scratch()
        let market = SampleMarket(40, bytes: 2_000)
        let repository = try SignedRepository()
        try repository.publishInBins(2, market.sheets.map { $0.target($0.files[0].version) })
        let plain = market.market()
        let handler: StubServer.Handler = { request, server in
            let path = request.uri.path
            if path.hasPrefix("/trust/") {
                let bytes = repository.files.withLock { $0[String(path.dropFirst(7))] }
                return try bytes.map { .bytes($0) } ?? .problem(404, .notFound, "No such file.")
            }
            guard path == "\(Paths.base)/signed-metadata", way != "unknown" else {
                return try await plain(request, server)
            }
            let body = try await request.body.collect(upTo: 1 << 20)
            let names = try WireJSON.decoder().decode(MetadataQuery.self, from: Data(body.readableBytesView)).names
            let files = repository.files.withLock { files in
                names.compactMap { name in
                    files[name].map { MetadataBundle.File(name: name, content: String(decoding: $0, as: UTF8.self)) }
                }
            }
            var bundle = MetadataBundle(files: way == "part" ? Array(files.dropFirst(3)) : files)
            if way == "forged" { bundle.files[0].content.replace("\"version\":2", with: "\"version\":3") }
            return try .json(bundle)
        }
        try await withStub(handler) { server in
            let source = TrustSource.market(try server.client())
            let session = TrustSession(
                library: scratch.library, server: server.url, source: source, now: { repository.start })
            try await session.pinFirst()
            let results = try await Installer(client: try server.client(), library: scratch.library, trust: session)
                .install(market.references)
            let asked = server.seen().map(\.path)
            let questions = asked.filter { $0 == "\(Paths.base)/signed-metadata" }.count
            let bins = asked.filter { $0.contains(".bin-") }
            #expect(results.allSatisfy { (try? $0.get()) != nil }, "\(way)")
            #expect(questions == 1)
            switch way {
            case "told": #expect(bins.isEmpty)
            case "part": #expect(bins.count == 3)
            default: #expect(bins.count > 10 && Set(bins).count == bins.count)
            }
        }
    }

    @Test("one that fails does not keep the others, and is told with an exit status of its own")
    func failing() async throws {
        let scratch = try Scratch()
        let market = SampleMarket(5)
        try await withStub(market.market()) { server in
            let names = market.sheets.map(\.slug) + ["nobody"]
            let run = try await CommandLineRun.start(["install", "--json"] + names, in: scratch, server: server.url)
                .end()
            #expect(run.status == 1 && run.errors.contains("nobody"), "\(run.errors)")
            let told = try #require(try run.json()["templates"] as? [[String: Any]])
            #expect(told.map { $0["slug"] as? String } == market.sheets.map(\.slug))
        }
    }

    @Test("two processes that install the same at the same time leave one whole library")
    func processes() async throws {
        let scratch = try Scratch()
        let market = SampleMarket(10)
        try await withStub(market.market()) { server in
            let words = ["install"] + market.sheets.map(\.slug)
            let first = try CommandLineRun.start(words, in: scratch, server: server.url)
            let second = try CommandLineRun.start(words, in: scratch, server: server.url)
            let runs = [try await first.end(), try await second.end()]
            #expect(runs.map(\.status) == [0, 0], "\(runs.map(\.errors))")
        }
        let report = try await scratch.library.verify()
        #expect(report.ok && report.templates == 10)
    }

    @Test("a download of several that broke off goes on by If-Range")
    func resumed() async throws {
        let scratch = try Scratch()
        let market = SampleMarket(4, bytes: 300_000)
        let handler = market.market { request, server, bytes in
            guard server.seen(request.uri.path).count > 1 else {
                var response = Response.truncated(bytes, after: 100_000)
                response.headers[.eTag] = "\"\(ContentHash(hashing: Data(bytes)))\""
                return response
            }
            return SampleSheet.serve(request, server, bytes)
        }
        try await withStub(handler) { server in
            let results = try await server.installer(scratch).install(market.references)
            #expect(results.allSatisfy { (try? $0.get()) != nil }, "\(results)")
            for sheet in market.sheets {
                let asked = server.seen("/files/\(sheet.files[0].version)")
                #expect(asked.count == 2 && asked[1].headers[.ifRange] != nil)
            }
        }
        #expect(try await scratch.library.verify().ok)
    }
}
