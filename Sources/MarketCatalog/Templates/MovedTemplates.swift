// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketHTTP
import Postgres
import SheetCore

/// Redirects requests for a former slug of a template to its present address.
package struct MovedTemplates: Sendable {
    package let database: PostgresClient

    package init(database: PostgresClient) {
        self.database = database
    }

    /// Wraps `handler`: where it finds nothing under the slug `{id}`, redirects if a template had that slug before.
    package func redirectingMovedSlugs(_ handler: @escaping RouteHandler) -> RouteHandler {
        { request, context in
            do {
                return try await handler(request, context)
            } catch {
                let (told, isFault) = APIError.mapping(error)
                guard told.status == .notFound, !isFault, let location = try await location(request, context)
                else { throw error }
                // For a while only: the template may take its old name back.
                return Response(
                    status: .permanentRedirect, headers: [.location: location, .cacheControl: "max-age=300"])
            }
        }
    }

    private func location(_ request: Request, _ context: MarketRequestContext) async throws -> String? {
        // An address without an id has nothing to lead on to; the caller then throws what it caught.
        guard let text = try? context.path("id"), TemplateID(text) == nil, let slug = Slug(text),
            let pattern = context.endpointPath,
            let present = try await SlugStore.present(of: slug, database), present != slug
        else { return nil }
        var segments = request.uri.path.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
        let names = pattern.split(separator: "/", omittingEmptySubsequences: true)
        guard let place = names.firstIndex(where: { $0 == "{id}" || $0 == ":id" }), segments.indices.contains(place)
        else { return nil }
        segments[place] = present.text
        return "/" + segments.joined(separator: "/") + (request.uri.query.map { "?\($0)" } ?? "")
    }
}
