// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import NIOCore
import SheetCore

/// Entity tags of answers.
enum EntityTag {
    /// A strong tag made of the bytes.
    static func of(_ body: ByteBuffer) -> String {
        "\"\(ContentHash(hashing: body.readableBytesView).hex.prefix(32))\""
    }
}

extension Request {
    /// Whether the client already holds what `tag` names (RFC 9110, section 13.1.2; weak comparison).
    func holds(_ tag: String) -> Bool {
        guard let field = headers[.ifNoneMatch] else { return false }
        if field == "*" { return true }
        return field.split(separator: ",").contains { candidate in
            var candidate = candidate.drop { $0 == " " }
            while candidate.hasSuffix(" ") { candidate.removeLast() }
            return candidate == tag || candidate == "W/\(tag)"
        }
    }

    /// An answer, in JSON unless `headers` say otherwise, with an entity tag made of its bytes; `304` when the client holds it.
    func revalidated(_ body: ByteBuffer, headers: HTTPFields = [:]) -> Response {
        let tag = EntityTag.of(body)
        var headers = headers
        headers[.eTag] = tag
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-cache" }
        if holds(tag) { return Response(status: .notModified, headers: headers, body: .init()) }
        if headers[.contentType] == nil { headers[.contentType] = "application/json; charset=utf-8" }
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: body))
    }
}
