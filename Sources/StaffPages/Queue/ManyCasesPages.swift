// SPDX-License-Identifier: Apache-2.0
import Hummingbird
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import Moderation
import ModerationService
import SheetCore

/// One decision on several cases of the queue. Only such as publish nothing that nobody looked at.
struct ManyCasesPages: Sendable {
    static let address = "\(StaffNavigation.Place.queue.rawValue)/many"

    let features: Features
    let pages: WebPages
    let service: CaseService

    func register(on routes: APIRoutes) {
        routes.get(Self.address, access: .moderator) {
            try await page($1, try Self.cases(in: $0.queryParameters))
        }
        routes.post(Self.address, access: .moderator, decide)
    }

    private func decide(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let form = try await request.form()
        let ids = try Self.cases(in: form)
        do {
            let decision = try DecisionForm.decision(in: form, reasons: features.moderation.reasons)
            guard CommonDecisions.byKind.values.contains(where: { $0.contains(decision.decision) }) else {
                throw APIError.validation([.init(pointer: "/decision", detail: "Choose one of these.")])
            }
            let (requestID, site) = (context.requestID, context.site)
            let result = try await service.decide(
                BulkDecisionRequest(cases: ids, decision: decision), by: try context.requireIdentity(),
                requestID: requestID
            ) { error in
                guard let error = error as? any APIErrorConvertible else { throw error }
                return error.apiError.problem(requestID: requestID, site: site)
            }
            return try await page(context, ids, result: result)
        } catch {
            return try await page(context, ids, problem: try FormProblem(error), form: form)
        }
    }

    private func page(
        _ context: MarketRequestContext, _ ids: [CaseID], result: BulkDecisionResult? = nil,
        problem: FormProblem? = nil, form: QueryParameters = QueryParameters(nil)
    ) async throws -> Response {
        let viewer = try context.requireIdentity()
        let cases = try await QueueOverview(moderation: features.moderation).summaries(ids)
        let view = ManyCasesView(
            cases, navigation: StaffNavigation(at: .queue, for: viewer),
            reasons: features.moderation.reasons.reasons(language: viewer.language?.rawValue ?? ReasonBook.fallback),
            viewer: viewer.handle, result: result, problem: problem, form: form)
        return try pages.answer(
            .manyCases, view,
            head: PageHead(title: "Several cases", place: .moderation, viewer: viewer, scripts: ["case.js"]),
            status: problem?.status ?? .ok, headers: problem?.headers ?? [:])
    }

    /// The cases that were chosen, each once.
    private static func cases(in form: QueryParameters) throws -> [CaseID] {
        var ids: [CaseID] = []
        for text in form.all("case") {
            guard let id = CaseID(text) else { throw CaseError.noSuchCase }
            if !ids.contains(id) { ids.append(id) }
        }
        guard ids.count <= BulkDecisionRequest.maximumCases else { throw CaseError.badCaseCount }
        return ids
    }
}
