// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketHTTP
import Postgres

/// Redirects requests for a game or a tag by a name that it had before.
package struct FormerNameRedirects: Sendable {
    private let names: FormerNameCache
    private let database: PostgresClient

    package init(_ names: FormerNameCache, database: PostgresClient) {
        self.names = names
        self.database = database
    }

    /// Wraps `handler`: where the query names such a game or tag, redirects to the same with its present name.
    package func redirectingFormerNames(_ handler: @escaping RouteHandler) -> RouteHandler {
        { request, context in
            guard let query = request.uri.query, query.contains("gameSystem=") || query.contains("tag="),
                let present = try await names.names(database).present(query)
            else { return try await handler(request, context) }
            return Self.moved(to: "\(request.uri.path)?\(present)")
        }
    }

    /// For a while only: the name may become another's.
    package static func moved(to location: String) -> Response {
        Response(status: .permanentRedirect, headers: [.location: location, .cacheControl: "max-age=300"])
    }
}
