// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOFoundationCompat
import Synchronization
import TestSupport

@testable import MarketAPI
@testable import MarketContract
@testable import MarketHTTP
@testable import MarketPages

/// Holds the answers of a router that a test has put together itself against the contract, as `TestHTTP` does with a
/// whole market's. An answer that the contract does not tell of becomes one that no test expects.
struct ContractMiddleware: RouterMiddleware {
    typealias Context = MarketRequestContext

    private let check: ContractCheck

    /// Checks by the contract of all routes there are; `market` is any.
    init(features: Features) throws {
        let pages = try TestPages.shared.get()
        check = Self.kept.withLock { kept in
            if let kept { return kept }
            let whole = MarketApplication(features: features, pages: pages, listen: .init(host: "127.0.0.1", port: 0))
            let made = ContractCheck(document: APIContract(pages.contract, routes: whole.routes).document)
            kept = made
            return made
        }
    }

    private static let kept = Mutex<ContractCheck?>(nil)

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        SuiteLog.note(fields: request.headers.map { (name: $0.name.rawName, value: $0.value) })
        var response = try await next(request, context)
        SuiteLog.note(fields: response.headers.map { (name: $0.name.rawName, value: $0.value) })
        guard request.method != .head, response.headers[.contentType]?.contains("json") == true else { return response }
        let collector = Collector()
        try await response.body.write(CollectingWriter(collector: collector))
        let bytes = collector.bytes
        SuiteLog.note(body: Data(buffer: bytes), type: response.headers[.contentType])
        response.body = .init(byteBuffer: bytes)
        do {
            try check.check(
                request.method.rawValue, request.uri.string, status: response.status.code,
                header: { name in HTTPField.Name(name).flatMap { response.headers[$0] } }, body: Data(buffer: bytes))
        } catch {
            return Response(status: .init(code: 599), body: .init(byteBuffer: ByteBuffer(string: "\(error)")))
        }
        return response
    }
}

private final class Collector: Sendable {
    private let kept = Mutex(ByteBuffer())

    var bytes: ByteBuffer { kept.withLock { $0 } }

    func take(_ buffer: ByteBuffer) { _ = kept.withLock { $0.writeImmutableBuffer(buffer) } }
}

private struct CollectingWriter: ResponseBodyWriter {
    let collector: Collector

    mutating func write(_ buffer: ByteBuffer) async throws { collector.take(buffer) }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
