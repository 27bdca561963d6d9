// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// What is counted of a sheet.
struct InterestKey: Hashable, Sendable {
    /// Raw values stand in the database.
    enum Kind: String, Sendable {
        case view, source, search, download, install
    }

    /// The sheet, as whoever tells of it knows it.
    enum Subject: Hashable, Sendable {
        case id(TemplateID)
        case slug(String)

        /// Tells it from all others.
        var text: String {
            switch self {
            case .id(let id): id.description
            case .slug(let slug): "/\(slug)"
            }
        }
    }

    var subject: Subject
    var kind: Kind
    /// A source, a term, or a version's id; empty for views.
    var value: String
}
