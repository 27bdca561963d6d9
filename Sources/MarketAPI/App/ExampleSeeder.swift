// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import MarketAccounts
import MarketCatalog
import MarketHTTP
import MarketIngest
import MarketPages
import MarketPlatform
import MarketWire
import ModerationService
import NIOCore
import NIOFoundationCompat
import Postgres
import ServiceLifecycle
import SheetCore

/// Fills a market: game systems at once, and the example sheets through the same path as any upload.
/// Can be run any number of times; what is there is left alone.
package struct ExampleSeeder: Sendable {
    private let features: Features
    private let examples: URL

    /// Reads `examples`, the folder with `game-systems.json`, `collections.json` and `sheets/`.
    package init(features: Features, examples: URL) {
        self.features = features
        self.examples = examples
    }

    private struct System: Decodable {
        var slug: String
        var name: String
        var publisher: String?
        var aliases: [String]
    }

    private struct Collection: Decodable {
        struct Item: Decodable {
            var sheet: String
            var note: String
        }

        var slug: String
        var title: String
        var summary: String
        var items: [Item]
    }

    /// Enters the game systems that are not there yet.
    package func seedGameSystems() async throws {
        let file = examples.appendingPathComponent("game-systems.json")
        let systems = try JSONDecoder().decode([System].self, from: Data(contentsOf: file))
        try await features.database.withTransaction { connection in
            for system in systems {
                try await GameSystemStore.insert(
                    system.slug, name: system.name, publisher: system.publisher, aliases: system.aliases, in: connection
                )
            }
        }
    }

    /// Uploads each example that is not there yet, and approves it once it has been read; then makes collections of them.
    package func publishExamples() async throws {
        let folder = examples.appendingPathComponent("sheets")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".pdf") }.sorted()
        let owner = try await AccountService(accounts: features.accounts)
            .ensureSystemUser(handle: "sheetmarket", role: .administrator)
        for name in names {
            let file = folder.appendingPathComponent(name)
            do {
                guard let id = try await submit(file, owner: owner) else { continue }
                try await approve(id, of: file, as: owner)
            } catch {
                features.logger.error(
                    "example not published", metadata: ["file": "\(name)", "error": "\(String(reflecting: error))"])
            }
        }
        try await makeCollections(as: owner)
    }

    /// Makes the collections that are not there and that nobody deleted, of the sheets in them that are on offer.
    private func makeCollections(as owner: UserRecord) async throws {
        let file = examples.appendingPathComponent("collections.json")
        let service = CollectionService(catalog: features.catalog)
        for collection in try JSONDecoder().decode([Collection].self, from: Data(contentsOf: file)) {
            guard let slug = Slug(collection.slug),
                try await CollectionStore.collection(slug.text, features.database) == nil,
                try await !AuditLog.hasEntry(
                    action: "collection.deleted", subject: "collection:\(slug.text)", in: features.database)
            else { continue }
            var items: [CollectionEdit.Item] = []
            for item in collection.items {
                let reader = VersionReader(database: features.database)
                guard let sheet = try? await reader.detail(TemplateKey(item.sheet)) else { continue }
                items.append(.init(templateId: sheet.summary.id, note: item.note))
            }
            let edit = CollectionEdit(title: collection.title, summary: collection.summary, items: items)
            _ = try await service.put(slug, edit, by: identity(of: owner), requestID: "examples")
        }
    }

    private func identity(of owner: UserRecord) -> Identity {
        Identity(
            userID: owner.id, handle: owner.handle, role: .administrator, credential: .session(.make()),
            scopes: Set(TokenScope.all))
    }

    /// The submission of the file that is under way, or a new one; `nil` when its artifact is or was published.
    private func submit(_ file: URL, owner: UserRecord) async throws -> SubmissionID? {
        let bytes = try Data(contentsOf: file)
        let known = try await SubmissionProgress.last(
            of: ContentHash(hashing: bytes), by: owner.id, in: features.database)
        if let known {
            return known.state.isFinal ? nil : known.id
        }
        let metadata = try WireJSON.decoder().decode(
            UploadMetadata.self,
            from: Data(contentsOf: file.deletingPathExtension().appendingPathExtension("json")))
        let status = try await UploadService(ingest: features.ingest).submit(
            uploader: owner.id, target: .newTemplate, metadata: metadata, fileName: file.lastPathComponent,
            bytes: AsyncStream {
                $0.yield(ByteBuffer(data: bytes)); $0.finish()
            })
        return status.id
    }

    /// Puts the zoom regions that the sheet was drawn with in the place of those that were found, as an author does.
    private func correctRegions(of id: SubmissionID, _ file: URL, by identity: Identity) async throws {
        struct Drawn: Decodable { var regions: [ZoomRegion] }
        let name = file.deletingPathExtension().appendingPathExtension("regions.json")
        guard let data = try? Data(contentsOf: name) else { return }
        let drawn = try JSONDecoder().decode(Drawn.self, from: data).regions
        let found = try await SubmissionStore.pages(id, in: features.database).flatMap(\.regions)
        let list = RegionList(
            pages: Set(drawn.map(\.pageIndex)).sorted().map { page in
                .init(
                    index: page,
                    regions: drawn.filter { $0.pageIndex == page }.map { region in
                        ZoomRegion(
                            id: region.id, name: region.name, rect: region.rect, scale: region.scale, pageIndex: page,
                            kind: found.first { $0.isMostly(region) }?.kind)
                    })
            })
        try await SubmissionService(ingest: features.ingest).replaceRegions(
            of: id, with: list, by: identity, requestID: "examples")
    }

    private func approve(_ id: SubmissionID, of file: URL, as owner: UserRecord) async throws {
        let identity = identity(of: owner)
        while true {
            let found = try await SubmissionProgress.fetch(id, in: features.database)
            switch (found?.state, found?.caseID) {
            case (.awaitingReview, let caseID?):
                try await correctRegions(of: id, file, by: identity)
                let caseService = CaseService(moderation: features.moderation)
                _ = try await caseService.claim(caseID, by: identity, requestID: "examples")
                _ = try await caseService.decide(
                    caseID,
                    DecisionRequest(
                        decision: .approve, reasonCode: "meets_guidelines",
                        message: "An example that comes with the market."),
                    by: identity, requestID: "examples")
                return
            case (.received, _), (.inspecting, _):
                // Ends when a worker has read the file, or with the service.
                try await Task.sleep(for: .milliseconds(100))
            default:
                features.logger.warning(
                    "example not published",
                    metadata: ["submission": "\(id)", "state": "\(found?.state.rawValue ?? "none")"])
                return
            }
        }
    }
}

extension ZoomRegion {
    /// Both share more than half of the larger one.
    fileprivate func isMostly(_ other: ZoomRegion) -> Bool {
        guard pageIndex == other.pageIndex, let shared = rect.intersection(other.rect) else { return false }
        return shared.area * 2 > max(rect.area, other.rect.area)
    }
}

/// Publishes the examples beside the running service, which is ready before they are.
package struct ExampleService: Service {
    private let seeder: ExampleSeeder
    private let logger: Logger

    package init(seeder: ExampleSeeder, logger: Logger) {
        self.seeder = seeder
        self.logger = logger
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            do {
                try await seeder.publishExamples()
            } catch is CancellationError {
                return
            } catch {
                logger.error("examples not published", metadata: ["error": "\(String(reflecting: error))"])
            }
        }
        // A service that returned would end the group. Throws when the task is cancelled, which is an end, too.
        try? await gracefulShutdown()
    }
}
