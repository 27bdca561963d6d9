// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import MarketHTTP
import MarketPlatform
import MarketSearch
import MarketWire
import NIOCore
import Postgres
import SheetCore

/// Writes the public catalog into a file, all of it as it stands at one moment.
package struct CatalogDumps: Sendable {
    /// How many days' dumps are kept.
    package static let keptDays = 7
    /// When a night's dump is due, in seconds after midnight (UTC).
    static let dueSeconds = 3.0 * 3600
    /// The form of the lines.
    package static let format = "sheetmarket.dump.1"
    /// Templates that are in memory at the same time.
    private static let batch = 200
    /// How long a gentle dump rests at most between two batches: its snapshot keeps dead rows from being cleared away.
    private static let longestPause = Duration.milliseconds(200)

    private let platform: Platform

    package init(platform: Platform) {
        self.platform = platform
    }

    /// Reads `catalog-2026-11-21.jsonl.gz`.
    package static func day(of name: String) -> String? {
        guard name.hasPrefix("catalog-"), name.hasSuffix(".jsonl.gz") else { return nil }
        return UTCDay(String(name.dropFirst("catalog-".count).dropLast(".jsonl.gz".count)))?.text
    }

    /// Makes the night's dump when it is due and nobody has; nothing is due while the catalog is empty. What was taken
    /// down or erased goes from dumps, too: those that have it are withdrawn.
    @discardableResult
    func makeDumpIfDue() async throws -> CatalogDump? {
        try await ChangeStore.number(platform.database)
        let withdrawn = try await platform.database.withTransaction { try await DumpStore.withdraw($0) }
        if withdrawn > 0 {
            platform.logger.info("withdrew dumps with what was taken down", metadata: ["count": "\(withdrawn)"])
        }
        let day = UTCDay(platform.now().addingTimeInterval(-Self.dueSeconds)).text
        let newest = try await DumpStore.all(platform.database).first?.day
        guard newest.map({ $0 < day }) ?? true else { return nil }
        guard try await platform.database.scalar("SELECT EXISTS (SELECT FROM listings)", as: Bool.self) else {
            return nil
        }
        return try await make(gently: true)
    }

    /// Makes a dump now, in place of the day's earlier one; `nil` when somebody else is about it. `gently` rests
    /// after each batch as long as that took, within bounds: whoever reads meanwhile comes first.
    @discardableResult
    package func make(gently: Bool = false) async throws -> CatalogDump? {
        let now = platform.now()
        // What is in the dump anyway need not be told again.
        try await ChangeStore.number(platform.database)
        let writer = try await platform.storage.makeWriter()
        let written: Written?
        let object: StoredObject
        do {
            written = try await write(to: writer, at: now, gently: gently)
            guard written != nil else {
                await writer.abandon()
                return nil
            }
            object = try await writer.finish()
        } catch {
            await writer.abandon()
            throw error
        }
        guard let written else { return nil }
        let line = DumpStore.Line(
            day: UTCDay(now).text, object: object, templates: written.templates, place: written.place, createdAt: now)
        try await platform.database.withTransaction { connection in
            try await StorageGarbageCollection.blockGarbageCollection(in: connection)
            // The garbage collection may have been there before: its bytes lay unnamed.
            guard try await platform.storage.size(of: object.hash) != nil else {
                throw StorageError.missing(object.hash)
            }
            try await DumpStore.enter(line, connection)
            try await DumpStore.keep(Self.keptDays, connection)
        }
        return line.wire
    }

    private struct Written: Sendable {
        var templates = 0
        var place: ChangeStore.Position
    }

    /// One snapshot from the first line to the last.
    private func write(to writer: any StorageWriter, at now: Date, gently: Bool) async throws -> Written? {
        try await platform.database.withTransaction(
            isolation: .repeatableRead, readOnly: true, attempts: 1
        ) { connection in
            // Storage may be slow to take a piece; nobody waits for a reader.
            try await connection.mayBeIdle()
            guard try await DumpStore.tryLock(connection) else { return nil }
            var lines = JSONLinesWriter(gzip: try GzipStream(), writer: writer)
            var written = Written(place: try await ChangeStore.end(connection))
            let header = CatalogDumpLine.Header(
                format: Self.format, createdAt: now, cursor: ChangeService.cursor(written.place))
            try await lines.add(CatalogDumpLine(header: header))
            for system in try await CatalogStore.gameSystems(connection) {
                try await lines.add(CatalogDumpLine(gameSystem: system))
            }
            var last: TemplateID?
            while true {
                try Task.checkCancellation()
                let begin = ContinuousClock.now
                let ids = try await DumpStore.offered(after: last, limit: Self.batch, connection)
                guard let next = ids.last else { break }
                let entries = try await ChangeStore.templates(ids, connection)
                for entry in entries.sorted(by: { $0.template.summary.slug < $1.template.summary.slug }) {
                    try await lines.add(CatalogDumpLine(template: entry.template, versions: entry.versions))
                }
                written.templates += entries.count
                last = next
                if gently { try await Task.sleep(for: min(.now - begin, Self.longestPause)) }
            }
            try await lines.add(CatalogDumpLine(templateCount: written.templates))
            try await lines.finish()
            return written
        }
    }
}

/// Lines of JSON on their way into a compressed file.
private struct JSONLinesWriter {
    private static let piece = 256 << 10

    private let gzip: GzipStream
    private let writer: any StorageWriter
    private let encoder = WireJSON.encoder()
    private var waiting = ByteBuffer()

    init(gzip: GzipStream, writer: any StorageWriter) {
        self.gzip = gzip
        self.writer = writer
    }

    mutating func add(_ line: CatalogDumpLine) async throws {
        waiting.writeBytes(try encoder.encode(line))
        waiting.writeInteger(UInt8(ascii: "\n"))
        if waiting.readableBytes >= Self.piece { try await send() }
    }

    private mutating func send() async throws {
        let compressed = try gzip.compress(waiting)
        waiting.clear()
        if compressed.readableBytes > 0 { try await writer.write(compressed) }
    }

    mutating func finish() async throws {
        try await send()
        try await writer.write(try gzip.finish())
    }
}

extension CatalogDumps {
    /// Makes each night's dump and removes old entries of the change feed. Not in the first minutes, when a new market
    /// fills.
    package var periodicTasks: [PeriodicTask] {
        [
            PeriodicTask("write the catalog's dump", every: .seconds(300), firstAfter: .seconds(300)) {
                if let dump = try await makeDumpIfDue() {
                    platform.logger.info(
                        "dumped the catalog",
                        metadata: ["name": "\(dump.name)", "templates": "\(dump.templateCount)"])
                }
            },
            PeriodicTask("number and prune the change feed", every: .seconds(300), firstAfter: .seconds(300)) {
                // Where nobody reads it, nobody else does.
                try await ChangeStore.number(platform.database)
                try await ChangeStore.prune(
                    before: platform.now().addingTimeInterval(-ChangeService.keptSeconds), platform.database)
            },
        ]
    }
}
