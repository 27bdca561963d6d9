// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// Asks a server by a client that costs little: at random times, whether or not earlier requests were answered (an open loop),
/// or by clients each of which asks again as soon as it has its answer (a closed loop).
struct Arrivals: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask for addresses, each once, in order; prints JSON with the answer times of each shape in ms.")

    @Option(help: "Host and port, as 127.0.0.1:8080.")
    var server: String

    @Option(
        help: "Requests a second, on the average (a Poisson process); each time counts from when the request was due.")
    var rate: Double?

    @Option(help: "Instead of a rate, how many clients ask, each again at once.")
    var clients: Int?

    @Option(help: "When clients stop asking, in seconds, however much is left.")
    var seconds = Double.infinity

    @Argument(help: "A file of lines SHAPE<tab>PATH.")
    var requests: String

    func run() async throws {
        let parts = server.split(separator: ":")
        guard parts.count == 2, let port = Int(parts[1]) else { throw ValidationError("'\(server)' is no HOST:PORT.") }
        guard (rate ?? 0 > 0) != (clients ?? 0 > 0) else { throw ValidationError("Tell either --rate or --clients.") }
        guard seconds > 0 else { throw ValidationError("--seconds \(seconds) is no time.") }
        let lines = try String(contentsOfFile: requests, encoding: .utf8).split(separator: "\n").map { line in
            let fields = line.split(separator: "\t", maxSplits: 1)
            guard fields.count == 2 else { throw ValidationError("'\(line)' is no SHAPE<tab>PATH.") }
            return (shape: String(fields[0]), path: String(fields[1]))
        }
        guard !lines.isEmpty else { throw ValidationError("'\(requests)' is empty.") }
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let times = try await loop.flatSubmit {
            let asking = RequestLoop(lines, host: String(parts[0]), port: port, on: loop)
            guard let clients else { return asking.arrive(rate: rate ?? 0) }
            return asking.ask(clients: clients, seconds: seconds)
        }.get()
        print(String(decoding: try JSONEncoder().encode(times), as: UTF8.self))
    }
}

/// All of it runs on one event loop.
private final class RequestLoop {
    private let lines: [(shape: String, path: String)]
    private let host: String
    private let port: Int
    private let loop: any EventLoop
    private let done: EventLoopPromise<[String: [Double]]>
    private var idle: [any Channel] = []
    private var times: [String: [Double]] = [:]
    private var asked = 0
    private var answered = 0
    /// Until when clients ask again; `nil` where requests arrive by themselves.
    private var asksUntil: NIODeadline?

    init(_ lines: [(shape: String, path: String)], host: String, port: Int, on loop: any EventLoop) {
        self.lines = lines
        self.host = host
        self.port = port
        self.loop = loop
        done = loop.makePromise()
    }

    /// Asks at random times.
    func arrive(rate: Double) -> EventLoopFuture<[String: [Double]]> {
        arrive(rate, at: .now())
        return done.futureResult
    }

    /// Asks by so many clients, over connections that were made before.
    func ask(clients: Int, seconds: Double) -> EventLoopFuture<[String: [Double]]> {
        EventLoopFuture.whenAllSucceed((0..<min(clients, lines.count)).map { _ in connect() }, on: loop)
            .assumeIsolated()
            .whenComplete { [self] result in
                switch result {
                case .success(let channels):
                    let limit = min(seconds, 86_400)
                    asksUntil = .now() + .nanoseconds(Int64(limit * 1e9))
                    for channel in channels { askNext(over: channel) }
                case .failure(let error): done.fail(error)
                }
            }
        return done.futureResult
    }

    private func arrive(_ rate: Double, at due: NIODeadline) {
        guard asked < lines.count else { return }
        let index = asked
        asked += 1
        let wait = -log(Double.random(in: Double.leastNonzeroMagnitude..<1)) / rate
        let next = due + .nanoseconds(Int64(wait * 1e9))
        loop.assumeIsolated().scheduleTask(deadline: due) { [self] in
            ask(index, due: due)
            arrive(rate, at: next)
        }
    }

    private func ask(_ index: Int, due: NIODeadline) {
        if let channel = idle.popLast() { return send(index, due: due, over: channel) }
        connect().assumeIsolated().whenComplete { [self] result in
            switch result {
            case .success(let channel): send(index, due: due, over: channel)
            case .failure(let error): done.fail(error)
            }
        }
    }

    private func connect() -> EventLoopFuture<any Channel> {
        ClientBootstrap(group: loop)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHTTPClientHandlers() }
            }
            .connect(host: host, port: port)
    }

    private func askNext(over channel: any Channel) {
        let index = asked
        asked += 1
        send(index, due: .now(), over: channel)
    }

    private func send(_ index: Int, due: NIODeadline, over channel: any Channel) {
        let exchange = Exchange { [self] channel, failure in answer(index, due, channel, failure) }
        do {
            try channel.pipeline.syncOperations.addHandler(exchange)
        } catch {
            return done.fail(error)
        }
        let head = HTTPRequestHead(
            version: .http1_1, method: .GET, uri: lines[index].path, headers: ["Host": "bench"])
        channel.write(HTTPClientRequestPart.head(head), promise: nil)
        channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
    }

    private func answer(_ index: Int, _ due: NIODeadline, _ channel: any Channel, _ failure: String?) {
        let (shape, path) = lines[index]
        if let failure { return done.fail(ValidationError("\(path): \(failure)")) }
        let now = NIODeadline.now()
        times[shape, default: []].append(Double((now - due).nanoseconds) / 1e6)
        answered += 1
        if let asksUntil, asked < lines.count, now < asksUntil { return askNext(over: channel) }
        idle.append(channel)
        let mayMore = asksUntil == nil && asked < lines.count
        if answered == asked, !mayMore { done.succeed(times) }
    }
}

/// Waits for one answer, then leaves the connection.
private final class Exchange: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart
    private let end: (any Channel, String?) -> Void
    private var status = HTTPResponseStatus.ok

    init(end: @escaping (any Channel, String?) -> Void) {
        self.end = end
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): status = head.status
        case .body: break
        case .end:
            let (channel, failure) = (context.channel, status == .ok ? nil : "answered \(status.code)")
            context.pipeline.syncOperations.removeHandler(self).assumeIsolated().whenComplete { [end] _ in
                end(channel, failure)
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(context.channel, "\(error)")
    }
}
