// SPDX-License-Identifier: Apache-2.0
import MarketPlatform
import MarketWire
import SheetCore

/// What a submission says, complete and in order: what the template will say once it is published.
package struct UploadDraft: Equatable, Sendable {
    package var name: String
    package var summary: String
    package var description: String
    package var gameSystem: String
    package var tags: [String]
    package var license: String
    package var language: String
    package var version: SemanticVersion
    package var changelog: String
    package var channel = ReleaseChannel.stable
    package var minimumClientVersion: SemanticVersion?

    /// As it is stored and shown.
    package var metadata: UploadMetadata {
        UploadMetadata(
            name: name, summary: summary, description: description, gameSystem: gameSystem, tags: tags,
            license: license, language: language, version: version.description, changelog: changelog,
            channel: channel == .stable ? nil : channel.rawValue,
            minimumClientVersion: minimumClientVersion?.description)
    }
}

/// Looks through metadata and gathers everything that is wrong.
package struct DraftValidator {
    /// Most tags.
    static let maximumTags = 10
    /// Longest tag, in characters.
    static let maximumTagLength = 32

    package private(set) var validationErrors: [MetadataValidationError] = []
    private let metadata: UploadMetadata
    private let baseTemplate: UploadMetadata?

    /// The draft that `metadata` makes, what is absent taken from `baseTemplate`; throws all errors at once.
    /// Games and tags by former names are entered by their present ones.
    package static func draft(
        of metadata: UploadMetadata, baseTemplate: UploadMetadata? = nil, names: PresentNames
    ) async throws -> UploadDraft {
        var check = DraftValidator(metadata: metadata, baseTemplate: baseTemplate)
        let draft = check.draft()
        let slug = draft?.gameSystem ?? metadata.gameSystem ?? ""
        let gameSystem = try await slug.isEmpty ? slug : names.gameSystem(slug)
        if gameSystem == nil {
            check.validationErrors.append(
                MetadataValidationError(
                    pointer: "/gameSystem",
                    detail: "No game system is called '\(slug.prefix(64))'; GET /api/v1/game-systems lists them all.",
                    code: .unknownGameSystem))
        }
        guard var draft, check.validationErrors.isEmpty else {
            throw CatalogError.invalidMetadata(check.validationErrors)
        }
        draft.gameSystem = gameSystem ?? slug
        draft.tags = try await names.tags(draft.tags)
        return draft
    }

    private init(metadata: UploadMetadata, baseTemplate: UploadMetadata?) {
        self.metadata = metadata
        self.baseTemplate = baseTemplate
    }

    private mutating func draft() -> UploadDraft? {
        let name = line("name", metadata.name ?? baseTemplate?.name, 3...80)
        let summary = line("summary", metadata.summary ?? baseTemplate?.summary, 1...200)
        let description = text("description", metadata.description ?? baseTemplate?.description, most: 20_000)
        let changelog = text("changelog", metadata.changelog, most: 10_000)
        let gameSystem = gameSystem()
        let tags = tags()
        let license = license()
        let language = language()
        let minimum = minimumClientVersion()
        let version = version()
        let channel = channel(of: version)
        guard let version, validationErrors.isEmpty else { return nil }
        return UploadDraft(
            name: name, summary: summary, description: description, gameSystem: gameSystem, tags: tags,
            license: license, language: language, version: version, changelog: changelog, channel: channel,
            minimumClientVersion: minimum)
    }

    private mutating func channel(of version: SemanticVersion?) -> ReleaseChannel {
        let isPrerelease = version?.isPrerelease ?? false
        guard let given = metadata.channel?.cleanedLine(), !given.isEmpty else { return isPrerelease ? .beta : .stable }
        guard let channel = ReleaseChannel(rawValue: given) else {
            reject("channel", "'stable' or 'beta'.")
            return .stable
        }
        if isPrerelease && channel == .stable {
            reject("channel", "A pre-release can only be offered as a beta.")
        }
        return channel
    }

    private mutating func minimumClientVersion() -> SemanticVersion? {
        guard let given = metadata.minimumClientVersion?.cleanedLine(), !given.isEmpty else { return nil }
        guard let version = SemanticVersion(given) else {
            reject("minimumClientVersion", "Not a Semantic Versioning 2.0 number; a well-formed one is '1.4.0'.")
            return nil
        }
        return version
    }

    private mutating func reject(_ member: String, _ detail: String, _ code: ErrorCode = .validationFailed) {
        validationErrors.append(MetadataValidationError(pointer: "/\(member)", detail: detail, code: code))
    }

    /// Lengths count Unicode scalars: a character may have any number of marks on it.
    private mutating func line(_ member: String, _ value: String?, _ lengths: ClosedRange<Int>) -> String {
        guard let value else {
            reject(member, "This is missing.")
            return ""
        }
        let line = value.cleanedLine()
        if !lengths.contains(line.unicodeScalars.count) {
            reject(member, "From \(lengths.lowerBound) to \(lengths.upperBound) characters.")
        }
        return line
    }

    private mutating func text(_ member: String, _ value: String?, most: Int) -> String {
        let text = (value ?? "").cleanedText()
        if text.unicodeScalars.count > most { reject(member, "At most \(most) characters.") }
        return text
    }

    private mutating func gameSystem() -> String {
        guard let slug = (metadata.gameSystem ?? baseTemplate?.gameSystem)?.cleanedLine(), !slug.isEmpty else {
            reject("gameSystem", "This is missing; GET /api/v1/game-systems lists the slugs.")
            return ""
        }
        return slug
    }

    /// What a tag may be.
    static let tagRule = "Lower-case letters, digits and single hyphens, at most \(maximumTagLength) of them."

    /// A tag as it is stored; `nil` for what can be none.
    package static func tag(_ given: String) -> String? {
        let tag = given.cleanedLine().lowercased()
        return Slug(tag) == nil || tag.utf8.count > maximumTagLength ? nil : tag
    }

    private mutating func tags() -> [String] {
        var tags: [String] = []
        for (index, given) in (metadata.tags ?? baseTemplate?.tags ?? []).enumerated() {
            if let tag = Self.tag(given) {
                if !tags.contains(tag) { tags.append(tag) }
            } else {
                reject("tags/\(index)", Self.tagRule)
            }
            if index > 99 { break }
        }
        if tags.count > Self.maximumTags { reject("tags", "At most \(Self.maximumTags) tags.") }
        return tags
    }

    private mutating func license() -> String {
        guard let given = (metadata.license ?? baseTemplate?.license)?.cleanedLine(), !given.isEmpty else {
            reject("license", "This is missing; an SPDX identifier such as 'CC-BY-4.0'.")
            return ""
        }
        guard let license = LicenseCatalog.identifier(given) else {
            reject("license", "Not an SPDX identifier that is taken here; usual ones are 'CC-BY-4.0' and 'CC0-1.0'.")
            return ""
        }
        return license
    }

    private mutating func language() -> String {
        guard let given = (metadata.language ?? baseTemplate?.language)?.cleanedLine(), !given.isEmpty else {
            reject("language", "This is missing; a language tag such as 'en' or 'pt-BR' (BCP 47).")
            return ""
        }
        guard let tag = LanguageRegistry.standard.tag(for: given) else {
            reject(
                "language",
                "No language that IANA's registry knows; write a tag such as 'en' or 'pt-BR', or 'German'.")
            return ""
        }
        return tag.text
    }

    private mutating func version() -> SemanticVersion? {
        guard let given = metadata.version?.cleanedLine(), !given.isEmpty else {
            reject("version", "This is missing; a Semantic Versioning 2.0 number such as '1.0.0'.", .badVersion)
            return nil
        }
        guard let version = SemanticVersion(given) else {
            reject(
                "version", "Not a Semantic Versioning 2.0 number; well-formed ones are '1.0.0' and '2.1.0-beta.1'.",
                .badVersion)
            return nil
        }
        return version
    }
}
