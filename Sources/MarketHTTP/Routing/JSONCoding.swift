// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketWire
import NIOCore
import NIOFoundationCompat

extension Response {
    /// An answer in JSON.
    package static func json(
        _ value: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) throws -> Response {
        var headers = headers
        headers[.contentType] = "application/json; charset=utf-8"
        return Response(status: status, headers: headers, body: .init(byteBuffer: try .json(value)))
    }

    /// An answer without a body.
    package static func empty(_ status: HTTPResponse.Status = .noContent, headers: HTTPFields = [:]) -> Response {
        Response(status: status, headers: headers, body: .init())
    }

    /// `303 See Other`, what a form's answer should be.
    package static func seeOther(_ location: String, headers: HTTPFields = [:]) -> Response {
        var headers = headers
        headers[.location] = location
        return Response(status: .seeOther, headers: headers, body: .init())
    }
}

extension ByteBuffer {
    /// The value's JSON as both ends write it.
    package static func json(_ value: some Encodable) throws -> ByteBuffer {
        ByteBuffer(data: try WireJSON.encoder().encode(value))
    }
}

extension Request {
    /// Largest JSON body that is read, in bytes.
    static let maximumJSONBytes = 1 << 20

    /// Reads a JSON body; throws `bad_json` naming the place that does not fit, `unsupported_media_type` or
    /// `too_large`.
    package func json<T: Decodable>(_ type: T.Type = T.self) async throws -> T {
        if let type = headers[.contentType], !type.lowercased().hasPrefix("application/json") {
            throw APIError(
                .unsupportedMediaType, .unsupportedMediaType, "Send the body as 'Content-Type: application/json'.")
        }
        let buffer = try await body.collect(upTo: Self.maximumJSONBytes)
        do {
            return try WireJSON.decoder().decode(type, from: Data(buffer: buffer))
        } catch let error as DecodingError {
            throw APIError(.badRequest, .badJSON, "The body does not fit.", errors: [error.problem])
        }
    }
}

extension Request {
    /// The same where the body may be left out: `nil` then.
    package func optionalJSON<T: Decodable>(_ type: T.Type = T.self) async throws -> T? {
        var request = self
        let buffer = try await request.collectBody(upTo: Self.maximumJSONBytes)
        return buffer.readableBytes == 0 ? nil : try await request.json(type)
    }
}

extension DecodingError {
    /// Where and what, without a word of the value.
    package var problem: ProblemDocument.Detail {
        switch self {
        case .keyNotFound(let key, let context):
            .init(pointer: Self.pointer(context.codingPath + [key]), detail: "This member is missing.")
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            .init(pointer: Self.pointer(context.codingPath), detail: "This should be of the type \(type).")
        case .dataCorrupted(let context):
            .init(
                pointer: Self.pointer(context.codingPath),
                detail: context.codingPath.isEmpty ? "This is not JSON." : context.debugDescription)
        @unknown default:
            .init(pointer: "", detail: "This does not fit.")
        }
    }

    private static func pointer(_ path: [any CodingKey]) -> String {
        path.map { "/" + ($0.intValue.map(String.init) ?? $0.stringValue) }.joined()
    }
}
