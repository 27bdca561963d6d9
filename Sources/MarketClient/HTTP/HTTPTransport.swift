// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes

/// Carries single HTTP requests for `MarketClient`: AsyncHTTPClient where that is at hand, else URLSession, or your own.
///
/// It neither follows redirects nor tries again: the client does both, and decides where its token goes along.
public protocol HTTPTransport: Sendable {
    /// Sends a request and gives the answer as soon as its head is there.
    ///
    /// Throws `HTTPTransportError`, or `CancellationError` when the task is cancelled.
    func send(_ request: TransportRequest) async throws -> TransportResponse
}

/// One request as it goes out.
public struct TransportRequest: Sendable {
    /// RFC 9110, section 9.
    public var method: HTTPRequest.Method
    /// Absolute, `http` or `https`.
    public var url: URL
    /// Fields of the head; the transport adds those that its protocol needs.
    public var headers: HTTPFields
    /// What goes along; nothing for most.
    public var body: TransportBody?
    /// How long the server may take to begin its answer.
    public var timeout: Duration

    /// A request; of 30 seconds, without more said.
    public init(
        method: HTTPRequest.Method, url: URL, headers: HTTPFields = [:], body: TransportBody? = nil,
        timeout: Duration = .seconds(30)
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
    }
}

/// What a request carries.
public enum TransportBody: Sendable {
    /// In memory, so that it can be sent again as it is.
    case bytes(Data)
    /// Bytes that are made as they are sent, and how many there will be.
    case stream(ByteStream, length: Int64)
}

/// An answer whose body is still to be read.
public struct TransportResponse: Sendable {
    /// RFC 9110, section 15.
    public var status: Int
    /// The status in the server's words; empty in HTTP/2.
    public var reason: String
    /// Fields of the head, as they came.
    public var headers: HTTPFields
    /// Its iteration throws as `HTTPTransport.send` does.
    public var body: ByteStream

    /// An answer, for transports of your own.
    public init(status: Int, reason: String = "", headers: HTTPFields = [:], body: ByteStream) {
        self.status = status
        self.reason = reason
        self.headers = headers
        self.body = body
    }
}

/// Why a request got no answer, or not the whole of it.
public enum HTTPTransportError: Error, Sendable, Equatable {
    /// No connection, or it broke; why, as the end of a sentence. It may be tried again at once.
    case unreachable(String)
    /// No connection within ten seconds, no answer within the request's `timeout`, or none of its bytes for too long. Whoever
    /// waited for that is not made to wait again.
    case timedOut
}

/// Bytes in pieces, as they come; each iteration begins anew where the source can.
public struct ByteStream: AsyncSequence, Sendable {
    /// A piece, of whatever size it came in.
    public typealias Element = Data
    private let begin: @Sendable () -> () async throws -> Data?

    /// A stream of what `begin` returns: a function that gives the next piece, or `nil` at the end.
    public init(_ begin: @escaping @Sendable () -> () async throws -> Data?) { self.begin = begin }

    /// A stream of one piece.
    public init(_ data: Data) {
        begin = {
            var rest: Data? = data
            return {
                defer { rest = nil }
                return rest
            }
        }
    }

    /// Goes through the pieces.
    public struct Iterator: AsyncIteratorProtocol {
        let step: () async throws -> Data?

        /// The next piece, or `nil` at the end.
        public mutating func next() async throws -> Data? { try await step() }
    }

    /// Begins at the first piece.
    public func makeAsyncIterator() -> Iterator { Iterator(step: begin()) }
}
