// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import MarketTrust
import Postgres
import SheetCore
import Synchronization
import Testing

@Suite("Publication that stops anywhere")
struct TrustCrashTests {
    /// A statement, by what it changes and the rows that fail.
    private struct Place: Sendable, CustomStringConvertible {
        let table: String
        let condition: PostgresQuery
        let isUpdate: Bool

        init(_ table: String, _ condition: PostgresQuery, isUpdate: Bool = false) {
            self.table = table
            self.condition = condition
            self.isUpdate = isUpdate
        }

        var description: String { "\(table): \(condition)" }
    }

    /// Of a step.
    private static let places: [Place] = [
        .init("trust_targets", "true"), .init("trust_metadata", "new.role LIKE 'bin-%'"),
        .init("trust_metadata", "new.role = 'snapshot'"),
        .init("trust_metadata", "new.role = 'timestamp'"), .init("trust_bins", "NOT new.is_dirty"),
        .init("trust_state", "true"),
    ]
    private static let rotations: [Place] = [
        .init("trust_metadata", "new.role LIKE 'bin-%'"), .init("trust_bins", "new.staged_version IS NOT NULL"),
        .init("trust_bins", "new.version = old.staged_version", isUpdate: true),
        .init("trust_metadata", "new.role = 'root'"),
        .init("trust_metadata", "new.role = 'targets'"), .init("trust_metadata", "new.role = 'snapshot'"),
        .init("trust_state", "new.pending_root IS NULL"),
    ]

    /// Does `body` with a database that breaks off at that statement.
    private func breaking(
        _ place: Place, _ database: PostgresClient, _ body: () async throws -> Void
    ) async throws {
        try await database.execute(
            """
            CREATE OR REPLACE FUNCTION break_off() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN RAISE EXCEPTION ''broken off''; END'
            """)
        let events: PostgresQuery = place.isUpdate ? "UPDATE" : "INSERT OR UPDATE"
        try await database.execute(
            """
            CREATE TRIGGER break_off BEFORE \(fragment: events) ON \(ident: place.table)
            FOR EACH ROW WHEN (\(fragment: place.condition)) EXECUTE FUNCTION break_off()
            """)
        try await body()
        try await database.execute("DROP TRIGGER break_off ON \(ident: place.table)")
    }

    /// New keys of all online roles, signed and handed in.
    private func rotate(_ trust: TrustScene) async throws {
        var keys: [OnlineRole: TrustKey] = [:]
        for role in OnlineRole.allCases { keys[role] = try await trust.administration.makeOnlineKey(role) }
        let fresh = keys
        var root = try await trust.administration.draftRoot { root in
            for role in [OnlineRole.timestamp, .snapshot] {
                guard let key = fresh[role] else { continue }
                root.keys[key.id] = key
                root.roles[role.rawValue] = TrustRoleKeys(keyIDs: [key.id], threshold: 1)
            }
        }
        try root.sign(with: trust.rootKey)
        var targets = try await trust.administration.draftTargets { targets in
            guard let key = fresh[.bins] else { return }
            targets.delegatedKeys = [key.id: key]
            for place in targets.delegations.indices {
                targets.delegations[place].keys = TrustRoleKeys(keyIDs: [key.id], threshold: 1)
            }
        }
        try targets.sign(with: trust.targetsKey)
        try await trust.administration.handIn(root)
        try await trust.administration.handIn(targets)
    }

    @Test("A step that breaks off at any statement leaves readers what was there, and the next one does it all")
    func everyStatement() async throws {
        try await TrustScene.run { trust in
            let database = trust.platform.database
            let old = try await trust.scene.addTemplate("Lantern")
            try await trust.publisher.publish()
            for (number, place) in Self.places.enumerated() {
                let before = try await trust.versions()
                let made = try await trust.scene.addTemplate("Torch \(number)", bytes: Array("%PDF-1.7 \(number)".utf8))
                try await breaking(place, database) {
                    await #expect(throws: (any Error).self, "\(place)") { try await trust.publisher.publish() }
                    #expect(try await trust.versions() == before, "\(place)")
                    _ = try await trust.find(TrustScene.path(old))
                }
                try await trust.publisher.publish()
                _ = try await trust.find(TrustScene.path(made))
            }
        }
    }

    @Test("New keys whose publication breaks off at any statement count wholly or not at all")
    func rotation() async throws {
        try await TrustScene.run { trust in
            let database = trust.platform.database
            let made = try await trust.scene.addTemplate("Lantern")
            try await trust.publisher.publish()
            for place in Self.rotations {
                let before = try await trust.versions()
                try await rotate(trust)
                try await breaking(place, database) {
                    await #expect(throws: (any Error).self, "\(place)") { try await trust.publisher.publish() }
                    #expect(try await trust.versions() == before, "\(place)")
                    _ = try await trust.find(TrustScene.path(made))
                }
                try await trust.publisher.publish()
                _ = try await trust.find(TrustScene.path(made))
                #expect(try await TrustStatus.read(database)?.pending == [])
            }
        }
    }

    @Test("A re-signing that stops between its steps goes on where it was, and until its end the old keys' files count")
    func staging() async throws {
        try await CatalogScene.run { scene in
            let trust = TrustScene(scene: scene)
            let database = trust.platform.database
            try await trust.administration.begin(root: trust.rootKey, targets: trust.targetsKey, binCount: 256)
            let made = try await scene.addTemplate("Lantern")
            try await trust.publisher.publish()
            let before = try await trust.versions()
            try await rotate(trust)
            var steps = 0
            while try await trust.publisher.step() == .more {
                steps += 1
                guard let status = try await TrustStatus.read(database), !status.pending.isEmpty else { continue }
                #expect(try await trust.versions() == before, "half of it counts after step \(steps)")
                _ = try await trust.find(TrustScene.path(made))
                try await breaking(Place("trust_metadata", "new.role LIKE 'bin-%'"), database) {
                    await #expect(throws: (any Error).self) { _ = try await trust.publisher.step() }
                }
            }
            #expect(steps >= 4, "256 bins were signed in \(steps) steps")
            _ = try await trust.find(TrustScene.path(made))
            let after = try await trust.versions()
            #expect(after["targets"] == 2)
            let written = try await database.scalar(
                "SELECT count(*) FROM trust_metadata WHERE role LIKE 'bin-%' AND superseded_at IS NULL", as: Int.self)
            #expect(written == 256, "no bin was signed twice")
        }
    }

    @Test("While two nodes publish one version after the other, readers always find a whole state")
    func readers() async throws {
        try await TrustScene.run { trust in
            let first = try await trust.scene.addTemplate("Lantern")
            try await trust.publisher.publish()
            let end = Flag()
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        let node = TrustPublisher(platform: trust.platform)
                        while !end.isSet {
                            try await node.publish()
                            try await Task.sleep(for: .milliseconds(5))
                        }
                        return 0
                    }
                }
                for _ in 0..<3 {
                    group.addTask {
                        var count = 0
                        var last: [String: Int64] = [:]
                        while !end.isSet {
                            // Throws whenever anything does not fit together.
                            _ = try await trust.find(TrustScene.path(first))
                            let versions = try await trust.versions()
                            #expect(last.allSatisfy { $0.value <= versions[$0.key] ?? 0 }, "it went back")
                            last = versions
                            count += 1
                        }
                        return count
                    }
                }
                var made: [CatalogScene.Made] = []
                for number in 0..<25 {
                    made.append(
                        try await trust.scene.addTemplate("Torch \(number)", bytes: Array("%PDF-1.7 \(number)".utf8)))
                    try await Task.sleep(for: .milliseconds(20))
                }
                end.set()
                var reads = 0
                for try await count in group { reads += count }
                #expect(reads > 25, "only \(reads) reads")
                try await trust.publisher.publish()
                for template in made { _ = try await trust.find(TrustScene.path(template)) }
            }
        }
    }
}

/// Set once, for tasks that go on until then.
private final class Flag: Sendable {
    private let state = Mutex(false)

    var isSet: Bool { state.withLock { $0 } }

    func set() { state.withLock { $0 = true } }
}
