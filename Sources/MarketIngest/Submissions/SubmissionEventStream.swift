// SPDX-License-Identifier: Apache-2.0
import Foundation
import Hummingbird
import HummingbirdCore
import MarketHTTP
import MarketPlatform
import MarketWire
import NIOCore
import Postgres
import ServiceLifecycle
import SheetCore

/// Writes one submission's changes as server-sent events, for as long as they are of interest.
struct SubmissionEventStream: Sendable {
    let id: SubmissionID
    let first: SubmissionStatus
    let untilReview: Bool
    let wakeUps: AsyncStream<Void>
    let platform: Platform

    /// A comment goes out after this long without an event, so that nothing between us takes the line for dead.
    private static let silence = Duration.seconds(14)

    /// Ends with the last event, when the client goes away, or when the server shuts down.
    func write(to writer: inout any ResponseBodyWriter, requestBody: RequestBody) async throws {
        try await requestBody.consumeWithCancellationOnInboundClose { _ in
            try await writeEvents(to: &writer)
        }
        try await writer.finish(nil)
    }

    private func writeEvents(to writer: inout any ResponseBodyWriter) async throws {
        var last = first
        try await writer.write(Self.event(first))
        var lastWrite = ContinuousClock.now
        if isLast(first) { return }
        for await _ in wakeUps.cancelOnGracefulShutdown() {
            guard let status = try await present(last) else { return }
            if status != last {
                try await writer.write(Self.event(status))
                last = status
                lastWrite = .now
                if isLast(status) { return }
            } else if lastWrite.duration(to: .now) >= Self.silence {
                try await writer.write(ByteBuffer(string: ": nothing new\n\n"))
                lastWrite = .now
            }
        }
    }

    /// The present state; while the database cannot be reached, the last one that is known is still the news.
    private func present(_ last: SubmissionStatus) async throws -> SubmissionStatus? {
        do {
            return try await SubmissionStore.fetch(id, in: platform.database)?.status
        } catch let error as PostgresError where error.isUnavailable {
            return last
        }
    }

    private func isLast(_ status: SubmissionStatus) -> Bool {
        status.state.isFinal || (untilReview && status.state.isUnderReview)
    }

    /// One event. Its id is the time of the change in microseconds; whoever reconnects gets the present state first.
    static func event(_ status: SubmissionStatus) throws -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.writeString("event: submission\nid: \(Int(status.updatedAt.timeIntervalSince1970 * 1e6))\ndata: ")
        buffer.writeImmutableBuffer(try .json(status))
        buffer.writeString("\n\n")
        return buffer
    }
}
