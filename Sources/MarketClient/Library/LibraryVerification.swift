// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import SheetCore

/// What a check of the whole library found.
public struct VerificationReport: Sendable, Codable, Equatable {
    /// One thing that is not as it should be.
    public struct Problem: Sendable, Codable, Equatable {
        /// What is wrong with it.
        public enum Kind: String, Sendable, Codable {
            /// A file is not there.
            case missing
            /// A file's bytes are not those of its name.
            case damaged
            /// A record cannot be read.
            case unreadable
        }

        /// What kind it is of.
        public var kind: Kind
        /// Where it lies.
        public var path: String
        /// The template's id; `nil` when the file belongs to none.
        public var templateId: TemplateID?
        /// The template's slug; `nil` when the file belongs to none.
        public var template: String?
        /// The version that is meant, where there is one.
        public var version: SemanticVersion?
        /// Whether the version is installed now, not just kept.
        public var installed: Bool
        /// A sentence for people.
        public var message: String
    }

    /// Whether nothing is wrong.
    public var ok: Bool
    /// How many templates were looked at.
    public var templates: Int
    /// How many files were looked at.
    public var files: Int
    /// How many bytes were looked at.
    public var bytes: Int
    /// What is wrong, if anything.
    public var problems: [Problem]
    /// Downloads that were begun and not ended, and objects that no record names. Neither does harm.
    public var leftovers: [String]
}

extension Library {
    /// Reads every record and hashes every file.
    public func verify(progress: @Sendable (TransferProgress) -> Void = { _ in }) async throws -> VerificationReport {
        let contents = try contents()
        var check = Check(library: self)
        check.report.problems = contents.unreadable.map { error in
            var path = root
            if case .unreadableRecord(let place, _) = error { path = place }
            let name = path.split(separator: "/").last.map { String($0.dropLast(".json".count)) }
            return .init(
                kind: .unreadable, path: path, templateId: name.flatMap { TemplateID($0) }, installed: false,
                message: error.description)
        }
        check.report.templates = contents.records.count
        check.total = contents.records.flatMap(\.versions)
            .reduce(0) { sum, saved in
                let pictures = [saved.preview].compactMap { $0 } + (saved.pictures ?? []).map(\.picture)
                return sum + saved.detail.sizeBytes + pictures.reduce(0) { $0 + $1.sizeBytes }
            }
        for record in contents.records {
            for saved in record.versions {
                try check.look(at: saved.detail.sha256, saved.detail.sizeBytes, "file", record, saved, progress)
                if let preview = saved.preview {
                    try check.look(at: preview.sha256, preview.sizeBytes, "preview", record, saved, progress)
                }
                for kept in saved.pictures ?? [] where kept.picture.sha256 != saved.preview?.sha256 {
                    let what = "picture of page \(kept.page + 1)"
                    try check.look(at: kept.picture.sha256, kept.picture.sizeBytes, what, record, saved, progress)
                }
                await Task.yield()
                try Task.checkCancellation()
            }
        }
        try check.lookForStrays(keepQuiet: !contents.unreadable.isEmpty)
        check.report.ok = check.report.problems.isEmpty
        return check.report
    }

    private struct Check {
        let library: Library
        var report = VerificationReport(ok: true, templates: 0, files: 0, bytes: 0, problems: [], leftovers: [])
        var total = 0
        var seen: [ContentHash: ObjectState] = [:]

        init(library: Library) {
            self.library = library
        }

        mutating func look(
            at hash: ContentHash, _ bytes: Int, _ what: String, _ record: LibraryRecord,
            _ saved: LibraryRecord.SavedVersion, _ progress: @Sendable (TransferProgress) -> Void
        ) throws {
            let state: ObjectState
            if let known = seen[hash] {
                state = known
            } else {
                state = try library.state(of: hash)
                seen[hash] = state
                report.files += 1
            }
            report.bytes += bytes
            progress(TransferProgress(bytes: report.bytes, total: total))
            guard state != .intact else { return }
            let number = saved.detail.version
            let name = "\(record.template.slug)@\(number)"
            // Installing a version that is only kept would put it in the place of a later one.
            let remedy = "`sheets verify --repair` fetches it again"
            report.problems.append(
                .init(
                    kind: state == .missing ? .missing : .damaged, path: library.objectPath(hash),
                    templateId: record.template.id, template: record.template.slug, version: number,
                    installed: record.installed?.version == number,
                    message: "The \(what) of \(name) is \(state == .missing ? "missing" : "damaged"); \(remedy)."))
        }

        /// Objects without a record: left by a process that ended between the two, or made by hand.
        mutating func lookForStrays(keepQuiet: Bool) throws {
            let files = FileManager.default
            // A folder that is not there holds nothing.
            for shard in ((try? files.contentsOfDirectory(atPath: "\(library.root)/objects")) ?? []).sorted() {
                let folder = "\(library.root)/objects/\(shard)"
                for name in ((try? files.contentsOfDirectory(atPath: folder)) ?? []).sorted() {
                    if let hash = ContentHash(hex: name), seen[hash] != nil { continue }
                    if !keepQuiet { report.leftovers.append("\(folder)/\(name)") }
                }
            }
            for name in ((try? files.contentsOfDirectory(atPath: library.partialFolder)) ?? []).sorted()
            where name.hasSuffix(".part") {
                report.leftovers.append("\(library.partialFolder)/\(name)")
            }
        }
    }
}
