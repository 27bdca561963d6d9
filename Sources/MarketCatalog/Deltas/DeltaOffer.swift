// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

/// Answers who has an older file with what differs from it (RFC 9842), where there is that.
struct DeltaOffer: Sendable {
    let database: PostgresClient
    let objects: ObjectServer

    /// `nil` where the whole file is the answer: to most requests, and whenever something is in the way.
    func response(to request: Request, for target: ContentHash?, headers: HTTPFields) async -> Response? {
        guard let field = HTTPField.Name(DictionaryCompression.dictionaryField), let text = request.headers[field],
            let base = DictionaryCompression.dictionary(fieldValue: text), let target, request.method == .get,
            request.headers[.range] == nil, accepts(request.headers[.acceptEncoding]),
            let delta = try? await DeltaStore.find(target, from: base, in: database)
        else { return nil }
        var headers = headers
        headers[.contentEncoding] = DictionaryCompression.coding
        headers[.vary] = "accept-encoding, available-dictionary"
        return try? await objects.response(to: request, hex: delta.hex, headers: headers)
    }

    private func accepts(_ encodings: String?) -> Bool {
        (encodings ?? "").split(separator: ",").contains { encoding in
            let parts = encoding.split(separator: ";").map { $0.filter { $0 != " " } }
            return parts.first?.lowercased() == DictionaryCompression.coding && !parts.dropFirst().contains("q=0")
        }
    }
}
