// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// Requests that arrive whether or not earlier ones were answered (an open loop), asked by a client that costs little.
struct Arrivals: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask for addresses at random times; prints JSON with the answer times of each shape in ms.")

    @Option(help: "Host and port, as 127.0.0.1:8080.")
    var server: String

    @Option(help: "Requests a second, on the average (a Poisson process).")
    var rate = 300.0

    @Argument(help: "A file of lines SHAPE<tab>PATH; each is asked for once, in order.")
    var requests: String

    func run() async throws {
        let parts = server.split(separator: ":")
        guard parts.count == 2, let port = Int(parts[1]) else { throw ValidationError("'\(server)' is no HOST:PORT.") }
        let lines = try String(contentsOfFile: requests, encoding: .utf8).split(separator: "\n").map { line in
            let fields = line.split(separator: "\t", maxSplits: 1)
            guard fields.count == 2 else { throw ValidationError("'\(line)' is no SHAPE<tab>PATH.") }
            return (shape: String(fields[0]), path: String(fields[1]))
        }
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let times = try await loop.flatSubmit {
            ArrivalLoop(lines, rate: rate, host: String(parts[0]), port: port, on: loop).start()
        }.get()
        print(String(decoding: try JSONEncoder().encode(times), as: UTF8.self))
    }
}

/// All of it runs on one event loop.
private final class ArrivalLoop {
    private let lines: [(shape: String, path: String)]
    private let rate: Double
    private let host: String
    private let port: Int
    private let loop: any EventLoop
    private let done: EventLoopPromise<[String: [Double]]>
    private var idle: [any Channel] = []
    private var times: [String: [Double]] = [:]
    private var answered = 0

    init(_ lines: [(shape: String, path: String)], rate: Double, host: String, port: Int, on loop: any EventLoop) {
        self.lines = lines
        self.rate = rate
        self.host = host
        self.port = port
        self.loop = loop
        done = loop.makePromise()
    }

    func start() -> EventLoopFuture<[String: [Double]]> {
        arrive(0, at: .now())
        return done.futureResult
    }

    private func arrive(_ index: Int, at due: NIODeadline) {
        guard index < lines.count else { return }
        let wait = -log(Double.random(in: Double.leastNonzeroMagnitude..<1)) / rate
        let next = due + .nanoseconds(Int64(wait * 1e9))
        loop.assumeIsolated().scheduleTask(deadline: due) { [self] in
            ask(index, due: due)
            arrive(index + 1, at: next)
        }
    }

    private func ask(_ index: Int, due: NIODeadline) {
        let exchange = Exchange { [self] channel, failure in answer(index, due, channel, failure) }
        if let channel = idle.popLast() {
            send(index, exchange, over: channel)
            return
        }
        ClientBootstrap(group: loop)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHTTPClientHandlers() }
            }
            .connect(host: host, port: port).assumeIsolated()
            .whenComplete { [self] result in
                switch result {
                case .success(let channel): send(index, exchange, over: channel)
                case .failure(let error): done.fail(error)
                }
            }
    }

    private func send(_ index: Int, _ exchange: Exchange, over channel: any Channel) {
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
        times[shape, default: []].append(Double((NIODeadline.now() - due).nanoseconds) / 1e6)
        answered += 1
        idle.append(channel)
        if answered == lines.count { done.succeed(times) }
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
