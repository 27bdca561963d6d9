// SPDX-License-Identifier: Apache-2.0
import MarketWire
import SheetCore

extension Installer {
    /// Most versions that are gone back through.
    private static let maximumSteps = 32

    /// What changed from one version to a later one of the same template, page by page: a version tells what changed since
    /// the one before, so those between are asked, too. `nil` where the market does not know.
    public func changes(
        from installed: SemanticVersion, to version: VersionDetail, of key: String
    ) async throws -> VersionChanges? {
        guard var changes = version.changes else { return nil }
        for _ in 0..<Self.maximumSteps {
            guard changes.since != installed else { return changes }
            guard changes.since > installed else { return nil }
            guard let earlier = try await client.version(changes.since.description, of: key).changes,
                earlier.since < changes.since
            else { return nil }
            changes = changes.following(earlier)
        }
        return nil
    }

    /// The same for what is installed. Not knowing is no reason not to install: only an outage is.
    func changes(
        since previous: SemanticVersion?, to version: VersionDetail, of key: String
    ) async throws -> VersionChanges? {
        guard let previous, previous < version.version else { return nil }
        do {
            return try await changes(from: previous, to: version, of: key)
        } catch let error as MarketClientError where !error.isOutage {
            return nil
        }
    }

    /// With what changed in it, where an older one is installed: a template says less of its version on offer than that
    /// version itself.
    func withChanges(
        _ version: VersionDetail, since previous: SemanticVersion?, of key: String
    ) async throws -> VersionDetail {
        guard let previous, previous < version.version, version.changes == nil else { return version }
        var told = version
        do {
            told.changes = try await client.version(version.version.description, of: key).changes
        } catch let error as MarketClientError where !error.isOutage {
            return version
        }
        return told
    }

    /// What a newer version brings: its author's word, and what changed page by page. From the library where that has it.
    public func news(
        of id: TemplateID, from installed: SemanticVersion, to newer: SemanticVersion
    ) async throws -> (changelog: String, changes: VersionChanges?)? {
        let key = id.description
        let saved = try library.record(id)?.saved(newer)?.detail
        let version: VersionDetail
        if let saved, saved.changes != nil {
            version = saved
        } else {
            version = try await client.version(newer.description, of: key)
        }
        return (version.changelog, try await changes(from: installed, to: version, of: key))
    }
}
