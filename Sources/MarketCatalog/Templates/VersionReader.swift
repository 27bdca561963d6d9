// SPDX-License-Identifier: Apache-2.0
import MarketHTTP
import MarketWire
import Postgres
import SheetCore

/// Reads templates and versions as the public may see them, and says why one may not be seen.
package struct VersionReader: Sendable {
    package let database: PostgresClient

    package init(database: PostgresClient) {
        self.database = database
    }

    /// A template with the version that is offered on a channel.
    package func detail(_ template: TemplateKey, channel: ReleaseChannel = .stable) async throws -> TemplateDetail {
        try await row(of: template, .offered(channel)).detail
    }

    /// The same as the database gave it.
    func row(of template: TemplateKey, _ version: VersionKey) async throws -> DetailRow {
        guard let row = try await VersionStore.row(of: template, version, database) else {
            throw try await absence(of: template, version)
        }
        return row
    }

    /// Newest first by precedence.
    package func list(
        _ template: TemplateKey, _ pageRequest: PageRequest, only filter: VersionFilter = VersionFilter()
    ) async throws -> VersionList {
        let name = "versions"
        let last = try pageRequest.place(in: name, keys: 1) { SemanticVersion($0[0]) }
        let found = try await VersionStore.list(template, filter, after: last, limit: pageRequest.fetchLimit, database)
        if found.isEmpty {
            // The page behind the last version is empty, and so is one of what there is none of; of a template without
            // any there is no page.
            let left = try await VersionStore.absence(template, database)?.downloadable ?? 0
            if left == 0 { throw try await absence(of: template, .latest) }
        }
        let page = pageRequest.page(found, of: name) { [$0.version.description] }
        return VersionList(versions: page.rows, nextCursor: page.next)
    }

    package func version(_ version: VersionKey, of template: TemplateKey) async throws -> VersionDetail {
        guard let found = try await VersionStore.version(version, of: template, database) else {
            throw try await absence(of: template, version)
        }
        if found.state == .takenDown { throw try await takenDown(version, of: template) }
        return found
    }

    package func regions(_ version: VersionKey, of template: TemplateKey) async throws -> RegionList {
        guard let found = try await VersionStore.regions(version, of: template, database) else {
            throw try await absence(of: template, version)
        }
        if found.state == .takenDown { throw try await takenDown(version, of: template) }
        return found.list
    }

    /// The readable rendering of a version of a kind without pages.
    package func outline(_ version: VersionKey, of template: TemplateKey) async throws -> ContentOutline {
        guard let found = try await VersionStore.outline(version, of: template, database) else {
            throw try await absence(of: template, version)
        }
        if found.state == .takenDown { throw try await takenDown(version, of: template) }
        guard let outline = found.outline else { throw CatalogError.noOutline }
        return outline
    }

    /// What stands for a page in lists.
    package enum Look: Sendable {
        case picture(ContentHash)
        /// The template has no pages; its kind stands for the first.
        case kind(TemplateKind)
    }

    package func preview(page: Int, width: Int, _ version: VersionKey, of template: TemplateKey) async throws -> Look {
        let found = try await VersionStore.preview(page: page, width: width, version, of: template, database)
        guard let found else {
            if page == 0, let kind = try await VersionStore.kindWithoutPages(version, of: template, database) {
                return .kind(kind)
            }
            // Either the version or only its page is missing.
            _ = try await self.version(version, of: template)
            throw CatalogError.notFound("This page")
        }
        if found.state == .takenDown { throw try await takenDown(version, of: template) }
        return .picture(found.hash)
    }

    private func takenDown(_ version: VersionKey, of template: TemplateKey) async throws -> CatalogError {
        let why = try await VersionStore.takedown(version, of: template, database)
        return CatalogError.takenDown(reason: why?.reason, code: why?.code)
    }

    /// Why there is nothing where a version was asked for.
    private func absence(of template: TemplateKey, _ version: VersionKey) async throws -> CatalogError {
        guard let absence = try await VersionStore.absence(template, database) else {
            return .notFound("This template")
        }
        switch version {
        case .offered where absence.downloadable == 0, .newest:
            return CatalogError.takenDown(reason: absence.reason, code: absence.code)
        case .offered: return .nothingOffered
        case .number(let number): return .notFound("Version \(number) of this template")
        }
    }
}
