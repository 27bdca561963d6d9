// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketWire
import Moderation
import NIOCore
import SheetCore

/// The audit log for the team: page by page, or whole as JSON lines, which pays no heed to `limit` and `cursor`.
struct AuditRoutes: Sendable {
    let market: Market

    func register(on routes: APIRoutes) {
        routes.get("/moderation/audit", access: .moderator, audit)
    }

    private func audit(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        switch request.query("format") {
        case nil, "json": return try await page(request)
        case "jsonl":
            _ = try request.part()
            return try await export()
        default: throw APIError.validation([.init(pointer: "format", detail: "'json' or 'jsonl'.")])
        }
    }

    private func page(_ request: Request) async throws -> Response {
        let part = try request.part()
        let before = try part.place(in: Self.name, keys: 1) { Int64($0[0]) }
        let found = try await AuditLog.entries(before: before, limit: part.sought, in: market.database)
        let page = part.page(found, of: Self.name) { [String($0.sequence)] }
        return try request.listed(
            AuditList(entries: page.rows.map(\.entry), nextCursor: page.next), next: page.next)
    }

    private func export() async throws -> Response {
        let database = market.database
        let head = try await AuditStore.head(database)?.hash.hex ?? "empty"
        return Response(
            status: .ok,
            headers: [
                .contentType: "application/jsonl", .cacheControl: "private, no-store", .eTag: "W/\"\(head)\"",
                .contentDisposition: "attachment; filename=\"audit.jsonl\"",
            ],
            body: ResponseBody { writer in
                try await AuditExport.lines(of: database) { try await writer.write(ByteBuffer(string: $0)) }
                try await writer.finish(nil)
            })
    }

    private static let name = "moderation.audit"
}
