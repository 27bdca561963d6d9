// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import HummingbirdTesting
import MarketPages
import MarketPlatform
import MarketTrust
import NIOCore
import Postgres
import SheetCore
import Synchronization
import TestSupport
import Testing

/// A catalog that is signed, and a client of it that keeps what it verified.
struct TrustScene: Sendable {
    let scene: CatalogScene
    var rootKey = TrustSigningKey()
    var targetsKey = TrustSigningKey()

    var platform: Platform { scene.features.platform }
    var publisher: TrustPublisher { TrustPublisher(platform: platform) }
    var administration: TrustAdministration { TrustAdministration(platform: platform) }

    static func run(
        now: @escaping @Sendable () -> Date = { Date() },
        _ body: @escaping @Sendable (TrustScene) async throws -> Void
    ) async throws {
        try await CatalogScene.run(now: now) { scene in
            let trust = TrustScene(scene: scene)
            try await trust.begin()
            try await trust.publisher.publish()
            try await body(trust)
        }
    }

    /// As `sheetmarket up` does it.
    func begin() async throws {
        try await administration.begin(root: rootKey, targets: targetsKey, binCount: 16)
    }

    func file(_ name: String) async throws -> Data? {
        let answer = try await scene.send(.get, "/trust/\(name)")
        guard answer.status == .ok else { return nil }
        return Data(answer.body.readableBytesView)
    }

    /// A client that knows the first root alone.
    func client() async throws -> TrustedMetadata {
        var trusted = try TrustedMetadata(root: try #require(try await file("1.root.json")), now: platform.now())
        while let next = try await file("\(trusted.root.head.version + 1).root.json") { try trusted.updateRoot(next) }
        try trusted.finishRoots()
        try trusted.updateTimestamp(try #require(try await file("timestamp.json")))
        try trusted.updateSnapshot(try #require(try await file(trusted.fileName(of: "snapshot"))))
        return trusted
    }

    /// What a client finds of a path.
    func find(_ path: String) async throws -> TrustTarget {
        var trusted = try await client()
        while true {
            switch try trusted.find(path) {
            case .found(let target): return target
            case .needs(let role, let parent):
                let bytes = try #require(try await file(trusted.fileName(of: role)))
                try trusted.updateTargets(bytes, role: role, parent: parent)
            }
        }
    }

    /// Versions of all roles now.
    func versions() async throws -> [String: Int64] {
        let trusted = try await client()
        var versions = (trusted.snapshot?.files ?? [:]).compactMapValues(\.version)
        versions["snapshot"] = trusted.snapshot?.head.version
        versions["timestamp"] = trusted.timestamp?.head.version
        return versions
    }

    static func path(_ made: CatalogScene.Made, _ number: String = "1.0.0") throws -> String {
        TargetPath.of(made.id, try #require(SemanticVersion(number)), .sheet)
    }
}
