// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCatalog
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

/// Writes all that a client needs into a folder that any web server can serve as it is: signed metadata and files as
/// under `/trust`, what the catalog says of them, and its newest dump. What is there already is left; what may no longer be had goes, and
/// metadata that nobody begins at any more goes a run later: readers may be at it.
package struct StaticMirror: Sendable {
    /// What a run did.
    package struct Report: Sendable, Equatable {
        package var written = 0
        package var writtenBytes = 0
        package var kept = 0
        package var removed = 0
    }

    private static let pageSize = 500
    /// A file that says whose folder it is.
    private static let marker = ".sheetmarket-mirror"

    let platform: Platform
    private let folder: URL

    package init(platform: Platform, folder: URL) {
        self.platform = platform
        self.folder = folder
    }

    /// Brings the folder up to date. `timestamp.json` comes last: readers find everything that it leads to.
    package func write() async throws -> Report {
        var report = Report()
        guard let timestamp = try await TrustStore.newest("timestamp", platform.database) else {
            throw TrustPublishingError.notInitialized
        }
        try claimFolder()
        let before = namesBefore()
        let names = try await writeMetadata(below: timestamp, &report)
        let templates = try await writeFiles(&report)
        try await writeCatalog(of: templates, &report)
        try await writeDump(&report)
        try put(timestamp.bytes, "trust/timestamp.json")
        try remove(in: "trust", except: names.union(before).union(["timestamp.json", "targets"]), &report)
        return report
    }

    // MARK: - Metadata

    private func writeMetadata(below timestamp: MetadataFile, _ report: inout Report) async throws -> Set<String> {
        let trusted = try SignedMetadata(reading: timestamp.bytes, role: "timestamp")
        let version = trusted.signed["meta"]?.object?["snapshot.json"]?.object?["version"]?.integer ?? 0
        guard let snapshot = try await TrustStore.file("snapshot", version: version, platform.database) else {
            throw TrustPublishingError.refused("The signed catalog changed meanwhile; run this again.")
        }
        var wanted = [("snapshot", version)]
        let meta = try SignedMetadata(reading: snapshot.bytes, role: "snapshot").signed["meta"]?.object
        for member in meta?.members ?? [] {
            let version = member.value.object?["version"]?.integer ?? 0
            wanted.append((String(member.key.dropLast(".json".count)), version))
        }
        let newestRoot = try await TrustStore.newest("root", platform.database)?.version ?? 0
        for version in 0..<newestRoot { wanted.append(("root", version + 1)) }
        for (role, version) in wanted {
            let name = "\(version).\(role).json"
            guard let file = try await TrustStore.file(role, version: version, platform.database) else {
                throw TrustPublishingError.refused("The signed catalog changed meanwhile; run this again.")
            }
            // A file of that name may be damaged, or of keys that were made before these.
            try putIfNew(file.bytes, "trust/\(name)", &report)
        }
        return Set(wanted.map { "\($0.1).\($0.0).json" })
    }

    /// What the timestamp that an earlier run left leads to: readers that took it may come for the rest yet.
    private func namesBefore() -> Set<String> {
        guard let timestamp = meta("timestamp.json"),
            let version = timestamp["snapshot.json"]?.object?["version"]?.integer
        else { return [] }
        let snapshot = "\(version).snapshot.json"
        let names = meta(snapshot)?.members.compactMap { member in
            member.value.object?["version"]?.integer.map { "\($0).\(member.key)" }
        }
        return Set(names ?? []).union([snapshot])
    }

    /// What a file of metadata names; nothing where there is none that can be read, and then nobody can use it.
    private func meta(_ name: String) -> TrustObject? {
        contents("trust/\(name)").flatMap { try? SignedMetadata(reading: $0, role: name).signed["meta"]?.object }
    }

    // MARK: - Files

    /// Answers which templates there are, be they on offer or not.
    private func writeFiles(_ report: inout Report) async throws -> Set<TemplateID> {
        var last: VersionID?
        var templates: [String: Set<String>] = [:]
        var all: Set<TemplateID> = []
        while true {
            let page = try await BinStore.page(after: last, limit: Self.pageSize, platform.database)
            all.formUnion(page.map(\.template))
            for entry in page where try !entry.isTakenDown {
                let path = TargetPath.stored(entry.path, entry.hash)
                let name = path.split(separator: "/").last.map(String.init) ?? path
                templates[entry.template.description, default: []].insert(name)
                try await copy(entry.hash, bytes: entry.sizeBytes, to: "trust/targets/\(path)", &report)
            }
            last = page.last?.version
            guard page.count == Self.pageSize else { break }
        }
        try remove(in: "trust/targets", except: Set(templates.keys), &report)
        for (template, names) in templates { try remove(in: "trust/targets/\(template)", except: names, &report) }
        return all
    }

    private func writeDump(_ report: inout Report) async throws {
        // A market that has none has withdrawn the one that an earlier run copied.
        let newest = try await DumpStore.all(platform.database).prefix(1)
        for dump in newest {
            try await copy(dump.object.hash, bytes: dump.object.sizeBytes, to: "dumps/\(dump.name)", &report)
        }
        try putIfNew(
            try WireJSON.encoder().encode(CatalogDumpList(dumps: newest.map(\.wire))), "dumps/index.json", &report)
        try remove(in: "dumps", except: Set(newest.map(\.name)).union(["index.json"]), &report)
    }

    // MARK: - The folder

    func url(_ path: String) -> URL { folder.appending(path: path) }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: url(path).path) }

    private func contents(_ path: String) -> Data? { FileManager.default.contents(atPath: url(path).path) }

    /// A run removes what is no mirror's: so never in a folder that somebody keeps other things in.
    private func claimFolder() throws {
        guard !exists(Self.marker) else { return }
        if FileManager.default.fileExists(atPath: folder.path),
            try !FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty
        {
            throw TrustPublishingError.refused(
                "\(folder.path) is not empty and no mirror: name a new folder. If it is a mirror that an earlier "
                    + "version wrote, make an empty file \(Self.marker) in it.")
        }
        try put(
            Data(
                "Written by `sheetmarket mirror`, which removes from catalog, dumps, pictures and trust what is not its own.\n"
                    .utf8),
            Self.marker)
    }

    func makeFolder(of file: URL) throws {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    }

    func putIfNew(_ bytes: Data, _ path: String, _ report: inout Report) throws {
        guard contents(path) != bytes else {
            report.kept += 1
            return
        }
        try put(bytes, path)
        report.written += 1
        report.writtenBytes += bytes.count
    }

    private func put(_ bytes: Data, _ path: String) throws {
        try makeFolder(of: url(path))
        try bytes.write(to: url(path), options: .atomic)
    }

    func copy(_ hash: ContentHash, bytes: Int?, to path: String, _ report: inout Report) async throws {
        let target = url(path)
        // Nothing is there yet, or something half of which was written by another program.
        if let found = size(of: target), bytes == nil || found == bytes {
            report.kept += 1
            return
        }
        try makeFolder(of: target)
        let draft = target.appendingPathExtension("new")
        try await platform.storage.withLocalFile(hash) { source in
            // What an earlier run left half done.
            try? FileManager.default.removeItem(at: draft)
            try FileManager.default.copyItem(at: source, to: draft)
        }
        try move(draft, to: target)
        report.written += 1
        report.writtenBytes += size(of: target) ?? 0
    }

    func move(_ draft: URL, to target: URL) throws {
        guard rename(draft.path, target.path) == 0 else {
            throw TrustPublishingError.refused("\(target.path) cannot be written: \(String(cString: strerror(errno)))")
        }
    }

    /// Nothing where there is no file.
    func size(of file: URL) -> Int? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
        return (attributes?[.size] as? NSNumber)?.intValue
    }

    func remove(in path: String, except names: Set<String>, _ report: inout Report) throws {
        guard exists(path) else { return }
        for name in try FileManager.default.contentsOfDirectory(atPath: url(path).path) where !names.contains(name) {
            try FileManager.default.removeItem(at: url("\(path)/\(name)"))
            report.removed += 1
        }
    }
}

extension TargetEntry {
    /// Whether nobody may have it.
    fileprivate var isTakenDown: Bool {
        get throws { try target.custom?["state"]?.string == VersionState.takenDown.rawValue }
    }
}
