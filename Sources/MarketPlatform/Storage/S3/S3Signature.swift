// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import SheetCore

/// AWS Signature Version 4 of requests to S3 (Amazon S3 API Reference, "Authenticating Requests"): in a header for our
/// own requests, in the query for addresses that are handed out.
struct S3Signature: Sendable {
    typealias Fields = [(name: String, value: String)]

    private static let algorithm = "AWS4-HMAC-SHA256"
    /// Longest time that an address may hold, in seconds.
    static let longestSeconds = 604_800

    let bucket: S3Bucket

    /// The fields that a request has to carry besides `fields`, which are signed too. `query` is not encoded yet.
    func headers(
        method: String, key: String, query: Fields = [], fields: Fields = [], payloadHash: String, at date: Date
    ) -> Fields {
        let time = Self.time(date)
        var signed = fields + [("x-amz-content-sha256", payloadHash), ("x-amz-date", time)]
        signed.append(("host", Self.host(of: bucket.endpoint)))
        let names = Self.names(signed)
        let signature = signature(
            of: request(method, key, Self.text(of: query), signed, payloadHash), at: time)
        let authorization =
            "\(Self.algorithm) Credential=\(bucket.accessKey)/\(scope(time)), SignedHeaders=\(names), Signature=\(signature)"
        return fields + [
            ("x-amz-content-sha256", payloadHash), ("x-amz-date", time), ("Authorization", authorization),
        ]
    }

    /// An address at `endpoint` with which anybody may get the object for `seconds`. `query` may set the answer's fields
    /// (`response-content-type` and the like).
    func presigned(key: String, endpoint: String, query: Fields = [], seconds: Int, at date: Date) -> String {
        let time = Self.time(date)
        let all =
            query + [
                ("X-Amz-Algorithm", Self.algorithm), ("X-Amz-Credential", "\(bucket.accessKey)/\(scope(time))"),
                ("X-Amz-Date", time), ("X-Amz-Expires", String(min(max(1, seconds), Self.longestSeconds))),
                ("X-Amz-SignedHeaders", "host"),
            ]
        let text = Self.text(of: all)
        let signature = signature(
            of: request("GET", key, text, [("host", Self.host(of: endpoint))], "UNSIGNED-PAYLOAD"), at: time)
        return "\(endpoint)\(bucket.path(of: key))?\(text)&X-Amz-Signature=\(signature)"
    }

    /// A query as it is signed and sent: encoded, in order.
    static func text(of query: Fields) -> String {
        query.map { ($0.name.uriEncoded(), $0.value.uriEncoded()) }.sorted { $0 < $1 }
            .map { "\($0)=\($1)" }.joined(separator: "&")
    }

    private func request(
        _ method: String, _ key: String, _ query: String, _ fields: Fields, _ payloadHash: String
    ) -> String {
        let lines = fields.map { "\($0.name.lowercased()):\($0.value.trimmingCharacters(in: .whitespaces))\n" }
        return [method, bucket.path(of: key), query, lines.sorted().joined(), Self.names(fields), payloadHash]
            .joined(separator: "\n")
    }

    private func signature(of request: String, at time: String) -> String {
        let text = "\(Self.algorithm)\n\(time)\n\(scope(time))\n\(ContentHash(hashing: Data(request.utf8)).hex)"
        var key = SymmetricKey(data: Data("AWS4\(bucket.secretKey)".utf8))
        for part in [String(time.prefix(8)), bucket.region, "s3", "aws4_request"] {
            key = SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Data(part.utf8), using: key))
        }
        return HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key)
            .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private func scope(_ time: String) -> String { "\(time.prefix(8))/\(bucket.region)/s3/aws4_request" }

    private static func names(_ fields: Fields) -> String {
        fields.map { $0.name.lowercased() }.sorted().joined(separator: ";")
    }

    private static func time(_ date: Date) -> String {
        date.formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
    }

    /// The `Host` field of requests to an endpoint: no port where it is the scheme's own.
    private static func host(of endpoint: String) -> String {
        guard let url = URLComponents(string: endpoint), let host = url.encodedHost else { return endpoint }
        guard let port = url.port, port != (url.scheme == "https" ? 443 : 80) else { return host }
        return "\(host):\(port)"
    }
}
