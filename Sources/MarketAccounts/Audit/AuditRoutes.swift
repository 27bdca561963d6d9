// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketPlatform
import MarketWire
import Moderation
import NIOCore
import SheetCore

/// The audit log for the team: page by page, or whole as JSON lines, whatever `limit` and `cursor` say.
package struct AuditRoutes: Sendable {
    package let platform: Platform

    package init(platform: Platform) {
        self.platform = platform
    }

    package func register(on routes: APIRoutes) {
        routes.get("/moderation/audit", access: .moderator, audit)
    }

    private func audit(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        switch request.query("format") {
        case nil, "json": return try await page(request)
        case "jsonl":
            // The whole log has no pages, but a wrong parameter is refused by every format.
            _ = try Self.place(request.pageRequest())
            return try await export()
        default: throw APIError.validation([.init(pointer: "format", detail: "'json' or 'jsonl'.")])
        }
    }

    private func page(_ request: Request) async throws -> Response {
        let pageRequest = try request.pageRequest()
        let before = try Self.place(pageRequest)
        let found = try await AuditLog.entries(before: before, limit: pageRequest.fetchLimit, in: platform.database)
        let page = pageRequest.page(found, of: Self.name) { [String($0.sequence)] }
        return try request.listed(
            AuditList(entries: page.rows.map(\.entry), nextCursor: page.next), next: page.next)
    }

    private func export() async throws -> Response {
        let database = platform.database
        // The tag names the last entry that is told, however many come while it is sent.
        let head = try await AuditStore.head(database)
        let last = head?.sequence ?? 0
        let tag = "W/\"\(head?.hash.hex ?? "empty")\""
        return Response(
            status: .ok,
            headers: [
                .contentType: "application/jsonl", .cacheControl: "private, no-store", .eTag: tag,
                .contentDisposition: "attachment; filename=\"audit.jsonl\"",
            ],
            body: ResponseBody { writer in
                try await AuditExport.lines(of: database, until: last) {
                    try await writer.write(ByteBuffer(string: $0))
                }
                try await writer.finish(nil)
            })
    }

    private static let name = "moderation.audit"

    /// The entry that the page begins behind.
    private static func place(_ pageRequest: PageRequest) throws(APIError) -> Int64? {
        try pageRequest.place(in: name, keys: 1) { Int64($0[0]) }
    }
}
