// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import MarketWire
import SheetCore

/// What to look for in the catalog; everything is optional.
public struct TemplateQuery: Sendable, Equatable {
    /// The order of the answer.
    public enum Sort: String, Sendable, CaseIterable {
        /// Nearest to the words; without words it is `updated`.
        case relevance
        /// Published last, by the first version.
        case newest
        /// Changed last, by a new version or another description.
        case updated
        /// Downloaded most often, of all time.
        case downloads
        /// Rated best, by the lower bound of the rating: many good ratings come before a single best one.
        case rating
        /// Downloaded most lately: a download counts half after a week.
        case trending
        /// From A to Z.
        case name
    }

    /// Words; typing errors are forgiven.
    public var words: String?
    /// Whether the words are looked up as they stand, typing errors and all.
    public var isLiteral = false
    /// A game system's slug.
    public var gameSystem: String?
    /// Only with all of these tags.
    public var tags: [String] = []
    /// An owner's handle.
    public var author: String?
    /// Only of this licence: an SPDX identifier.
    public var license: String?
    /// Only in this language: a BCP 47 tag.
    public var language: String?
    /// Only of this kind.
    public var kind: TemplateKind?
    /// Whether there are form fields to fill in.
    public var isFillable: Bool?
    /// At least this many stars.
    public var minimumRating: Double?
    /// At least this many pages.
    public var minimumPages: Int?
    /// At most this many pages.
    public var maximumPages: Int?
    /// In which order; by relevance or novelty where absent.
    public var sort: Sort?
    /// Templates per page, 1…100.
    public var limit: Int?

    /// Everything; set what you want to narrow.
    public init(words: String? = nil, gameSystem: String? = nil, sort: Sort? = nil, limit: Int? = nil) {
        self.words = words
        self.gameSystem = gameSystem
        self.sort = sort
        self.limit = limit
    }

    func items(cursor: String?) -> [(name: String, value: String)] {
        var items: [(name: String, value: String)] = []
        func add(_ name: String, _ value: String?) {
            if let value { items.append((name, value)) }
        }
        add("q", words)
        add("literal", isLiteral ? "true" : nil)
        add("gameSystem", gameSystem)
        for tag in tags { add("tag", tag) }
        add("author", author)
        add("license", license)
        add("language", language)
        add("kind", kind?.rawValue)
        add("fillable", isFillable.map { "\($0)" })
        add("minRating", minimumRating.map { String($0) })
        add("minPages", minimumPages.map { String($0) })
        add("maxPages", maximumPages.map { String($0) })
        add("sort", sort?.rawValue)
        add("limit", limit.map { String($0) })
        add("cursor", cursor)
        return items
    }
}

/// A page of a template as the market drew it.
public struct PagePicture: Sendable, Equatable {
    /// The bytes.
    public var data: Data
    /// Media type (RFC 9110, section 8.3).
    public var mediaType: String

    public init(data: Data, mediaType: String) {
        self.data = data
        self.mediaType = mediaType
    }
}

extension MarketClient {
    /// Largest picture that is taken.
    public static let maximumPictureBytes = 16 << 20

    /// All game systems, with how many templates each has.
    public func gameSystems() async throws -> [GameSystem] {
        try await requests.json(.get("\(Paths.base)/game-systems"), as: GameSystemList.self).gameSystems
    }

    /// One page of the catalog.
    public func templatePage(matching query: TemplateQuery = .init(), cursor: String? = nil) async throws
        -> TemplateList
    {
        try await requests.json(.get("\(Paths.base)/templates", query.items(cursor: cursor)))
    }

    /// All of the catalog that matches, page by page as it is read.
    public func templates(matching query: TemplateQuery = .init()) -> CursorSequence<TemplateSummary> {
        CursorSequence { cursor in
            let page = try await templatePage(matching: query, cursor: cursor)
            return (page.templates, page.nextCursor)
        }
    }

    /// A template by id or slug, with the version that is offered on a channel.
    public func template(_ key: String, channel: ReleaseChannel = .stable) async throws -> TemplateDetail {
        let query = channel == .stable ? [] : [(name: "channel", value: channel.rawValue)]
        return try await requests.json(.get(Paths.template(try Self.segment(key)), query))
    }

    /// All versions of a template, newest first; those in one state or of one channel alone, if wanted. What was taken down
    /// is never listed.
    public func versions(
        of key: String, state: VersionState? = nil, channel: ReleaseChannel? = nil
    ) async throws -> [VersionDetail] {
        let path = Paths.template(try Self.segment(key)) + "/versions"
        let filter = [("state", state?.rawValue), ("channel", channel?.rawValue)].compactMap { name, value in
            value.map { (name: name, value: $0) }
        }
        return try await CursorSequence<VersionDetail> { cursor in
            let query = filter + Self.page(cursor, nil)
            let page = try await requests.json(.get(path, query), as: VersionList.self)
            return (page.versions, page.nextCursor)
        }.all(by: { $0.version })
    }

    /// Templates that are like this one, the nearest first.
    public func similar(to key: String) async throws -> [TemplateSummary] {
        let path = Paths.template(try Self.segment(key)) + "/similar"
        return try await requests.json(.get(path), as: SimilarList.self).templates
    }

    /// What the words that were begun may mean.
    public func suggestions(for text: String) async throws -> SuggestionList {
        try await requests.json(.get("\(Paths.base)/suggest", [("q", text)]))
    }

    /// One version; `latest` works too.
    public func version(_ version: String, of key: String) async throws -> VersionDetail {
        try await requests.json(.get(try versionPath(key, version)))
    }

    /// The zoom regions of a version, per page.
    public func regions(of key: String, version: String) async throws -> RegionList {
        try await requests.json(.get(try versionPath(key, version) + "/regions"))
    }

    /// The readable rendering of a version of a kind without pages; `nil` when it has none.
    public func outline(of key: String, version: String) async throws -> ContentOutline? {
        do {
            return try await requests.json(.get(try versionPath(key, version) + "/outline"))
        } catch let error as MarketClientError where error.code == .notFound {
            return nil
        }
    }

    /// A picture of a page, by the address that a list or a version gives for it.
    public func picture(at address: String, width: Int? = nil) async throws -> PagePicture {
        guard var url = server.resolve(address) else {
            throw MarketClientError.unreadableAnswer("'\(address)' is not the address of a picture")
        }
        if let width { url.append(queryItems: [URLQueryItem(name: "width", value: String(width))]) }
        var call = Call.get("")
        call.headers[.accept] = "image/*"
        let response = try await requests.send(call, to: url)
        let data = try await requests.collect(response, upTo: Self.maximumPictureBytes)
        let type = response.headers[.contentType] ?? "application/octet-stream"
        return PagePicture(data: data, mediaType: type)
    }

    /// A picture of a version's page, counted from 0, of the width that is nearest from above.
    public func pagePicture(of key: String, version: String, page: Int, width: Int? = nil) async throws -> PagePicture {
        let path = Paths.preview(try Self.segment(key), try Self.segment(version), page: page)
        return try await picture(at: path, width: width)
    }

    /// A signed address for a version's file.
    public func downloadTicket(for key: String, version: String) async throws -> DownloadTicket {
        try await requests.json(.get(try versionPath(key, version) + "/download", [("redirect", "false")]))
    }

    /// What installing many templates needs, in their order: each with its version on offer, zoom regions and a signed
    /// address, and the first page's picture if wanted; `nil` where the template itself must be asked for. Asks as often as
    /// the server's limit needs.
    public func installs(
        of templates: [String], channel: ReleaseChannel = .stable, withPictures: Bool = false
    ) async throws -> [InstallReport.Offer?] {
        let size = InstallQuery.maximumCount
        let parts = stride(from: 0, to: templates.count, by: size).map { Array(templates[$0...].prefix(size)) }
        return try await inParallel(parts) { part in
            let query = InstallQuery(
                templates: part, channel: channel == .stable ? nil : channel, pictures: withPictures ? true : nil)
            let call = try Call.send(.post, "\(Paths.base)/installs", query, repeatable: true)
            let offers = try await requests.json(call, as: InstallReport.self).installs.map(\.offer)
            guard offers.count == part.count else {
                throw MarketClientError.unreadableAnswer("\(call.path) told of \(offers.count), not \(part.count)")
            }
            return offers
        }.flatMap { $0 }
    }

    /// What is to be known of installed templates, in their order; asks as often as the server's limit needs.
    public func updates(
        for installed: [UpdateQuery.Installed], channel: ReleaseChannel = .stable
    ) async throws -> [UpdateReport.Entry] {
        var entries: [UpdateReport.Entry] = []
        var rest = installed[...]
        while !rest.isEmpty {
            let query = UpdateQuery(
                installed: Array(rest.prefix(UpdateQuery.maximumCount)), channel: channel == .stable ? nil : channel)
            rest = rest.dropFirst(UpdateQuery.maximumCount)
            let call = try Call.send(.post, "\(Paths.base)/updates", query, repeatable: true)
            entries += try await requests.json(call, as: UpdateReport.self).updates
        }
        return entries
    }

    /// The owner's edit of a template.
    public func edit(_ key: String, _ patch: TemplatePatch) async throws -> TemplateDetail {
        try await requests.discard(try .send(.patch, Paths.template(try Self.segment(key)), patch))
        return try await template(key)
    }

    /// Takes a version out of offer; it stays downloadable by its exact number.
    public func yank(_ version: String, of key: String, reason: String?) async throws -> VersionDetail {
        let path = try versionPath(key, version) + "/yank"
        try await requests.discard(try .send(.post, path, YankRequest(reason: reason), repeatable: true))
        return try await self.version(version, of: key)
    }

    /// Offers a yanked version again.
    public func unyank(_ version: String, of key: String) async throws -> VersionDetail {
        try await requests.discard(try .send(.post, try versionPath(key, version) + "/unyank", repeatable: true))
        return try await self.version(version, of: key)
    }

    /// Offers a version on another channel.
    public func setChannel(
        of version: String, of key: String, to channel: ReleaseChannel
    ) async throws -> VersionDetail {
        let path = try versionPath(key, version) + "/channel"
        try await requests.discard(try .send(.put, path, ChannelRequest(channel: channel), repeatable: true))
        return try await self.version(version, of: key)
    }

    /// Says that a template should no longer be used; `successor` is the slug or id of the one to use instead.
    public func deprecate(_ key: String, message: String, successor: String? = nil) async throws -> TemplateDetail {
        let path = Paths.template(try Self.segment(key)) + "/deprecation"
        let wish = DeprecationRequest(message: message, successor: successor)
        try await requests.discard(try .send(.put, path, wish, repeatable: true))
        return try await template(key)
    }

    /// Says that a template can be used again.
    public func undeprecate(_ key: String) async throws -> TemplateDetail {
        let path = Paths.template(try Self.segment(key)) + "/deprecation"
        try await requests.discard(try .send(.delete, path, repeatable: true))
        return try await template(key)
    }

    /// Whether the operator may train the finding of zoom regions with the caller's template.
    public func trainingConsent(of key: String) async throws -> TrainingConsent {
        try await requests.json(.get(Paths.template(try Self.segment(key)) + "/training"))
    }

    /// Allows that, or no longer.
    public func setTrainingConsent(_ isGiven: Bool, of key: String) async throws {
        let path = Paths.template(try Self.segment(key)) + "/training"
        try await requests.discard(try .send(.put, path, TrainingConsent(isGiven: isGiven), repeatable: true))
    }

    /// Puts corrected zoom regions in the place of a version's.
    public func correctRegions(of key: String, version: String, to regions: RegionList) async throws -> RegionList {
        let path = try versionPath(key, version) + "/regions"
        try await requests.discard(try .send(.put, path, regions, repeatable: true))
        return try await self.regions(of: key, version: version)
    }

    func versionPath(_ key: String, _ version: String) throws -> String {
        Paths.version(try Self.segment(key), try Self.segment(version))
    }
}
