// SPDX-License-Identifier: Apache-2.0
import Hummingbird
import MarketAccounts
import MarketHTTP
import MarketPages
import MarketPlatform
import SheetCore

/// How the service runs: work in the background, e-mails, storage, settings.
struct OperationPages: Sendable {
    let features: Features
    let pages: WebPages
    let settings: [SettingLine]

    func register(on routes: APIRoutes) {
        routes.get(StaffNavigation.Place.operation.rawValue, access: .administrator, show)
        routes.post("\(StaffNavigation.Place.operation.rawValue)/jobs/{job}/retry", access: .administrator, retry)
    }

    private func retry(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        guard let id = JobID(try context.path("job")) else { throw DeadJobError.noSuchJob }
        try await DeadJobService(platform: features.platform).revive(
            id, by: try context.requireIdentity(), requestID: context.requestID)
        return .seeOther("\(StaffNavigation.Place.operation.rawValue)#jobs")
    }

    private func show(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let viewer = try context.requireIdentity()
        let queue = JobQueue(platform: features.platform)
        async let statistics = queue.statistics()
        async let dead = queue.dead(limit: 50)
        async let emails = MailStore.summary(in: features.database)
        async let stored = StorageStore.kinds(in: features.database)
        async let databaseBytes = StorageStore.databaseBytes(features.database)
        let view = OperationView(
            navigation: StaffNavigation(at: .operation, for: viewer), jobs: try await statistics, dead: try await dead,
            emails: try await emails, place: pages.site.emails,
            hasFolder: EmailPages.folder(pages, request, context) != nil,
            stored: try await stored, databaseBytes: try await databaseBytes, settings: settings, now: features.now())
        return try pages.answer(
            .operation, view,
            head: PageHead(title: "Operation", place: .moderation, viewer: viewer, styles: ["figures.css"]))
    }
}
