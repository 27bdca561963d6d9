// SPDX-License-Identifier: Apache-2.0

/// A readable rendering of a template that has no pages to look at: sections with rows, as plain text.
public struct ContentOutline: Sendable, Codable, Equatable {
    /// A part under a heading.
    public struct Section: Sendable, Codable, Equatable {
        /// The title that people see.
        public var title: String
        /// In the file's order.
        public var rows: [Row]
        /// How many more rows the file has here.
        public var omitted: Int

        public init(title: String, rows: [Row], omitted: Int = 0) {
            self.title = title
            self.rows = rows
            self.omitted = omitted
        }

        /// Reads a section; a missing `omitted` means none.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            title = try container.decode(String.self, forKey: .title)
            rows = try container.decode([Row].self, forKey: .rows)
            omitted = try container.decodeIfPresent(Int.self, forKey: .omitted) ?? 0
        }
    }

    /// One thing in the file.
    public struct Row: Sendable, Codable, Equatable {
        /// What it is called.
        public var label: String
        /// What else there is to know of it; may be empty.
        public var detail: String

        public init(_ label: String, _ detail: String = "") {
            self.label = label
            self.detail = detail
        }

        /// Reads a row; a missing `detail` is empty.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            label = try container.decode(String.self, forKey: .label)
            detail = try container.decodeIfPresent(String.self, forKey: .detail) ?? ""
        }

        private enum CodingKeys: String, CodingKey { case label, detail }
    }

    /// The whole in one sentence.
    public var summary: String
    /// In order.
    public var sections: [Section]

    /// Most sections.
    public static let maximumSections = 100
    /// Most rows, in all sections together.
    public static let maximumRows = 1000
    /// Longest heading, label and sentence, in characters.
    public static let maximumLineLength = 160
    /// Longest detail, in characters.
    public static let maximumDetailLength = 400

    public init(summary: String, sections: [Section]) {
        self.summary = summary
        self.sections = sections
    }

    /// Shortened and cleaned until it keeps to the limits.
    public init(cutting summary: String, sections: [Section]) {
        self.summary = PlainText.cleaned(summary, most: Self.maximumLineLength)
        var room = Self.maximumRows
        self.sections = sections.filter { !$0.rows.isEmpty }.prefix(Self.maximumSections).map { section in
            let rows = section.rows.prefix(room).map { row in
                Row(
                    PlainText.cleaned(row.label, most: Self.maximumLineLength),
                    PlainText.cleaned(row.detail, most: Self.maximumDetailLength))
            }
            room -= rows.count
            return Section(
                title: PlainText.cleaned(section.title, most: Self.maximumLineLength), rows: rows,
                omitted: section.omitted + section.rows.count - rows.count)
        }
    }

    /// Whether it keeps to all limits, as whoever takes one from a stranger wants to know.
    public var isWithinLimits: Bool {
        func isLine(_ text: String, _ most: Int) -> Bool {
            text.count <= most && text.utf8.count <= 16 * most && PlainText.isPlain(text)
        }
        guard isLine(summary, Self.maximumLineLength), sections.count <= Self.maximumSections,
            sections.reduce(0, { $0 + min($1.rows.count, Self.maximumRows + 1) }) <= Self.maximumRows
        else { return false }
        return sections.allSatisfy { section in
            isLine(section.title, Self.maximumLineLength) && (0...100_000_000).contains(section.omitted)
                && section.rows.allSatisfy {
                    isLine($0.label, Self.maximumLineLength) && isLine($0.detail, Self.maximumDetailLength)
                }
        }
    }
}

/// What a file says of the template in it: proposals for whatever its uploader left open.
public struct DraftMetadata: Sendable, Codable, Equatable {
    /// What people call it; unchanged or none where absent.
    public var name: String?
    /// One sentence about it.
    public var summary: String?
    /// Markdown.
    public var description: String?
    /// The game system's slug.
    public var gameSystem: String?
    /// Words to find it by.
    public var tags: [String]?
    /// SPDX identifier.
    public var license: String?
    /// BCP 47 tag.
    public var language: String?
    /// Semantic Versioning 2.0.
    public var version: String?
    /// Markdown.
    public var changelog: String?

    public init(
        name: String? = nil, summary: String? = nil, description: String? = nil, gameSystem: String? = nil,
        tags: [String]? = nil, license: String? = nil, language: String? = nil, version: String? = nil,
        changelog: String? = nil
    ) {
        self.name = name
        self.summary = summary
        self.description = description
        self.gameSystem = gameSystem
        self.tags = tags
        self.license = license
        self.language = language
        self.version = version
        self.changelog = changelog
    }

    /// Cleaned and shortened to what a template may say; what is left empty by that is absent.
    public var cleaned: DraftMetadata {
        func line(_ text: String?, _ most: Int) -> String? {
            text.map { PlainText.cleaned($0, most: most) }.flatMap { $0.isEmpty ? nil : $0 }
        }
        func prose(_ text: String?, _ most: Int) -> String? {
            text.map { PlainText.cleaned($0, most: most, lines: true) }.flatMap { $0.isEmpty ? nil : $0 }
        }
        let tags = tags?.prefix(100).map { PlainText.cleaned($0, most: 32).lowercased() }.filter { Slug($0) != nil }
        return DraftMetadata(
            name: line(name, 80), summary: line(summary, 200), description: prose(description, 20_000),
            gameSystem: line(gameSystem, 64), tags: tags.flatMap { $0.isEmpty ? nil : Array($0.prefix(10)) },
            license: line(license, 64), language: line(language, 35), version: line(version, 64),
            changelog: prose(changelog, 10_000))
    }
}
