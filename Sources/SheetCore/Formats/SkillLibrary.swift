// SPDX-License-Identifier: Apache-2.0

/// A library of skill templates, `.fstemplate` in format version 1.0: skills that a group made itself (`local`) and
/// skills that it took from other libraries (`imported`).
public struct SkillLibrary: JSONFormat, Equatable {
    /// Where a skill comes from.
    public enum Scope: String, Sendable, Codable {
        /// Made in this library.
        case local
        /// Taken from another library.
        case imported
    }

    /// The library that an imported skill was taken from.
    public struct Source: Sendable, Codable, Equatable {
        /// The library's id.
        public var library: String
        /// The library's version.
        public var version: String?

        public init(library: String, version: String? = nil) {
            self.library = library
            self.version = version
        }
    }

    /// One skill, as the library has it.
    public struct Skill: Sendable, Codable, Equatable {
        /// Its identifier.
        public var id: String
        /// What people call it.
        public var name: String
        /// Whom it is for.
        public var scope: Scope
        /// A word that groups them.
        public var category: String?
        /// The ability that it goes with.
        public var attribute: String?
        /// More about it.
        public var description: String?
        /// The highest rank.
        public var maximumRank: Int?
        /// Ids of skills of this library that are needed first.
        public var prerequisites: [String]?
        /// Words to find it by.
        public var tags: [String]?
        /// For an imported skill.
        public var source: Source?

        public init(
            id: String, name: String, scope: Scope = .local, category: String? = nil, attribute: String? = nil,
            description: String? = nil, maximumRank: Int? = nil, prerequisites: [String]? = nil,
            tags: [String]? = nil, source: Source? = nil
        ) {
            self.id = id
            self.name = name
            self.scope = scope
            self.category = category
            self.attribute = attribute
            self.description = description
            self.maximumRank = maximumRank
            self.prerequisites = prerequisites
            self.tags = tags
            self.source = source
        }
    }

    /// `1.0`.
    public var formatVersion: String
    /// What people call it.
    public var name: String
    /// More about it.
    public var description: String?
    /// The game system's slug.
    public var gameSystem: String?
    /// BCP 47 tag.
    public var language: String?
    /// The skills, in their order.
    public var templates: [Skill]

    /// The format version that is read and written here.
    public static let formatVersion = "1.0"
    /// What the market calls a template that holds one.
    public static let kind = TemplateKind.skillLibrary
    /// 8 MiB.
    public static let maximumBytes = 8 << 20
    /// Most skills.
    public static let maximumSkills = 5000

    public init(
        name: String, description: String? = nil, gameSystem: String? = nil, language: String? = nil,
        templates: [Skill]
    ) {
        formatVersion = Self.formatVersion
        self.name = name
        self.description = description
        self.gameSystem = gameSystem
        self.language = language
        self.templates = templates
    }

    /// Throws what is wrong with it first.
    public func check() throws(FormatFailure) {
        guard formatVersion == Self.formatVersion else {
            let shown = PlainText.cleaned(formatVersion, most: 20)
            throw FormatFailure("/formatVersion", "Only '\(Self.formatVersion)' is read here; this says '\(shown)'.")
        }
        var check = FormatCheck()
        check.line(name, most: 120, "/name")
        check.text(description, most: 20_000, "/description")
        check.require(
            (1...Self.maximumSkills).contains(templates.count), "/templates",
            "From 1 to \(Self.maximumSkills) skills.")
        let ids = Set(templates.map(\.id))
        var seen: Set<String> = []
        for (index, skill) in templates.prefix(Self.maximumSkills).enumerated() {
            let place = "/templates/\(index)"
            check.line(skill.id, most: 100, "\(place)/id")
            check.require(seen.insert(skill.id).inserted, "\(place)/id", "Another skill has this id.")
            check.line(skill.name, most: 120, "\(place)/name")
            check.line(skill.category, most: 80, "\(place)/category", isNeeded: false)
            check.line(skill.attribute, most: 80, "\(place)/attribute", isNeeded: false)
            check.text(skill.description, most: 5000, "\(place)/description")
            check.require(
                skill.maximumRank.map { (0...1000).contains($0) } ?? true, "\(place)/maximumRank", "From 0 to 1000.")
            check.require(
                (skill.prerequisites ?? []).allSatisfy { ids.contains($0) && $0 != skill.id },
                "\(place)/prerequisites", "Ids of other skills of this library.")
            for tag in (skill.tags ?? []).prefix(50) { check.line(tag, most: 40, "\(place)/tags") }
            check.require((skill.tags ?? []).count <= 50, "\(place)/tags", "At most 50 tags.")
            let sourceName = skill.source?.library
            check.line(sourceName, most: 120, "\(place)/source/library", isNeeded: skill.scope == .imported)
            check.line(skill.source?.version, most: 64, "\(place)/source/version", isNeeded: false)
        }
        try check.finish()
    }

    /// Local skills by category, imported ones by their library.
    public var outline: ContentOutline {
        var order: [String] = []
        var rows: [String: [ContentOutline.Row]] = [:]
        for scope in [Scope.local, .imported] {
            for skill in templates where skill.scope == scope {
                let title =
                    switch scope {
                    case .local: skill.category ?? "Skills"
                    case .imported: "Imported from \(skill.source?.library ?? "another library")"
                    }
                if rows[title] == nil { order.append(title) }
                rows[title, default: []].append(.init(skill.name, Self.detail(skill)))
            }
        }
        let imported = templates.count { $0.scope == .imported }
        return ContentOutline(
            cutting: "\(templates.count) skills: \(templates.count - imported) local, \(imported) imported.",
            sections: order.map { .init(title: $0, rows: rows[$0] ?? []) })
    }

    /// What the file says of itself.
    public var metadata: DraftMetadata {
        DraftMetadata(
            name: name, summary: outline.summary, description: description, gameSystem: gameSystem, language: language)
    }

    private static func detail(_ skill: Skill) -> String {
        var parts: [String] = []
        if let attribute = skill.attribute, !attribute.isEmpty { parts.append(attribute) }
        if let rank = skill.maximumRank { parts.append("up to rank \(rank)") }
        if let description = skill.description, !description.isEmpty { parts.append(description) }
        return parts.joined(separator: "; ")
    }
}
