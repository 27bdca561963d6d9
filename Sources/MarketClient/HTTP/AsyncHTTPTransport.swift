// SPDX-License-Identifier: Apache-2.0
#if canImport(AsyncHTTPClient)
    import AsyncHTTPClient
    import Foundation
    import HTTPTypes
    import NIOCore
    import NIOFoundationCompat
    import NIOHTTP1
    import Synchronization

    /// Requests through AsyncHTTPClient: on servers and wherever SwiftNIO is at hand.
    public struct AsyncHTTPTransport: HTTPTransport {
        private let pools: Pools

        /// A transport over a client of yours, which must not follow redirects by itself and is yours to shut down.
        public init(http: HTTPClient) { pools = Pools(ProxySettings(environment: [:]), [nil: http]) }

        /// A transport that asks proxies as `proxies` says. Never shut down: it closes idle connections by itself.
        public init(proxies: ProxySettings) { pools = Pools(proxies, [:]) }

        /// One pool for all clients of the process, with the proxies that its environment names.
        public static let shared = AsyncHTTPTransport(
            proxies: ProxySettings(environment: ProcessInfo.processInfo.environment))

        private static func client(_ proxy: ProxySettings.Proxy?) -> HTTPClient {
            var configuration = HTTPClient.Configuration()
            configuration.redirectConfiguration = .disallow
            configuration.timeout = .init(connect: .seconds(10), read: .seconds(60), write: .seconds(60))
            // Tries are the caller's: the pool's own would hide a refused connection for ten seconds.
            configuration.connectionPool.retryConnectionEstablishment = false
            configuration.proxy = proxy.map { proxy in
                guard proxy.kind == .http else { return .socksServer(host: proxy.host, port: proxy.port) }
                guard let user = proxy.user else { return .server(host: proxy.host, port: proxy.port) }
                return .server(
                    host: proxy.host, port: proxy.port,
                    authorization: .basic(username: user, password: proxy.password ?? ""))
            }
            return HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
        }

        /// A pool of connections for each way out.
        private final class Pools: Sendable {
            private let settings: ProxySettings
            private let clients: Mutex<[ProxySettings.Proxy?: HTTPClient]>

            init(_ settings: ProxySettings, _ clients: [ProxySettings.Proxy?: HTTPClient]) {
                self.settings = settings
                self.clients = Mutex(clients)
            }

            func pool(for url: URL) throws -> (client: HTTPClient, proxy: ProxySettings.Proxy?) {
                let proxy = try settings.proxy(for: url)
                let client = clients.withLock { clients in
                    if let known = clients[proxy] { return known }
                    let made = AsyncHTTPTransport.client(proxy)
                    clients[proxy] = made
                    return made
                }
                return (client, proxy)
            }
        }

        /// Sends a request, as `HTTPTransport` says.
        public func send(_ request: TransportRequest) async throws -> TransportResponse {
            var message = HTTPClientRequest(url: request.url.absoluteString)
            message.method = HTTPMethod(rawValue: request.method.rawValue)
            for field in request.headers { message.headers.add(name: field.name.rawName, value: field.value) }
            switch request.body {
            case .bytes(let data)?: message.body = .bytes(ByteBuffer(data: data))
            case .stream(let stream, let length)?:
                message.body = .stream(Buffers(stream: stream), length: .known(length))
            case nil: break
            }
            let timeout = TimeAmount.milliseconds(Int64(min(request.timeout / .milliseconds(1), 1e12)))
            let (client, proxy) = try pools.pool(for: request.url)
            let answer: HTTPClientResponse
            do {
                answer = try await client.execute(message, timeout: timeout)
            } catch {
                throw Self.failure(error, proxy)
            }
            var headers = HTTPFields()
            for (name, value) in answer.headers {
                if let name = HTTPField.Name(name) { headers.append(HTTPField(name: name, value: value)) }
            }
            return TransportResponse(
                status: Int(answer.status.code), reason: answer.status.reasonPhrase, headers: headers,
                body: Self.stream(answer.body))
        }

        private static func stream(_ body: HTTPClientResponse.Body) -> ByteStream {
            ByteStream {
                var buffers = body.makeAsyncIterator()
                return {
                    do {
                        return try await buffers.next().map { Data(buffer: $0) }
                    } catch {
                        throw failure(error)
                    }
                }
            }
        }

        /// A request's bytes as the library takes them.
        private struct Buffers: AsyncSequence, Sendable {
            typealias Element = ByteBuffer
            let stream: ByteStream

            struct Iterator: AsyncIteratorProtocol {
                var pieces: ByteStream.Iterator

                mutating func next() async throws -> ByteBuffer? {
                    try await pieces.next().map { ByteBuffer(data: $0) }
                }
            }

            func makeAsyncIterator() -> Iterator { Iterator(pieces: stream.makeAsyncIterator()) }
        }

        /// Makes an error of ours of what the library threw; cancellation, and what the body threw, stay what they are.
        private static func failure(_ error: any Error, _ proxy: ProxySettings.Proxy? = nil) -> any Error {
            let failure = failure(error)
            guard let proxy, case .unreachable(let reason)? = failure as? HTTPTransportError else { return failure }
            return HTTPTransportError.unreachable("\(reason) (through the proxy \(proxy.host):\(proxy.port))")
        }

        private static func failure(_ error: any Error) -> any Error {
            if error is HTTPTransportError || error is MarketClientError { return error }
            if error is CancellationError || (error as? HTTPClientError) == .cancelled { return CancellationError() }
            guard let error = error as? HTTPClientError else {
                return HTTPTransportError.unreachable(reason(String(describing: error)))
            }
            switch error {
            case .connectTimeout, .readTimeout, .writeTimeout, .deadlineExceeded, .getConnectionFromPoolTimeout:
                return HTTPTransportError.timedOut
            case .remoteConnectionClosed:
                return HTTPTransportError.unreachable("the connection was closed too early")
            default:
                return HTTPTransportError.unreachable(error.shortDescription)
            }
        }

        /// The socket library is another one on each platform, and its errors have no type in common.
        private static func reason(_ text: String) -> String {
            let known: KeyValuePairs = [
                "Connection refused": "nothing listens there", "Connection reset": "the connection was reset",
                "Broken pipe": "the connection broke", "invalidEOFState": "the connection was closed too early",
                "No route to host": "there is no route to it", "Network is unreachable": "there is no network",
                "Name or service not known": "nobody knows its name",
                "Temporary failure in name resolution": "its name could not be looked up",
                "CERTIFICATE_VERIFY_FAILED": "its certificate is not trusted",
                "ConnectionFailed(": "the proxy cannot connect to it", "NoResult": "the connection was closed",
                "InvalidAuthenticationSelection": "the proxy wants a sign-in, which is not possible with SOCKS",
                "unknown": "nobody knows its name",
            ]
            return known.first { text.contains($0.key) }?.value ?? text
        }
    }
#endif
