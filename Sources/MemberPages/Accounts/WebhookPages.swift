// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketCommunity
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import SheetCore

/// Where a person's programs want to hear what happens, for people.
struct WebhookPages: Sendable {
    static let home = PagePaths.webhooks
    /// Deliveries on a page.
    static let rowsShown = 20

    private static let access = Access.user(.webhooks)

    let features: Features
    let pages: WebPages

    func register(on routes: APIRoutes) {
        let one = "\(Self.home)/{id}"
        routes.get(Self.home, access: Self.access) { try await list($0, $1) }
        routes.post(Self.home, access: Self.access, create)
        routes.get(one, access: Self.access) { try await page($0, $1) }
        routes.post("\(one)/switch", access: Self.access, turn)
        routes.post("\(one)/secret", access: Self.access, renewSecret)
        routes.post("\(one)/ping", access: Self.access, ping)
        routes.post("\(one)/delete", access: Self.access, delete)
        routes.post("\(one)/deliveries/{delivery}/redeliver", access: Self.access, redeliver)
    }

    private var service: WebhookService { WebhookService(platform: features.platform) }

    // MARK: All of them

    private func list(
        _ request: Request, _ context: MarketRequestContext, made: NewWebhook? = nil, problem: FormProblem? = nil,
        form: QueryParameters = QueryParameters(nil)
    ) async throws -> Response {
        let identity = try context.requireIdentity()
        // One page is enough: the limit per person is below the page size.
        let webhooks = try await service.list(of: identity, PageRequest()).webhooks
        // Asked only to leave the choice out of the form; creating asks again.
        let mayCoverAll = (try? Access.administrator.check(identity)) != nil
        let view = WebhookListView(
            webhooks: webhooks, made: made, note: WebhookNote(context.done), form: form, problem: problem,
            mayCoverAll: mayCoverAll)
        return try pages.answer(
            .webhooks, view, head: PageHead(title: "Webhooks", place: .account, viewer: identity),
            status: problem?.status ?? .ok, headers: problem?.headers ?? [:])
    }

    private func create(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let form = try await request.form()
        let wish = WebhookRequest(
            url: form["url"] ?? "", events: form.all("event").map { WebhookEvent(rawValue: $0) },
            covers: form["covers"].flatMap { WebhookCover(rawValue: $0) }, description: form["description"])
        let made: NewWebhook
        do {
            made = try await service.create(wish, by: try context.requireIdentity())
        } catch {
            return try await list(request, context, problem: try FormProblem(error), form: form)
        }
        // Not by a redirect: this answer is the only place where the secret ever stands.
        return try await list(request, context, made: made)
    }

    // MARK: One of them

    private func page(
        _ request: Request, _ context: MarketRequestContext, made: NewWebhook? = nil, problem: FormProblem? = nil
    ) async throws -> Response {
        let identity = try context.requireIdentity()
        let id = try context.webhook
        let state: WebhookStore.DeliveryState? = try request.word("state")
        let pageRequest = PageRequest(cursor: request.query("cursor"), limit: Self.rowsShown)
        let webhook = try await service.webhook(id, of: identity)
        let view = WebhookView(
            webhook: webhook,
            deliveries: try await service.deliveries(of: id, in: state, pageRequest, for: identity), state: state,
            mayReceive: WebhookService.mayReceive(webhook, identity), secret: made?.secret,
            note: WebhookNote(context.done),
            problem: problem, now: features.now())
        return try pages.answer(
            .webhook, view, head: PageHead(title: "Webhook", place: .account, viewer: identity),
            status: problem?.status ?? .ok, headers: problem?.headers ?? [:])
    }

    private func turn(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let isEnabled = try await request.form()["on"] == "yes"
        return try await act(request, context, isEnabled ? .turnedOn : .turnedOff) { id, identity in
            _ = try await service.change(id, WebhookPatch(isEnabled: isEnabled), by: identity)
        }
    }

    private func renewSecret(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let made: NewWebhook
        do {
            made = try await service.renewSecret(of: try context.webhook, by: try context.requireIdentity())
        } catch {
            return try await page(request, context, problem: try FormProblem(error))
        }
        return try await page(request, context, made: made)
    }

    private func ping(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await act(request, context, .pinged) { id, identity in
            _ = try await service.ping(id, by: identity)
        }
    }

    private func redeliver(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let delivery = try context.delivery
        return try await act(request, context, .redelivered) { id, identity in
            _ = try await service.redeliver(delivery, of: id, by: identity)
        }
    }

    /// With the box ticked that says so: what it was sent goes with it.
    private func delete(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let id = try context.webhook
        let identity = try context.requireIdentity()
        guard try await request.form()["sure"] == "yes" else {
            let unsure = APIError.validation([.init(pointer: "/sure", detail: "Tick the box to delete it.")])
            return try await page(request, context, problem: try FormProblem(unsure))
        }
        try await service.delete(id, by: identity)
        return .seeOther(PageAddress(Self.home).with("done", WebhookNote.deleted.rawValue).text)
    }

    /// Does something with the webhook and leads back to its page, which says so, or says why not.
    private func act(
        _ request: Request, _ context: MarketRequestContext, _ note: WebhookNote,
        _ doing: (WebhookID, Identity) async throws -> Void
    ) async throws -> Response {
        let id = try context.webhook
        do {
            try await doing(id, try context.requireIdentity())
            return .seeOther(PageAddress("\(Self.home)/\(id)").with("done", note.rawValue).text)
        } catch {
            return try await page(request, context, problem: try FormProblem(error))
        }
    }
}
