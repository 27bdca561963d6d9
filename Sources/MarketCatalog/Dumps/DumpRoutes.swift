// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketPlatform
import MarketWire
import SheetCore

/// Files with the whole public catalog.
package struct DumpRoutes: Sendable {
    package let platform: Platform
    package let objects: ObjectServer

    package init(platform: Platform, objects: ObjectServer) {
        self.platform = platform
        self.objects = objects
    }

    package func register(on routes: APIRoutes) {
        routes.get("/dumps", access: .optionalAuthentication, list)
        routes.get("/dumps/{name}", access: .withoutAuthentication, file)
    }

    private func list(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let dumps = try await DumpStore.all(platform.database).map(\.wire)
        return request.conditionalResponse(try .json(CatalogDumpList(dumps: dumps)))
    }

    private func file(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let name = try context.path("name")
        guard let day = CatalogDumps.day(of: name), let dump = try await DumpStore.dump(of: day, platform.database)
        else {
            throw APIError.notFound("This dump")
        }
        return try await objects.response(
            to: request, hex: dump.object.hash.hex,
            headers: [
                .contentType: "application/gzip", .contentDisposition: ContentDisposition.attachment(name),
                // A day's dump may be made anew.
                .cacheControl: "no-cache",
            ])
    }
}
