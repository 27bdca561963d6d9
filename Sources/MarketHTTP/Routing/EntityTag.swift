// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import SheetCore

/// Entity tags of answers.
package enum EntityTag {
    /// A strong tag made of the bytes.
    package static func of(_ body: ByteBuffer) -> String {
        "\"\(ContentHash(hashing: body.readableBytesView).hex.prefix(32))\""
    }

    /// A strong tag of the bytes that tells the state of what can be edited, too.
    package static func of(_ body: ByteBuffer, state: String) -> String {
        "\"\(state)-\(ContentHash(hashing: body.readableBytesView).hex.prefix(16))\""
    }

    /// A state as tags tell it.
    package static func state(_ parts: [String]) -> String {
        var text = ""
        for part in parts { text += "\(part.utf8.count):\(part)" }
        return String(ContentHash(hashing: Data(text.utf8)).hex.prefix(20))
    }

    /// The state that a tag of bytes alone tells.
    package static func state(of body: ByteBuffer) -> String {
        String(ContentHash(hashing: body.readableBytesView).hex.prefix(32))
    }

    /// The tag of the same answer in gzip: other bytes, another tag.
    package static func compressed(_ tag: String) -> String {
        tag.hasSuffix("-gzip\"") ? tag : tag.dropLast() + "-gzip\""
    }
}

extension Request {
    /// Whether the client already holds what `tag` names (RFC 9110, section 13.1.2; weak comparison).
    package func holds(_ tag: String) -> Bool {
        guard let field = headers[.ifNoneMatch] else { return false }
        if field == "*" { return true }
        return field.split(separator: ",").contains { candidate in
            var candidate = candidate.drop { $0 == " " }
            while candidate.hasSuffix(" ") { candidate.removeLast() }
            return candidate == tag || candidate == "W/\(tag)"
        }
    }

    /// An answer, in JSON unless `headers` say otherwise, with an entity tag made of its bytes; `304` when the client
    /// holds it. JSON comes in gzip to who takes it.
    package func conditionalResponse(_ body: ByteBuffer, headers: HTTPFields = [:], tag given: String? = nil)
        -> Response
    {
        var headers = headers
        var body = body
        var tag = given ?? EntityTag.of(body)
        let isJSON = headers[.contentType] == nil
        if isJSON { headers[.vary] = "Accept-Encoding" }
        let isSmaller = isJSON && body.readableBytes >= Gzip.leastBytes && acceptsGzip
        if isSmaller { tag = EntityTag.compressed(tag) }
        headers[.eTag] = tag
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-cache" }
        if holds(tag) { return Response(status: .notModified, headers: headers, body: .init()) }
        if isJSON { headers[.contentType] = "application/json; charset=utf-8" }
        if isSmaller, let smaller = Gzip.compressed(body) {
            body = smaller
            headers[.contentEncoding] = "gzip"
        }
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: body))
    }
}
