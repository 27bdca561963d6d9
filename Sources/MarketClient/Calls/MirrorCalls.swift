// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import MarketWire
import SheetCore

extension MarketClient {
    /// What happened to the catalog since a cursor: `nextCursor` of the answer before, a dump's, or `now`.
    ///
    /// With `withTemplates` the answer also has the templates it tells of, as they are now.
    public func changes(since cursor: String? = nil, limit: Int? = nil, withTemplates: Bool = false) async throws
        -> ChangeList
    {
        let query: Call.Query = [
            ("since", cursor), ("limit", limit?.description), ("include", withTemplates ? "templates" : nil),
        ]
        return try await requests.json(.get("\(Paths.base)/changes", query))
    }

    /// The dumps of the catalog there are, the newest first.
    public func dumps() async throws -> [CatalogDump] {
        try await requests.json(.get("\(Paths.base)/dumps"), as: CatalogDumpList.self).dumps
    }

    /// A dump's bytes: JSON lines, gzip-compressed. They are checked against nothing; the list has their SHA-256.
    public func dump(_ name: String) async throws -> ByteStream {
        var call = Call.get("\(Paths.base)/dumps/\(try Self.segment(name))")
        call.headers[.accept] = "application/gzip"
        return try await requests.send(call).body
    }

    /// Several files of signed metadata by their names under `/trust`, as far as there are such; none of them is verified.
    /// Asks as often as the server's limit needs.
    public func signedMetadata(_ names: [String]) async throws -> [String: Data] {
        let size = MetadataQuery.maximumCount
        let parts = stride(from: 0, to: names.count, by: size).map { Array(names[$0...].prefix(size)) }
        let files = try await inParallel(parts) { part in
            let query = MetadataQuery(names: part)
            let call = try Call.send(.post, "\(Paths.base)/signed-metadata", query, repeatable: true)
            return try await requests.json(call, as: MetadataBundle.self).files
        }
        return Dictionary(files.flatMap { $0 }.map { ($0.name, Data($0.content.utf8)) }) { first, _ in first }
    }

    /// What moderation did, in figures for everybody.
    public func transparency() async throws -> TransparencyReport {
        try await requests.json(.get("\(Paths.base)/transparency"))
    }
}
