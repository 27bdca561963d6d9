// SPDX-License-Identifier: Apache-2.0
// The tests compile this file, too, though AsyncHTTPClient is there: they run it against a server on Linux.
#if !canImport(AsyncHTTPClient) || TESTS_OF_URLSESSION
    import Foundation
    import HTTPTypes
    import Synchronization
    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif

    /// Requests through URLSession: on Apple platforms, and wherever the package is built without SwiftNIO.
    public struct URLSessionTransport: HTTPTransport {
        private let session: URLSession
        private let exchanges: Exchanges

        /// A transport with a session of its own. `configuration` decides on proxies, cellular networks and caches;
        /// cookies and the cache are best off, as in `shared`.
        public init(configuration: URLSessionConfiguration) {
            exchanges = Exchanges()
            session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
        }

        /// One session for all clients of the process.
        public static let shared: URLSessionTransport = {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpCookieStorage = nil
            configuration.urlCache = nil
            return URLSessionTransport(configuration: configuration)
        }()

        /// Sends a request, as `HTTPTransport` says.
        public func send(_ request: TransportRequest) async throws -> TransportResponse {
            var message = URLRequest(url: request.url)
            message.httpMethod = request.method.rawValue
            message.timeoutInterval = TimeInterval(request.timeout.components.seconds)
            for field in request.headers { message.addValue(field.value, forHTTPHeaderField: field.name.rawName) }
            var upload: URL?
            switch request.body {
            case .bytes(let data)?: message.httpBody = data
            case .stream(let stream, length: _)?: upload = try await Self.file(of: stream)
            case nil: break
            }
            let task =
                upload.map { session.uploadTask(with: message, fromFile: $0) } ?? session.dataTask(with: message)
            defer { if let upload { try? FileManager.default.removeItem(at: upload) } }
            return try await exchanges.begin(task)
        }

        /// URLSession sends again what it lost on the way, and so wants a file.
        private static func file(of stream: ByteStream) async throws -> URL {
            let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            guard FileManager.default.createFile(atPath: url.path, contents: nil) else {
                throw MarketClientError.badRequest("There is no room for the upload in \(url.path).")
            }
            do {
                let handle = try FileHandle(forWritingTo: url)
                for try await piece in stream { try handle.write(contentsOf: piece) }
                try handle.close()
                return url
            } catch {
                try? FileManager.default.removeItem(at: url)
                throw error
            }
        }
    }

    /// The requests under way: what the session tells of each, from a queue of its own, becomes an answer and its bytes.
    private final class Exchanges: NSObject, URLSessionDataDelegate {
        private struct Exchange: Sendable {
            var head: CheckedContinuation<TransportResponse, any Error>?
            /// Until the answer has it: then it ends with its reader.
            var body: AsyncThrowingStream<Data, any Error>?
            let bytes: AsyncThrowingStream<Data, any Error>.Continuation
            let task: URLSessionTask
            /// Bytes that came and were not read yet.
            var waiting = 0
            var isHeldUp = false
        }

        /// So many bytes may wait for their reader: with more the transfer is held up until they are half read.
        private static let mostWaiting = 1 << 20
        /// Swift's own Foundation hands the same bytes out again after a task was suspended: there nothing is held up.
        private static var canHoldUp: Bool {
            #if canImport(Darwin)
                true
            #else
                false
            #endif
        }

        private let running = Mutex<[Int: Exchange]>([:])

        func begin(_ task: URLSessionTask) async throws -> TransportResponse {
            let (body, bytes) = AsyncThrowingStream<Data, any Error>.makeStream()
            // A reader who stops reading ends the transfer.
            bytes.onTermination = { _ in task.cancel() }
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { head in
                    running.withLock {
                        $0[task.taskIdentifier] = Exchange(head: head, body: body, bytes: bytes, task: task)
                    }
                    task.resume()
                    if Task.isCancelled { giveUp(task) }
                }
            } onCancel: {
                giveUp(task)
            }
        }

        /// Ends what has no answer yet. Of a task that is cancelled before it runs Swift's own Foundation may tell nothing.
        private func giveUp(_ task: URLSessionTask) {
            let exchange = running.withLock { running in
                running[task.taskIdentifier]?.head == nil ? nil : running.removeValue(forKey: task.taskIdentifier)
            }
            task.cancel()
            exchange?.head?.resume(throwing: CancellationError())
            exchange?.bytes.finish(throwing: CancellationError())
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
            completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
        ) {
            let (head, body) = take(headOf: dataTask.taskIdentifier)
            if let answer = response as? HTTPURLResponse, let body {
                head?.resume(returning: self.answer(answer, body, dataTask.taskIdentifier))
            } else {
                head?.resume(throwing: HTTPTransportError.unreachable("it does not speak HTTP"))
            }
            completionHandler(.allow)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            let bytes = running.withLock { running in
                running[dataTask.taskIdentifier]?.waiting += data.count
                if let exchange = running[dataTask.taskIdentifier], exchange.waiting > Self.mostWaiting,
                    !exchange.isHeldUp, Self.canHoldUp
                {
                    running[dataTask.taskIdentifier]?.isHeldUp = true
                    dataTask.suspend()
                }
                return running[dataTask.taskIdentifier]?.bytes
            }
            _ = bytes?.yield(data)
        }

        /// A reader took so many bytes.
        private func took(_ count: Int, of task: Int) {
            running.withLock { running in
                running[task]?.waiting -= count
                guard let exchange = running[task], exchange.isHeldUp, exchange.waiting < Self.mostWaiting / 2 else {
                    return
                }
                running[task]?.isHeldUp = false
                exchange.task.resume()
            }
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            let exchange = running.withLock { $0.removeValue(forKey: task.taskIdentifier) }
            guard let exchange else { return }
            let failure = error.map(Self.failure)
            if let head = exchange.head {
                // A redirect that was not followed, or an answer without a body, ends before its head is told.
                if failure == nil, let answer = task.response as? HTTPURLResponse, let body = exchange.body {
                    head.resume(returning: self.answer(answer, body, task.taskIdentifier))
                } else {
                    head.resume(throwing: failure ?? HTTPTransportError.unreachable("it gave no answer"))
                }
            }
            exchange.bytes.finish(throwing: failure)
        }

        private func take(
            headOf task: Int
        ) -> (CheckedContinuation<TransportResponse, any Error>?, AsyncThrowingStream<Data, any Error>?) {
            running.withLock { running in
                let (head, body) = (running[task]?.head, running[task]?.body)
                running[task]?.head = nil
                running[task]?.body = nil
                return (head, body)
            }
        }

        private func answer(
            _ answer: HTTPURLResponse, _ body: AsyncThrowingStream<Data, any Error>, _ task: Int
        ) -> TransportResponse {
            var headers = HTTPFields()
            for (name, value) in answer.allHeaderFields {
                if let name = HTTPField.Name("\(name)") { headers.append(HTTPField(name: name, value: "\(value)")) }
            }
            let bytes = ByteStream { [self] in
                var pieces = body.makeAsyncIterator()
                return {
                    let piece = try await pieces.next()
                    if let piece { self.took(piece.count, of: task) }
                    return piece
                }
            }
            return TransportResponse(status: answer.statusCode, headers: headers, body: bytes)
        }

        private static func failure(_ error: any Error) -> any Error {
            guard let error = error as? URLError else {
                return HTTPTransportError.unreachable(error.localizedDescription)
            }
            switch error.code {
            case .cancelled: return CancellationError()
            case .timedOut: return HTTPTransportError.timedOut
            case .cannotConnectToHost: return HTTPTransportError.unreachable("nothing listens there")
            case .cannotFindHost, .dnsLookupFailed: return HTTPTransportError.unreachable("nobody knows its name")
            case .notConnectedToInternet: return HTTPTransportError.unreachable("there is no network")
            case .networkConnectionLost: return HTTPTransportError.unreachable("the connection broke")
            case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot:
                return HTTPTransportError.unreachable("its certificate is not trusted")
            default: return HTTPTransportError.unreachable(error.localizedDescription)
            }
        }
    }
#endif
