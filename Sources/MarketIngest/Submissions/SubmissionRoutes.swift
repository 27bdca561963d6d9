// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketPlatform
import MarketWire
import SheetCore

/// `/submissions`: an upload's state, once or as a live stream, and its end by the uploader.
package struct SubmissionRoutes {
    package let ingest: IngestDependencies
    package let feed: SubmissionChanges

    package init(ingest: IngestDependencies, feed: SubmissionChanges) {
        self.ingest = ingest
        self.feed = feed
    }

    private static let listName = "submissions.newest"
    private var service: SubmissionService { SubmissionService(ingest: ingest) }

    package func register(on routes: APIRoutes) {
        routes.get("/submissions", access: .user(.read), list)
        routes.get("/submissions/{id}", access: .user(.read), show)
        routes.get("/submissions/{id}/events", access: .user(.read), events)
        routes.post("/submissions/{id}/withdraw", access: .user(.templatesWrite), withdraw)
        routes.post("/submissions/{id}/decline-cleaning", access: .user(.templatesWrite), declineCleaning)
    }

    @Sendable private func list(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let pageRequest = try request.pageRequest()
        let found = try await SubmissionStore.list(
            uploader: try context.requireIdentity().userID, state: try request.word("state"),
            before: try pageRequest.place(in: Self.listName), limit: pageRequest.fetchLimit, in: ingest.database)
        let page = pageRequest.page(found, of: Self.listName) { [$0.id.description] }
        return try request.listed(SubmissionList(submissions: page.rows, nextCursor: page.next), next: page.next)
    }

    @Sendable private func show(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let status = try await service.submissionWithQueuePosition(
            try context.submission, for: try context.requireIdentity())
        return request.conditionalResponse(try .json(status), headers: [.cacheControl: "private, no-cache"])
    }

    @Sendable private func withdraw(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try .json(
            try await service.withdraw(
                try context.submission, by: try context.requireIdentity(), requestID: context.requestID))
    }

    @Sendable private func declineCleaning(
        _ request: Request, _ context: MarketRequestContext
    ) async throws -> Response {
        try .json(
            try await service.declineCleaning(
                try context.submission, by: try context.requireIdentity(), requestID: context.requestID))
    }

    /// Server-sent events (WHATWG HTML, section 9.2): `event: submission` with a `SubmissionStatus`, at once and then
    /// at each change, until the state is final; with `?until=review` also until it waits for a person.
    @Sendable private func events(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let id = try context.submission
        let first = try await service.submission(id, for: try context.requireIdentity())
        let untilReview: Bool
        switch request.query("until") {
        case nil: untilReview = false
        case "review": untilReview = true
        default: throw APIError.validation([.init(pointer: "until", detail: "'review', or nothing.")])
        }
        let stream = SubmissionEventStream(
            id: id, first: first, untilReview: untilReview, wakeUps: try feed.subscribe(id), platform: ingest.platform)
        let body = request.body
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store",
                // Proxies must not collect what is to arrive at once.
                .xAccelBuffering: "no",
                // The connection ends with the stream, and nobody should send a further request over it.
                .connection: "close",
            ],
            body: .init { writer in
                try await stream.write(to: &writer, requestBody: body)
            })
    }
}

extension MarketRequestContext {
    /// `{id}` of the path, where it names a submission.
    package var submission: SubmissionID {
        get throws(APIError) {
            guard let id = SubmissionID(try path("id")) else { throw .notFound("This submission") }
            return id
        }
    }
}

extension HTTPField.Name {
    /// nginx: `no` passes each piece on as it comes.
    static let xAccelBuffering = Self("X-Accel-Buffering") ?? .server
}
