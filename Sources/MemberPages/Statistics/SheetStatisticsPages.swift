// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketCatalog
import MarketCommunity
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import NIOCore
import SheetCore

/// What authors see of how a sheet is found and downloaded: as charts and tables, and as files.
struct SheetStatisticsPages: Sendable {
    let features: Features
    let pages: WebPages

    func register(on routes: APIRoutes) {
        let routes = routes.wrapping(MovedTemplates(database: features.database).redirectingMovedSlugs)
        routes.get("/sheets/{id}/downloads", access: .user(.templatesWrite), show)
        routes.get("/sheets/{id}/downloads.csv", access: .user(.templatesWrite), file)
    }

    private func show(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let measure = try Self.choice(request, "show", SheetStatisticsView.Measure.downloads) { .init(rawValue: $0) }
        let span = try Self.span(request)
        let (template, statistics) = try await statistics(context, span)
        return try pages.answer(
            .sheetStatistics, SheetStatisticsView(template, statistics, measure: measure, span: span),
            head: PageHead(
                title: "Statistics of \(template.name)", viewer: try context.requireIdentity(),
                styles: ["figures.css"]))
    }

    private func file(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let table = try Self.choice(request, "of", StatisticsTable.days) { .init(rawValue: $0) }
        let (template, statistics) = try await statistics(context, try Self.span(request))
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/csv; charset=utf-8", .cacheControl: "private, no-store",
                .contentDisposition: ContentDisposition.attachment("\(template.slug)-\(table.fileName).csv"),
            ],
            body: .init(byteBuffer: ByteBuffer(string: table.text(statistics))))
    }

    private func statistics(
        _ context: MarketRequestContext, _ span: SheetStatisticsView.Span
    ) async throws -> (ManagedTemplate, TemplateStatistics) {
        let template = try await OwnerService(catalog: features.catalog).managed(
            try context.template, for: try context.requireIdentity())
        let days = DayRange(last: span.rawValue, at: features.now())
        let statistics = try await StatisticsService(database: features.database).statistics(
            of: template.id, from: days.from, to: days.to)
        return (template, statistics)
    }

    private static func span(_ request: Request) throws -> SheetStatisticsView.Span {
        try choice(request, "days", .month) { Int($0).flatMap { .init(rawValue: $0) } }
    }

    private static func choice<Value: CaseIterable & RawRepresentable>(
        _ request: Request, _ name: String, _ usual: Value, _ read: (String) -> Value?
    ) throws -> Value {
        guard let text = request.query(name) else { return usual }
        guard let value = read(text) else {
            let all = Value.allCases.map { "\($0.rawValue)" }.joined(separator: ", ")
            throw APIError.validation([.init(pointer: name, detail: "One of: \(all).")])
        }
        return value
    }
}
