// SPDX-License-Identifier: Apache-2.0
import MarketWire
import Postgres
import SheetCore

/// How an address names a template.
package enum TemplateKey: Sendable {
    case id(TemplateID)
    case slug(Slug)

    /// An id or a slug; throws `not_found` for what can be neither.
    package init(_ text: String) throws(CatalogError) {
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
    /// The same; while nothing is on offer, the newest that can still be had by its number.
    case newest(ReleaseChannel)
    case number(SemanticVersion)

    /// What everybody is offered.
    package static var latest: VersionKey { .offered(.stable) }

    /// `latest` or a number; throws `not_found` for anything else, since no such version can be.
    package init(_ text: String, channel: ReleaseChannel = .stable) throws(CatalogError) {
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
        case .newest(let channel):
            """
            v.id = coalesce(
                CASE WHEN \(channel) = 'beta' THEN t.newest_version_id END, t.latest_version_id,
                (SELECT w.id FROM versions AS w WHERE w.template_id = t.id AND w.state <> 'taken_down'
                    ORDER BY version_precedence(w.number) COLLATE "C" DESC, w.number COLLATE "C" DESC LIMIT 1))
            """
        case .number(let number): "v.template_id = t.id AND v.number = \(number)"
        }
    }

    /// Whether the same address always means the same version.
    var isExact: Bool {
        if case .number = self { true } else { false }
    }
}
