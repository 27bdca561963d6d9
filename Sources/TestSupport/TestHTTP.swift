// SPDX-License-Identifier: Apache-2.0
import AsyncHTTPClient
import Foundation
import MarketAPI
import MarketContract
import MarketWire
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import SheetCore

/// Plain HTTP towards one server, as any client would send it; redirects are answers here, not followed.
package struct TestHTTP: Sendable {
    /// An answer, collected.
    package struct Answer: Sendable {
        package let status: Int
        package let headers: HTTPHeaders
        package let body: ByteBuffer

        package var text: String { String(buffer: body) }

        /// The body as a wire value.
        package func json<T: Decodable>(_ type: T.Type = T.self) throws -> T {
            try WireJSON.decoder().decode(type, from: Data(buffer: body))
        }

        /// The stable code of a problem document; `nil` of any other body.
        package var problemCode: ErrorCode? { try? json(ProblemDocument.self).code }
    }

    /// The server: `http://127.0.0.1:PORT`.
    package let base: String
    /// Sent as a bearer token.
    package var token: String?
    /// Whether answers are held against the contract; not where another server than ours answers.
    package var isChecked = true

    // The deadlines are for a test that hangs, not for a machine that is busy.
    private static let client = HTTPClient(
        eventLoopGroupProvider: .singleton,
        configuration: .init(redirectConfiguration: .disallow, timeout: .init(connect: .seconds(120))))

    /// Towards `base`.
    package init(base: String, token: String? = nil) {
        self.base = base
        self.token = token
    }

    /// The same with another caller.
    package func signedIn(_ token: String?) -> TestHTTP {
        var other = self
        other.token = token
        return other
    }

    /// Sends a request and collects the answer; throws when the contract tells of no such answer.
    package func send(
        _ method: HTTPMethod, _ path: String, headers: [(String, String)] = [], body: ByteBuffer? = nil
    ) async throws -> Answer {
        let response = try await execute(method, path, headers: headers, body: body.map { .bytes($0) })
        let answer = Answer(
            status: Int(response.status.code), headers: response.headers,
            body: try await response.body.collect(upTo: 256 << 20))
        let type = headers.first { $0.0.lowercased() == "content-type" }?.1
        if let body { SuiteLog.note(body: Data(buffer: body), type: type) }
        SuiteLog.note(body: Data(buffer: answer.body), type: answer.headers.first(name: "content-type"))
        if isChecked {
            let address = path.hasPrefix(base) ? String(path.dropFirst(base.count)) : path
            try await ContractCache.shared.check(of: base).check(
                method.rawValue, address, status: answer.status, header: { answer.headers.first(name: $0) },
                body: Data(buffer: answer.body))
        }
        return answer
    }

    /// Sends a request and hands over the answer as it comes.
    package func execute(
        _ method: HTTPMethod, _ path: String, headers: [(String, String)] = [], body: HTTPClientRequest.Body? = nil
    ) async throws -> HTTPClientResponse {
        var request = HTTPClientRequest(url: path.hasPrefix("http") ? path : base + path)
        request.method = method
        request.headers = HTTPHeaders(headers)
        if let token { request.headers.replaceOrAdd(name: "Authorization", value: "Bearer \(token)") }
        request.body = body
        SuiteLog.note(fields: request.headers)
        let response = try await Self.client.execute(request, timeout: .seconds(600))
        SuiteLog.note(fields: response.headers)
        return response
    }

    package func get(_ path: String, headers: [(String, String)] = []) async throws -> Answer {
        try await send(.GET, path, headers: headers)
    }

    /// `POST` or another method with a JSON body.
    package func send(
        _ method: HTTPMethod = .POST, _ path: String, json: some Encodable, headers: [(String, String)] = []
    ) async throws -> Answer {
        try await send(
            method, path, headers: headers + [("Content-Type", "application/json")],
            body: ByteBuffer(data: try WireJSON.encoder().encode(json)))
    }

    /// `POST` of an upload: `metadata` and `file`.
    package func upload(
        _ path: String = "\(Paths.base)/templates", metadata: UploadMetadata, file: Data, fileName: String = "sheet.pdf"
    ) async throws -> Answer {
        var form = MultipartForm()
        form.add("metadata", contentType: "application/json", try WireJSON.encoder().encode(metadata))
        form.add("file", fileName: fileName, contentType: "application/pdf", file)
        return try await send(.POST, path, headers: [("Content-Type", form.contentType)], body: form.finished)
    }
}

/// The contract of our servers, fetched once: all servers in a run of the tests are built of the same sources.
private actor ContractCache {
    static let shared = ContractCache()
    private var cached: ContractCheck?

    func check(of base: String) async throws -> ContractCheck {
        if let cached { return cached }
        var http = TestHTTP(base: base)
        http.isChecked = false
        let answer = try await http.get("/openapi.json")
        let check = ContractCheck(document: try answer.json(JSONValue.self))
        cached = check
        return check
    }
}

/// Writes multipart/form-data (RFC 7578), well-formed.
package struct MultipartForm: Sendable {
    private let boundary = "test-boundary-7MA4YWxkTrZu0gW"
    private var bytes = ByteBuffer()

    package init() {}

    package mutating func add(
        _ name: String, fileName: String? = nil, contentType: String? = nil, _ data: some Sequence<UInt8>
    ) {
        bytes.writeString("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"")
        if let fileName { bytes.writeString("; filename=\"\(fileName)\"") }
        if let contentType { bytes.writeString("\r\nContent-Type: \(contentType)") }
        bytes.writeString("\r\n\r\n")
        bytes.writeBytes(data)
        bytes.writeString("\r\n")
    }

    /// The header field that goes with it.
    package var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    package var finished: ByteBuffer {
        var body = bytes
        body.writeString("--\(boundary)--\r\n")
        return body
    }
}
