// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import MarketClient
import MarketWire
import NIOCore
import ServiceLifecycle
import Synchronization
import Testing

/// A server that misbehaves as a test wants it to; the real one is met in the end-to-end tests.
final class StubServer: Sendable {
    /// A request as it came in.
    struct Seen: Sendable {
        let method: String
        let path: String
        let target: String
        let headers: HTTPFields
        /// The client's end of the connection.
        let peer: String?
    }

    typealias Handler = @Sendable (Request, StubServer) async throws -> Response

    private let log = Mutex<[Seen]>([])
    private let started = Mutex<Int?>(nil)

    var port: Int { started.withLock { $0 ?? 0 } }
    var url: String { "http://127.0.0.1:\(port)" }
    var address: ServerAddress {
        get throws { try #require(ServerAddress(url)) }
    }

    func seen(_ path: String? = nil) -> [Seen] {
        log.withLock { $0.filter { path == nil || $0.path == path } }
    }

    fileprivate func note(_ request: Request, from peer: String?) {
        log.withLock { log in
            log.append(
                Seen(
                    method: request.method.rawValue, path: request.uri.path, target: request.uri.string,
                    headers: request.headers, peer: peer))
        }
    }

    fileprivate func listens(on port: Int?) { started.withLock { $0 = port } }
}

/// Runs a test against a server on a free port and takes the server down afterwards.
@discardableResult
func withStub<Result: Sendable>(
    _ handler: @escaping StubServer.Handler, _ test: @Sendable (StubServer) async throws -> Result
) async throws -> Result {
    let stub = StubServer()
    let (ports, port) = AsyncStream.makeStream(of: Int?.self)
    let logger = quietLogger()
    let app = Application(
        responder: CallbackResponder<StubContext> { request, context in
            stub.note(request, from: context.peer)
            do {
                return try await handler(request, stub)
            } catch let broken as Broken {
                context.channel.close(mode: .all, promise: nil)
                try await context.channel.closeFuture.get()
                throw broken
            }
        },
        configuration: .init(address: .hostname("127.0.0.1", port: 0)),
        onServerRunning: { port.yield($0.localAddress?.port) }, logger: logger)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
            let services = ServiceGroup(configuration: .init(services: [app], logger: logger))
            try await services.run()
        }
        for await port in ports {
            stub.listens(on: port)
            break
        }
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await test(stub))
        } catch {
            result = .failure(error)
        }
        group.cancelAll()
        while case .some(let ended) = await group.nextResult() { _ = ended }
        return try result.get()
    }
}

/// A request's context that knows its connection.
private struct StubContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel
    let peer: String?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
        peer = channel.remoteAddress?.description
    }
}

private func quietLogger() -> Logger {
    var logger = Logger(label: "stub")
    logger.logLevel = .critical
    return logger
}

/// A server's broken connection: without an answer where a handler throws it, within the answer where its body does.
struct Broken: Error {}

extension Response {
    static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(bytes: try WireJSON.encoder().encode(value))))
    }

    static func problem(
        _ status: Int, _ code: ErrorCode, _ detail: String, retryAfter: String? = nil
    ) throws -> Response {
        var response = try json(
            ProblemDocument(status: status, code: code, title: "It went wrong", detail: detail),
            status: .init(code: status))
        response.headers[.contentType] = ProblemDocument.mediaType
        response.headers[.retryAfter] = retryAfter
        return response
    }

    static func bytes(_ bytes: some Collection<UInt8>, status: HTTPResponse.Status = .ok) -> Response {
        Response(status: status, body: .init(byteBuffer: ByteBuffer(bytes: Array(bytes))))
    }

    /// Promises all bytes, sends the first few, and breaks the connection.
    static func truncated(_ bytes: [UInt8], after count: Int, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            body: .init(contentLength: bytes.count) { writer in
                try await writer.write(ByteBuffer(bytes: bytes.prefix(count)))
                try await Task.sleep(for: .milliseconds(50))
                throw Broken()
            })
    }

    static func redirect(to location: String) -> Response {
        Response(status: .found, headers: [.location: location])
    }
}
