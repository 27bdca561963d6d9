// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import SheetCore

/// What a list of a library shows of a template.
public struct LibraryEntry: Sendable, Equatable {
    /// What its record is kept under.
    public var id: TemplateID
    /// Its short name in addresses.
    public var slug: String
    /// As the market last told it.
    public var name: String
    /// The game system's slug.
    public var gameSystem: String
    /// The owner's handle.
    public var author: String
    /// SPDX identifier.
    public var license: String
    /// BCP 47 tag.
    public var language: String
    /// Pages of the newest version that was seen.
    public var pageCount: Int
    /// The market that it comes from.
    public var server: String
    /// When; `nil` where it is kept but not installed.
    public var installedAt: Date?
    /// The installed version, or the one that would be installed without a network, with its state and file.
    public var version: SemanticVersion?
    /// That version's state.
    public var state: VersionState?
    /// That version's file.
    public var sha256: ContentHash?
    /// Bytes of that file.
    public var sizeBytes: Int?
    /// Which releases updates take.
    public var channel: ReleaseChannel
    /// The author's advice against it, if there is any.
    public var deprecation: Deprecation?
    /// Whether updates leave it alone.
    public var pinned: Bool
    /// All versions that are kept.
    public var savedVersions: [SemanticVersion]

    /// Whether it is installed now, not just kept.
    public var isInstalled: Bool { installedAt != nil }

    /// What a record comes to.
    public init(_ record: LibraryRecord) {
        let saved = record.preferred
        id = record.template.id
        slug = record.template.slug
        name = record.template.name
        gameSystem = record.template.gameSystem
        author = record.template.author
        license = record.template.license
        language = record.template.language
        pageCount = saved?.detail.pageCount ?? record.template.pageCount
        server = record.server
        installedAt = record.installed?.installedAt
        version = saved?.detail.version
        state = saved?.detail.state
        sha256 = saved?.detail.sha256
        sizeBytes = saved?.detail.sizeBytes
        channel = record.channel ?? .stable
        deprecation = record.deprecation
        pinned = record.pinned == true
        savedVersions = record.versions.map(\.detail.version)
    }
}

extension Library {
    private var indexPath: String { "\(root)/index/list" }

    /// What a list shows of all records, by name, and which could not be read. Decoding a thousand records takes longer
    /// than people wait, so what they came to is kept beside them; a record that was written since is read anew.
    public func entries() throws -> (entries: [LibraryEntry], unreadable: [LibraryError]) {
        try checkFormat()
        var known = LibraryIndex(reading: FileManager.default.contents(atPath: indexPath) ?? Data())
        var (rows, unreadable) = ([LibraryIndex.Row](), [LibraryError]())
        var isChanged = false
        // A library that is not there yet has no records.
        for name in (try? FileManager.default.contentsOfDirectory(atPath: recordsFolder)) ?? [] {
            guard name.hasSuffix(".json"), let stamp = FileBytes.stamp("\(recordsFolder)/\(name)") else { continue }
            if let row = known.rows.removeValue(forKey: name), row.stamp == stamp {
                rows.append(row)
                continue
            }
            guard let id = TemplateID(String(name.dropLast(5))) else { continue }
            isChanged = true
            do {
                guard let record = try record(id, brief: true) else { continue }
                rows.append(LibraryIndex.Row(file: name, stamp: stamp, entry: LibraryEntry(record)))
            } catch let error as LibraryError {
                unreadable.append(error)
            }
        }
        if isChanged || !known.rows.isEmpty {
            rows = LibraryIndex.sorted(rows)
            // Of a read-only library nothing is kept: it only costs time.
            try? AtomicFile.makeFolder(AtomicFile.folder(of: indexPath))
            try? AtomicFile.writeLightly(LibraryIndex.data(rows), to: indexPath)
        } else {
            rows.sort { $0.place < $1.place }
        }
        return (rows.map(\.entry), unreadable)
    }
}

/// The file with what records came to: a line each, in the order of a list. Whatever is wrong with it, or of another
/// version, is no index.
struct LibraryIndex {
    struct Row {
        /// The record's file, and how that was when it was read.
        let file: String
        let stamp: String
        let entry: LibraryEntry
        var place = 0
    }

    var rows: [String: Row] = [:]

    private static let head = "sheets-index 1"
    private static let separator: UInt8 = 0x1F

    init(reading data: Data) {
        data.withUnsafeBytes { bytes in
            let head = Array(Self.head.utf8) + [0x0A]
            guard bytes.starts(with: head) else { return }
            rows.reserveCapacity(bytes.count / 256)
            var fields: [String] = []
            fields.reserveCapacity(Row.fieldCount)
            var (start, hasEscapes) = (head.count, false)
            // Byte by byte: this is most of the time that a list takes.
            for at in head.count..<bytes.count {
                switch bytes[at] {
                case 0x25: hasEscapes = true
                case Self.separator, 0x0A:
                    let text = String(decoding: UnsafeRawBufferPointer(rebasing: bytes[start..<at]), as: UTF8.self)
                    fields.append(hasEscapes ? Self.plain(text) : text)
                    (start, hasEscapes) = (at + 1, false)
                    guard bytes[at] == 0x0A else { continue }
                    if var row = Row(fields) {
                        row.place = rows.count
                        rows[row.file] = row
                    }
                    fields.removeAll(keepingCapacity: true)
                default: break
                }
            }
        }
    }

    static func data(_ rows: [Row]) -> Data {
        var text = head + "\n"
        for row in rows {
            text += row.fields.map(escaped).joined(separator: "\u{1F}")
            text += "\n"
        }
        return Data(text.utf8)
    }

    static func sorted(_ rows: [Row]) -> [Row] {
        rows.map { (name: $0.entry.name.lowercased(), id: $0.file, row: $0) }
            .sorted { ($0.name, $0.id) < ($1.name, $1.id) }
            .map(\.row)
    }

    private static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == separator || $0 == 0x0A || $0 == 0x25 }) else { return text }
        return text.replacingOccurrences(of: "%", with: "%25").replacingOccurrences(of: "\n", with: "%0A")
            .replacingOccurrences(of: "\u{1F}", with: "%1F")
    }

    private static func plain(_ text: String) -> String {
        text.replacingOccurrences(of: "%0A", with: "\n").replacingOccurrences(of: "%1F", with: "\u{1F}")
            .replacingOccurrences(of: "%25", with: "%")
    }
}

extension LibraryIndex.Row {
    fileprivate static let fieldCount = 20

    fileprivate var fields: [String] {
        let deprecation = entry.deprecation.flatMap { try? WireJSON.encoder().encode($0) }
        return [
            file, stamp, entry.id.description, entry.slug, entry.name, entry.gameSystem, entry.author, entry.license,
            entry.language, "\(entry.pageCount)", entry.server,
            entry.installedAt.map { "\($0.timeIntervalSinceReferenceDate)" } ?? "", entry.version?.description ?? "",
            entry.state?.rawValue ?? "", entry.sha256?.hex ?? "", entry.sizeBytes.map { "\($0)" } ?? "",
            entry.channel.rawValue, deprecation.map { String(decoding: $0, as: UTF8.self) } ?? "",
            entry.pinned ? "1" : "", entry.savedVersions.map(\.description).joined(separator: " "),
        ]
    }

    /// `nil` for a line that is not whole.
    fileprivate init?(_ fields: [String]) {
        guard fields.count == Self.fieldCount, let id = TemplateID(fields[2]), let pageCount = Int(fields[9]),
            let channel = ReleaseChannel(rawValue: fields[16])
        else { return nil }
        file = fields[0]
        stamp = fields[1]
        let deprecation =
            fields[17].isEmpty
            ? nil : try? WireJSON.decoder().decode(Deprecation.self, from: Data(fields[17].utf8))
        let version = SemanticVersion(fields[12])
        // Of most templates one version is kept: it need not be read twice.
        let saved =
            fields[19] == fields[12]
            ? [version].compactMap { $0 } : fields[19].split(separator: " ").compactMap { SemanticVersion(String($0)) }
        entry = LibraryEntry(
            id: id, slug: fields[3], name: fields[4], gameSystem: fields[5], author: fields[6], license: fields[7],
            language: fields[8], pageCount: pageCount, server: fields[10],
            installedAt: Double(fields[11]).map { Date(timeIntervalSinceReferenceDate: $0) },
            version: version, state: VersionState(rawValue: fields[13]),
            sha256: ContentHash(hex: fields[14]), sizeBytes: Int(fields[15]), channel: channel,
            deprecation: deprecation, pinned: fields[18] == "1", savedVersions: saved)
    }
}

extension LibraryEntry {
    fileprivate init(
        id: TemplateID, slug: String, name: String, gameSystem: String, author: String, license: String,
        language: String, pageCount: Int, server: String, installedAt: Date?, version: SemanticVersion?,
        state: VersionState?, sha256: ContentHash?, sizeBytes: Int?, channel: ReleaseChannel,
        deprecation: Deprecation?, pinned: Bool, savedVersions: [SemanticVersion]
    ) {
        (self.id, self.slug, self.name, self.gameSystem) = (id, slug, name, gameSystem)
        (self.author, self.license, self.language, self.pageCount) = (author, license, language, pageCount)
        (self.server, self.installedAt, self.version, self.state) = (server, installedAt, version, state)
        (self.sha256, self.sizeBytes, self.channel, self.deprecation) = (sha256, sizeBytes, channel, deprecation)
        (self.pinned, self.savedVersions) = (pinned, savedVersions)
    }
}
