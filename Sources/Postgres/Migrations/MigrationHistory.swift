// SPDX-License-Identifier: Apache-2.0
import Foundation

/// What `schema_migrations` says has been applied to a database.
struct MigrationHistory: Sendable {
    struct Record: Sendable {
        var version: String
        var name: String
        var checksum: String
        var appliedAt: Date
    }

    /// By version.
    private(set) var numbered: [String: Record] = [:]
    /// By name: every state that the database ever had of the file, the oldest first.
    private(set) var repeatable: [String: [Record]] = [:]

    /// The records must come in the order in which they were made.
    init(_ records: [Record] = []) {
        for record in records {
            if record.version.count == MigrationFile.Kind.numbered.digits {
                numbered[record.version] = record
            } else {
                repeatable[record.name, default: []].append(record)
            }
        }
    }

    /// Throws unless the files go on where the database is.
    func check(_ folder: MigrationFolder, _ checksums: MigrationChecksums) throws {
        try checkNumbered(folder.numbered, checksums)
        for file in folder.repeatable where isSuperseded(file, checksums) {
            throw PostgresMigrationError.superseded(name: file.name)
        }
    }

    private func checkNumbered(_ files: [MigrationFile], _ checksums: MigrationChecksums) throws {
        if let first = files.first, numbered[first.version] == nil,
            let oldest = numbered.values.min(by: { $0.version < $1.version })
        {
            throw PostgresMigrationError.foreignHistory(oldestApplied: oldest.name, first: first.name)
        }
        let versions = Set(files.map(\.version))
        if let unknown = numbered.filter({ !versions.contains($0.key) }).min(by: { $0.key < $1.key }) {
            throw PostgresMigrationError.unknownApplied(name: unknown.value.name)
        }
        let newest = numbered.max { $0.key < $1.key }
        for file in files {
            if let record = numbered[file.version] {
                guard record.checksum == checksums[file], record.name == file.name else {
                    throw PostgresMigrationError.checksumChanged(name: file.name)
                }
            } else if let newest, file.version < newest.key {
                throw PostgresMigrationError.outOfOrder(name: file.name, newestApplied: newest.value.name)
            }
        }
    }

    /// Whether the database is to be given the file.
    func isPending(_ file: MigrationFile, _ checksums: MigrationChecksums) -> Bool {
        switch file.kind {
        case .numbered: numbered[file.version] == nil
        case .repeatable: repeatable[file.name]?.last?.checksum != checksums[file]
        }
    }

    /// Whether the database had this state of a repeatable file and has another one since: the file is an older program's.
    func isSuperseded(_ file: MigrationFile, _ checksums: MigrationChecksums) -> Bool {
        let states = repeatable[file.name] ?? []
        return states.last?.checksum != checksums[file] && states.contains { $0.checksum == checksums[file] }
    }

    func state(of file: MigrationFile, _ checksums: MigrationChecksums) -> MigrationStatus.State {
        switch file.kind {
        case .numbered:
            guard let record = numbered[file.version] else { return .pending }
            let isSame = record.checksum == checksums[file] && record.name == file.name
            return isSame ? .applied(at: record.appliedAt) : .changed(appliedAt: record.appliedAt)
        case .repeatable:
            guard let record = repeatable[file.name]?.last else { return .pending }
            if record.checksum == checksums[file] { return .applied(at: record.appliedAt) }
            return isSuperseded(file, checksums) ? .changed(appliedAt: record.appliedAt) : .pending
        }
    }
}

/// The SHA-256 of each file of a folder.
struct MigrationChecksums: Sendable {
    private var byName: [String: String]

    init(_ files: [MigrationFile], _ checksums: [String]) {
        byName = Dictionary(zip(files.map(\.name), checksums)) { first, _ in first }
    }

    subscript(file: MigrationFile) -> String { byName[file.name] ?? "" }
}
