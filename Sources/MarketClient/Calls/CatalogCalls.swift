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
    /// Whether the list says what it is made of, by system, tag, licence and more: in `TemplateList.facets` of a page.
    public var wantsFacets = false
    /// Templates per page, 1…100.
    public var limit: Int?

    /// Everything; set what you want to narrow.
    public init(words: String? = nil, gameSystem: String? = nil, sort: Sort? = nil, limit: Int? = nil) {
        self.words = words
        self.gameSystem = gameSystem
        self.sort = sort
        self.limit = limit
    }

    func items(cursor: String?) -> Call.Query {
        var items: Call.Query = [("q", words), ("literal", isLiteral ? "true" : nil), ("gameSystem", gameSystem)]
        for tag in tags { items.append(("tag", tag)) }
        let others: Call.Query = [
            ("author", author), ("license", license), ("language", language), ("kind", kind?.rawValue),
            ("fillable", isFillable?.description), ("minRating", minimumRating?.description),
            ("minPages", minimumPages?.description), ("maxPages", maximumPages?.description),
            ("sort", sort?.rawValue), ("facets", wantsFacets ? "true" : nil), ("limit", limit?.description),
            ("cursor", cursor),
        ]
        return items + others
    }
}

extension ReleaseChannel {
    /// What an address says of it: `stable` is meant where nothing is said.
    fileprivate var parameter: String? { self == .stable ? nil : rawValue }
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

    /// A template by id or slug, with the version that is offered on a channel; unless it must be `offered`, with the newest
    /// that can be had by its number while none is.
    public func template(
        _ key: String, channel: ReleaseChannel = .stable, offered: Bool = true
    ) async throws -> TemplateDetail {
        let query = [("channel", channel.parameter), ("offered", offered ? nil : "false")]
        return try await requests.json(.get(try templatePath(key), query))
    }

    /// The same for who names a `version`, which can be had though nothing is on offer any more.
    public func template(
        _ key: String, naming version: SemanticVersion?, channel: ReleaseChannel = .stable
    ) async throws -> TemplateDetail {
        do {
            return try await template(key, channel: channel)
        } catch let absence as MarketClientError where absence.code == .notFound && version != nil {
            do {
                return try await template(key, channel: channel, offered: false)
            } catch let error as MarketClientError where error.code == .unknownParameter {
                // A market of before there was this question: then there is nothing, as it said.
                throw absence
            }
        }
    }

    /// All versions of a template, newest first; those in one state or of one channel alone, if wanted. What was taken down
    /// is never listed.
    public func versions(
        of key: String, state: VersionState? = nil, channel: ReleaseChannel? = nil, limit: Int? = nil
    ) async throws -> [VersionDetail] {
        let list: CursorSequence<VersionDetail> = entries(
            try templatePath(key) + "/versions", [("state", state?.rawValue), ("channel", channel?.rawValue)],
            limit: limit, as: VersionList.self
        ) { ($0.versions, $0.nextCursor) }
        return try await list.all(by: { $0.version })
    }

    /// Templates that are like this one, the nearest first.
    public func similar(to key: String) async throws -> [TemplateSummary] {
        try await requests.json(.get(try templatePath(key) + "/similar"), as: SimilarList.self).templates
    }

    /// What the words that were begun may mean.
    public func suggestions(for text: String) async throws -> SuggestionList {
        try await requests.json(.get("\(Paths.base)/suggest", [("q", text)]))
    }

    /// One version; `latest` works too, here and in the other calls, and means the version that is offered on the channel.
    public func version(
        _ version: String, of key: String, channel: ReleaseChannel = .stable
    ) async throws -> VersionDetail {
        try await requests.json(.get(try versionPath(key, version), [("channel", channel.parameter)]))
    }

    /// The zoom regions of a version, per page.
    public func regions(of key: String, version: String, channel: ReleaseChannel = .stable) async throws -> RegionList {
        let path = try versionPath(key, version) + "/regions"
        return try await requests.json(.get(path, [("channel", channel.parameter)]))
    }

    /// The readable rendering of a version of a kind without pages; `nil` when it has none.
    public func outline(
        of key: String, version: String, channel: ReleaseChannel = .stable
    ) async throws -> ContentOutline? {
        let path = try versionPath(key, version) + "/outline"
        do {
            return try await requests.json(.get(path, [("channel", channel.parameter)]))
        } catch let error as MarketClientError where error.code == .notFound {
            return nil
        }
    }

    /// A picture of a page, by the address that a list or a version gives for it.
    public func picture(at address: String, width: Int? = nil) async throws -> PagePicture {
        try await picture(at: address, [("width", width?.description)])
    }

    private func picture(at address: String, _ query: Call.Query) async throws -> PagePicture {
        guard var url = server.resolve(address) else {
            throw MarketClientError.unreadableAnswer("'\(address)' is not the address of a picture")
        }
        var call = Call.get("", query)
        if !call.queryItems.isEmpty { url.append(queryItems: call.queryItems) }
        call.headers[.accept] = "image/*"
        let response = try await requests.send(call, to: url)
        let data = try await requests.collect(response, upTo: Self.maximumPictureBytes)
        let type = response.headers[.contentType] ?? "application/octet-stream"
        return PagePicture(data: data, mediaType: type)
    }

    /// A picture of a version's page, counted from 0, of the width that is nearest from above.
    public func pagePicture(
        of key: String, version: String, page: Int, width: Int? = nil, channel: ReleaseChannel = .stable
    ) async throws -> PagePicture {
        let path = Paths.preview(try Self.segment(key), try Self.segment(version), page: page)
        return try await picture(at: path, [("channel", channel.parameter), ("width", width?.description)])
    }

    /// A signed address for a version's file.
    public func downloadTicket(
        for key: String, version: String, channel: ReleaseChannel = .stable
    ) async throws -> DownloadTicket {
        let path = try versionPath(key, version) + "/download"
        return try await requests.json(.get(path, [("channel", channel.parameter), ("redirect", "false")]))
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
        try await requests.json(try .send(.patch, try templatePath(key), patch))
    }

    /// Takes a version out of offer; it stays downloadable by its exact number.
    public func yank(
        _ version: String, of key: String, reason: String?, channel: ReleaseChannel = .stable
    ) async throws -> VersionDetail {
        try await change(.post, try versionPath(key, version) + "/yank", YankRequest(reason: reason), channel)
    }

    /// Offers a yanked version again.
    public func unyank(
        _ version: String, of key: String, channel: ReleaseChannel = .stable
    ) async throws -> VersionDetail {
        try await change(.post, try versionPath(key, version) + "/unyank", nil, channel)
    }

    /// Offers a version on another channel; `source` is the one whose `latest` is meant.
    public func setChannel(
        of version: String, of key: String, to channel: ReleaseChannel, from source: ReleaseChannel = .stable
    ) async throws -> VersionDetail {
        try await change(.put, try versionPath(key, version) + "/channel", ChannelRequest(channel: channel), source)
    }

    /// Changes a version. Afterwards `latest` may be another: so the change's own answer tells how it went, and is the answer
    /// to a second try as well.
    private func change<Answer: Decodable>(
        _ method: HTTPRequest.Method, _ path: String, _ value: (any Encodable & Sendable)?, _ channel: ReleaseChannel
    ) async throws -> Answer {
        try await requests.json(try .send(method, path, value, query: [("channel", channel.parameter)]))
    }

    /// Says that a template should no longer be used; `successor` is the slug or id of the one to use instead.
    public func deprecate(_ key: String, message: String, successor: String? = nil) async throws -> TemplateDetail {
        let wish = DeprecationRequest(message: message, successor: successor)
        return try await requests.json(try .send(.put, try templatePath(key) + "/deprecation", wish, repeatable: true))
    }

    /// Says that a template can be used again.
    public func undeprecate(_ key: String) async throws -> TemplateDetail {
        try await requests.json(try .send(.delete, try templatePath(key) + "/deprecation", repeatable: true))
    }

    /// Whether the operator may train the finding of zoom regions with the caller's template.
    public func trainingConsent(of key: String) async throws -> TrainingConsent {
        try await requests.json(.get(try templatePath(key) + "/training"))
    }

    /// Allows that, or no longer.
    public func setTrainingConsent(_ isGiven: Bool, of key: String) async throws {
        let consent = TrainingConsent(isGiven: isGiven)
        try await requests.discard(try .send(.put, try templatePath(key) + "/training", consent, repeatable: true))
    }

    /// Puts corrected zoom regions in the place of a version's.
    public func correctRegions(
        of key: String, version: String, to regions: RegionList, channel: ReleaseChannel = .stable
    ) async throws -> RegionList {
        try await change(.put, try versionPath(key, version) + "/regions", regions, channel)
    }

    func templatePath(_ key: String) throws -> String { Paths.template(try Self.segment(key)) }

    func versionPath(_ key: String, _ version: String) throws -> String {
        Paths.version(try Self.segment(key), try Self.segment(version))
    }
}
