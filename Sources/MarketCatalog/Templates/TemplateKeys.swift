// SPDX-License-Identifier: Apache-2.0
import Hummingbird
import MarketHTTP
import MarketWire
import Postgres
import SheetCore

/// How an address names a template.
package enum TemplateKey: Sendable {
    case id(TemplateID)
    case slug(Slug)

    /// An id or a slug; throws `not_found` for what can be neither.
    package init(_ text: String) throws(APIError) {
        if let id = TemplateID(text) {
            self = .id(id)
        } else if let slug = Slug(text) {
            self = .slug(slug)
        } else {
            throw .notFound("This template")
        }
    }

    /// The condition on `templates AS t`.
    package var condition: PostgresQuery {
        switch self {
        case .id(let id): "t.id = \(id)"
        case .slug(let slug): "t.slug = \(slug)"
        }
    }
}

/// How an address names a version.
package enum VersionKey: Sendable {
    /// The newest that is offered on a channel.
    case offered(ReleaseChannel)
    case number(SemanticVersion)

    /// What everybody is offered.
    package static var latest: VersionKey { .offered(.stable) }

    /// `latest` or a number; throws `not_found` for anything else, since no such version can be.
    package init(_ text: String, channel: ReleaseChannel = .stable) throws(APIError) {
        if text == "latest" {
            self = .offered(channel)
        } else if let number = SemanticVersion(text) {
            self = .number(number)
        } else {
            throw .notFound("A version '\(text.prefix(SemanticVersion.maximumLength))'")
        }
    }

    /// The condition on `versions AS v` beside `templates AS t`.
    package var condition: PostgresQuery {
        switch self {
        case .offered(.stable): "v.id = t.latest_version_id"
        // An old node may have published without saying what is newest.
        case .offered(.beta): "v.id = coalesce(t.newest_version_id, t.latest_version_id)"
        case .number(let number): "v.template_id = t.id AND v.number = \(number)"
        }
    }

    /// Whether the same address always means the same version.
    var isExact: Bool {
        if case .number = self { true } else { false }
    }
}

extension MarketRequestContext {
    /// `{id}` of the path.
    package var template: TemplateKey {
        get throws(APIError) { try TemplateKey(path("id")) }
    }

    /// `{v}` of the path, where `latest` is of the channel that the query names.
    package func version(_ request: Request) throws(APIError) -> VersionKey {
        try VersionKey(path("v"), channel: request.channel())
    }

    /// `{n}` of the path: a page, from 0.
    package var page: Int {
        get throws(APIError) {
            guard let page = Int32(try path("n")), page >= 0 else { throw .notFound("This page") }
            return Int(page)
        }
    }
}

extension Request {
    /// `channel` of the query; throws `validation_failed` for one that is none.
    package func channel() throws(APIError) -> ReleaseChannel {
        guard let text = query("channel") else { return .stable }
        guard let channel = ReleaseChannel(rawValue: text) else {
            throw .validation([.init(pointer: "channel", detail: "'stable' or 'beta'.")])
        }
        return channel
    }
}
