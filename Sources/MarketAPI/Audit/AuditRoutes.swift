// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketWire
import Moderation
import NIOCore
import SheetCore

/// The audit log for the team: page by page, or whole as JSON lines.
struct AuditRoutes: Sendable {
    let market: Market

    func register(on routes: APIRoutes) {
        routes.get("/moderation/audit", access: .moderator, audit)
    }

    private func audit(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        switch request.query("format") {
        case nil, "json": return try await page(request)
        case "jsonl": return try await export()
        default: throw APIError.validation([.init(pointer: "format", detail: "'json' or 'jsonl'.")])
        }
    }

    private func page(_ request: Request) async throws -> Response {
        let limit = try request.limit()
        let before = try request.query("cursor").map { try Self.sequence($0) }
        let found = try await AuditLog.entries(before: before, limit: limit + 1, in: market.database)
        let page = found.prefix(limit)
        var next: String?
        if found.count > limit, let last = page.last {
            next = Cursor(list: Self.name, keys: [String(last.sequence)]).text
        }
        var headers = request.linkToNext(next)
        headers[.cacheControl] = "private, no-cache"
        return request.revalidated(
            try .json(AuditList(entries: page.map(\.entry), nextCursor: next)), headers: headers)
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

    private static func sequence(_ text: String) throws -> Int64 {
        let cursor = try Cursor(text, list: name, count: 1)
        guard let sequence = Int64(cursor.keys[0]) else {
            throw APIError(.badRequest, .badCursor, "This cursor is not from this list. Begin again without one.")
        }
        return sequence
    }
}
