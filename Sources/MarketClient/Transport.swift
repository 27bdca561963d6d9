// SPDX-License-Identifier: Apache-2.0
import AsyncHTTPClient
import Foundation
import MarketWire
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

/// One request as the calls describe it.
struct Call: Sendable {
    var method: HTTPMethod = .GET
    /// Below the server's address, query not included.
    var path: String
    var query: [(name: String, value: String)] = []
    var headers: HTTPHeaders = [:]
    var body: HTTPClientRequest.Body?
    /// Whether the same call twice does what it does once, so that it may be tried again.
    var repeatable: Bool
    /// How long the server may take to begin its answer.
    var timeout: Duration = .seconds(30)

    static func get(_ path: String, _ query: [(name: String, value: String)] = []) -> Call {
        Call(path: path, query: query, repeatable: true)
    }

    static func send(
        _ method: HTTPMethod, _ path: String, _ value: (any Encodable & Sendable)? = nil, repeatable: Bool = false
    ) throws -> Call {
        var call = Call(method: method, path: path, repeatable: repeatable)
        if let value {
            call.body = .bytes(ByteBuffer(data: try WireJSON.encoder().encode(value)))
            call.headers.add(name: "Content-Type", value: "application/json")
        }
        return call
    }
}

/// Sends calls: authorization, tries, redirects, and problem documents made errors.
struct Transport: Sendable {
    let server: ServerAddress
    let token: String?
    let retry: RetryPolicy
    let http: HTTPClient

    /// Largest JSON answer that is taken.
    static let maximumAnswerBytes = 16 << 20
    static let maximumRedirects = 5

    /// Never shut down: it lives as long as the process and closes idle connections by itself.
    static let sharedHTTP: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.timeout = .init(connect: .seconds(10), read: .seconds(60), write: .seconds(60))
        // Tries are ours: the pool's own would hide a refused connection for ten seconds.
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
    }()

    /// Sends a call and reads its JSON answer.
    func json<Answer: Decodable>(_ call: Call, as type: Answer.Type = Answer.self) async throws -> Answer {
        let response = try await send(call)
        let data = try await collect(response, upTo: Self.maximumAnswerBytes)
        do {
            return try WireJSON.decoder().decode(Answer.self, from: data)
        } catch {
            throw MarketClientError.unreadableAnswer("\(call.path) gave \(Self.explain(error))")
        }
    }

    /// Sends a call whose answer says nothing more than its status.
    func discard(_ call: Call) async throws {
        let response = try await send(call)
        _ = try await collect(response, upTo: Self.maximumAnswerBytes)
    }

    /// Reads a whole body, within a limit.
    func collect(_ response: HTTPClientResponse, upTo limit: Int) async throws -> Data {
        do {
            return Data(buffer: try await response.body.collect(upTo: limit))
        } catch is NIOTooManyBytesError {
            throw MarketClientError.unreadableAnswer("it is larger than \(limit) bytes")
        } catch {
            throw try failure(error)
        }
    }

    /// Sends a call to the market itself; the answer has a status below 300, or is a `304` that was asked for.
    func send(_ call: Call) async throws -> HTTPClientResponse {
        guard var parts = URLComponents(string: server.description + call.path) else {
            throw MarketClientError.badRequest("'\(call.path)' is not an address.")
        }
        if !call.query.isEmpty {
            parts.queryItems = call.query.map { URLQueryItem(name: $0.name, value: $0.value) }
            // A bare `+` would arrive as a blank.
            parts.percentEncodedQuery = parts.percentEncodedQuery?.replacingOccurrences(of: "+", with: "%2B")
        }
        guard let url = parts.url else { throw MarketClientError.badRequest("'\(call.path)' is not an address.") }
        return try await send(call, to: url)
    }

    /// Sends a call to an address that the market gave; the token goes along only to the market's own origin.
    func send(_ call: Call, to url: URL) async throws -> HTTPClientResponse {
        var attempt = 1
        while true {
            let wait: Duration
            do {
                let response = try await follow(call, from: url)
                guard response.status.code >= 400 else { return response }
                let asked = RetryPolicy.retryAfter(response.headers.first(name: "Retry-After"))
                let problem = await self.problem(in: response)
                let temporary = [429, 502, 503, 504].contains(response.status.code)
                guard call.repeatable, temporary, let delay = retry.delay(after: attempt, asked: asked) else {
                    throw problem
                }
                wait = delay
            } catch let error as MarketClientError {
                guard call.repeatable, case .unreachable = error, let delay = retry.delay(after: attempt, asked: nil)
                else { throw error }
                wait = delay
            }
            try await Task.sleep(for: wait)
            attempt += 1
        }
    }

    private func follow(_ call: Call, from start: URL) async throws -> HTTPClientResponse {
        var url = start
        for _ in 0...Self.maximumRedirects {
            let response = try await once(call, url)
            guard [301, 302, 303, 307, 308].contains(response.status.code) else { return response }
            guard call.method == .GET || call.method == .HEAD else {
                throw MarketClientError.badRedirect("a \(call.method.rawValue) is not sent elsewhere")
            }
            guard let location = response.headers.first(name: "Location"),
                let target = URL(string: location, relativeTo: url)?.absoluteURL,
                let scheme = target.scheme?.lowercased(), ["http", "https"].contains(scheme), target.host() != nil
            else { throw MarketClientError.badRedirect("the redirect names no address") }
            guard scheme == "https" || url.scheme?.lowercased() == "http" else {
                throw MarketClientError.badRedirect("from https to http")
            }
            url = target
        }
        throw MarketClientError.badRedirect("more than \(Self.maximumRedirects) redirects")
    }

    private func once(_ call: Call, _ url: URL) async throws -> HTTPClientResponse {
        var request = HTTPClientRequest(url: url.absoluteString)
        request.method = call.method
        request.headers = call.headers
        request.headers.replaceOrAdd(name: "User-Agent", value: "sheets/\(MarketClient.version)")
        if !request.headers.contains(name: "Accept") {
            request.headers.add(name: "Accept", value: "application/json, application/problem+json;q=0.9")
        }
        if let token, server.hasSameOrigin(as: url) {
            request.headers.replaceOrAdd(name: "Authorization", value: "Bearer \(token)")
        }
        request.body = call.body
        let timeout = TimeAmount.nanoseconds(call.timeout.components.seconds * 1_000_000_000)
        do {
            return try await http.execute(request, timeout: timeout)
        } catch {
            throw try failure(error)
        }
    }

    /// Makes an error of an answer whose status is one.
    func problem(in response: HTTPClientResponse) async -> MarketClientError {
        let status = Int(response.status.code)
        // Without a body that can be read the status tells enough.
        let data = (try? await collect(response, upTo: 1 << 20)) ?? Data()
        if let problem = try? WireJSON.decoder().decode(ProblemDocument.self, from: data) {
            return .refused(problem)
        }
        return .status(status, response.status.reasonPhrase)
    }

    /// Makes a client error of what the HTTP library threw; cancellation stays what it is.
    func failure(_ error: any Error) throws -> MarketClientError {
        if let error = error as? MarketClientError { return error }
        if error is CancellationError || (error as? HTTPClientError) == .cancelled { throw CancellationError() }
        if let error = error as? HTTPClientError {
            switch error {
            case .readTimeout, .writeTimeout, .deadlineExceeded, .getConnectionFromPoolTimeout:
                return .timedOut(server: server.description)
            case .connectTimeout:
                return .unreachable(server: server.description, reason: "no connection within ten seconds")
            case .remoteConnectionClosed:
                return .unreachable(server: server.description, reason: "the connection was closed too early")
            default:
                return .unreachable(server: server.description, reason: error.shortDescription)
            }
        }
        return .unreachable(server: server.description, reason: Self.reason(String(describing: error)))
    }

    /// The socket library is another one on each platform, and its errors have no type in common.
    private static func reason(_ text: String) -> String {
        let known = [
            "Connection refused": "nothing listens there", "Connection reset": "the connection was reset",
            "Broken pipe": "the connection broke", "invalidEOFState": "the connection was closed too early",
            "No route to host": "there is no route to it", "Network is unreachable": "there is no network",
            "unknown": "nobody knows its name", "Name or service not known": "nobody knows its name",
            "Temporary failure in name resolution": "its name could not be looked up",
            "CERTIFICATE_VERIFY_FAILED": "its certificate is not trusted",
        ]
        return known.first { text.contains($0.key) }?.value ?? text
    }

    private static func explain(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "something else" }
        func place(_ context: DecodingError.Context) -> String {
            let path = context.codingPath.map(\.stringValue).joined(separator: "/")
            return path.isEmpty ? context.debugDescription : "\(context.debugDescription) (at \(path))"
        }
        switch error {
        case .dataCorrupted(let context), .keyNotFound(_, let context), .typeMismatch(_, let context),
            .valueNotFound(_, let context):
            return place(context)
        @unknown default:
            return "something else"
        }
    }
}
