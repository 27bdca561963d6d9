// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import MarketWire
import SheetCore
import Synchronization

/// One request as the calls describe it.
struct Call: Sendable {
    /// Parameters of an address; those without a value are left out.
    typealias Query = [(name: String, value: String?)]

    var method: HTTPRequest.Method = .get
    /// Below the server's address, query not included.
    var path: String
    var query: Query = []
    var headers: HTTPFields = [:]
    var body: TransportBody?
    /// Whether the same call twice does what it does once, so that it may be tried again.
    var repeatable: Bool
    /// How long the server may take to begin its answer.
    var timeout: Duration = .seconds(30)

    /// The parameters that are sent.
    var queryItems: [URLQueryItem] {
        query.compactMap { name, value in value.map { URLQueryItem(name: name, value: $0) } }
    }

    static func get(_ path: String, _ query: Query = []) -> Call {
        Call(path: path, query: query, repeatable: true)
    }

    /// A change. One that is not `repeatable` by its nature is made so by an idempotency key.
    static func send(
        _ method: HTTPRequest.Method, _ path: String, _ value: (any Encodable & Sendable)? = nil,
        query: Query = [], repeatable: Bool = false
    ) throws -> Call {
        var call = Call(method: method, path: path, query: query, repeatable: repeatable)
        if let value {
            call.body = .bytes(try WireJSON.encoder().encode(value))
            call.headers[.contentType] = "application/json"
        }
        if !repeatable || method == .delete {
            // The server answers the second try as the first, also of what is gone since the first.
            call.setIdempotencyKey()
            call.repeatable = true
        }
        return call
    }

    /// Lets the server answer the same call twice with one answer (draft-ietf-httpapi-idempotency-key-header).
    mutating func setIdempotencyKey(_ key: UUID = UUID()) { setHeader("Idempotency-Key", key.lowercaseText) }

    /// Sets a header that the HTTP library has no name for.
    mutating func setHeader(_ name: String, _ value: String) {
        if let name = HTTPField.Name(name) { headers[name] = value }
    }
}

/// Sends calls: authorization, tries, redirects, and problem documents made errors.
struct Requests: Sendable {
    let server: ServerAddress
    var token: String?
    let retry: RetryPolicy
    let http: any HTTPTransport
    /// Who is asked in the server's stead, for people.
    var standIn: String?
    /// Copies share it: what one of them has changed, all read.
    private let lastChange = LastChange()

    init(
        server: ServerAddress, token: String?, retry: RetryPolicy, http: any HTTPTransport, standIn: String? = nil
    ) {
        self.server = server
        self.token = token
        self.retry = retry
        self.http = http
        self.standIn = standIn
    }

    /// The library's version, sent as `User-Agent: sheets/<version>`.
    static var version: String { ReleaseVersion.current }

    /// Largest JSON answer that is taken.
    static let maximumAnswerBytes = 16 << 20
    /// Largest export of an account that is taken.
    static let maximumExportBytes = 256 << 20
    static let maximumRedirects = 5
    /// A market gives up on a change of which it told nobody the end after 45 seconds.
    static let longestUnderWay = Duration.seconds(60)

    /// Sends a call and reads its JSON answer.
    func json<Answer: Decodable>(_ call: Call, as type: Answer.Type = Answer.self) async throws -> Answer {
        try await decode(try await send(call), of: call)
    }

    /// Reads the JSON body of an answer to a call.
    func decode<Answer: Decodable>(_ response: TransportResponse, of call: Call) async throws -> Answer {
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
    func collect(_ response: TransportResponse, upTo limit: Int) async throws -> Data {
        var data = Data()
        do {
            for try await piece in response.body {
                guard data.count + piece.count <= limit else {
                    throw MarketClientError.unreadableAnswer("it is larger than \(limit) bytes")
                }
                try AnswerBudget.current?.take(piece.count)
                data.append(piece)
            }
        } catch {
            throw failure(error)
        }
        return data
    }

    /// Sends a call to the market itself; the answer has a status below 300, or is a `304` that was asked for. `refusal` is
    /// given the wait that an answer with an error asks for.
    func send(_ call: Call, refusal: (Duration?) -> Void = { _ in }) async throws -> TransportResponse {
        guard var parts = URLComponents(string: server.description + call.path) else {
            throw MarketClientError.badRequest("'\(call.path)' is not an address.")
        }
        let items = call.queryItems
        if !items.isEmpty {
            parts.queryItems = items
            // A bare `+` would arrive as a blank.
            parts.percentEncodedQuery = parts.percentEncodedQuery?.replacingOccurrences(of: "+", with: "%2B")
        }
        guard let url = parts.url else { throw MarketClientError.badRequest("'\(call.path)' is not an address.") }
        return try await send(call, to: url, refusal: refusal)
    }

    /// Sends a call to an address that the market gave; the token goes along only to the market's own origin.
    func send(
        _ call: Call, to url: URL, refusal: (Duration?) -> Void = { _ in }
    ) async throws -> TransportResponse {
        var attempt = 1
        var underWayUntil: ContinuousClock.Instant?
        while true {
            let wait: Duration
            do {
                let response = try await follow(call, from: url)
                guard response.status >= 400 else { return response }
                let asked = RetryPolicy.retryAfter(response.headers[.retryAfter])
                refusal(asked)
                let problem = await self.problem(in: response)
                // The first try may still be under way behind a connection that broke.
                if call.repeatable, retry != .none, problem.code == .idempotencyKeyInUse {
                    let end = underWayUntil ?? .now + Self.longestUnderWay
                    underWayUntil = end
                    if .now < end {
                        try await Task.sleep(for: min(asked ?? .seconds(1), .seconds(5)))
                        continue
                    }
                }
                let isTemporary = [429, 502, 503, 504].contains(response.status)
                guard call.repeatable, isTemporary, let delay = retry.delay(after: attempt, asked: asked) else {
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

    private func follow(_ call: Call, from start: URL) async throws -> TransportResponse {
        var url = start
        for _ in 0...Self.maximumRedirects {
            let response = try await once(call, url)
            guard [301, 302, 303, 307, 308].contains(response.status) else { return response }
            guard call.method == .get || call.method == .head else {
                throw MarketClientError.badRedirect("a \(call.method.rawValue) is not sent elsewhere")
            }
            guard let location = response.headers[.location],
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

    private func once(_ call: Call, _ url: URL) async throws -> TransportResponse {
        var request = TransportRequest(
            method: call.method, url: url, headers: call.headers, body: call.body, timeout: call.timeout)
        request.headers[.userAgent] = "sheets/\(Self.version)"
        if !request.headers.contains(.accept) {
            request.headers[.accept] = "application/json, application/problem+json;q=0.9"
        }
        let isMarket = server.hasSameOrigin(as: url)
        if isMarket {
            if let token { request.headers[.authorization] = "Bearer \(token)" }
            lastChange.mark(&request)
        }
        do {
            let response = try await http.send(request)
            if isMarket { lastChange.note(response) }
            return response
        } catch {
            throw failure(error)
        }
    }

    /// Makes an error of an answer whose status is one.
    func problem(in response: TransportResponse) async -> MarketClientError {
        // Without a body that can be read the status tells enough.
        let data = (try? await collect(response, upTo: 1 << 20)) ?? Data()
        if let problem = try? WireJSON.decoder().decode(ProblemDocument.self, from: data) {
            return .refused(problem)
        }
        return .status(response.status, response.reason)
    }

    /// Names the server in what the transport threw; anything else stays what it is.
    func failure(_ error: any Error) -> any Error {
        switch error as? HTTPTransportError {
        case .timedOut?: MarketClientError.timedOut(server: server.description)
        case .unreachable(let reason)?: MarketClientError.unreachable(server: server.description, reason: reason)
        case nil: error
        }
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

/// From where on to read, so that a market whose reads come from replicas shows this client what it has changed.
private final class LastChange: Sendable {
    private static let field = HTTPField.Name("Read-After")

    private let position = Mutex<String?>(nil)

    func mark(_ request: inout TransportRequest) {
        guard let field = Self.field, request.method == .get || request.method == .head else { return }
        request.headers[field] = position.withLock { $0 }
    }

    func note(_ response: TransportResponse) {
        guard let field = Self.field, let told = response.headers[field] else { return }
        position.withLock { $0 = told }
    }
}
