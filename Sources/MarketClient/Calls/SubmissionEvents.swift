// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import MarketWire
import SheetCore

extension MarketClient {
    /// A submission's states as they change, beginning with the present one and ending after a final one; with `untilReview`
    /// also after one in which it waits for a moderator or its author.
    ///
    /// A broken stream is taken up again where it stopped; a reader who wants no more just stops reading.
    public func events(
        of id: SubmissionID, untilReview: Bool = false
    ) -> AsyncThrowingStream<SubmissionStatus, any Error> {
        // Every event is the whole state, so a slow reader may miss those in between.
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(16)) { continuation in
            let follower = SubmissionFollower(client: self, id: id, untilReview: untilReview) {
                continuation.yield($0)
            }
            let task = Task {
                do {
                    try await follower.run()
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}

/// Follows one submission over as many connections as it takes.
private struct SubmissionFollower: Sendable {
    let client: MarketClient
    let id: SubmissionID
    let untilReview: Bool
    let emit: @Sendable (SubmissionStatus) -> Void

    /// Connections in a row that bring nothing before the follower gives up.
    static let maximumFailures = 6
    /// Events in a row that make no sense before the stream is called unreadable.
    static let maximumUnreadable = 20
    /// The shortest wait before the next connection, whatever the server says of it.
    static let shortestWait = Duration.milliseconds(250)
    /// A server that asks for a longer wait is not followed on.
    static let longestWait = Duration.seconds(300)

    /// What goes on from one connection to the next.
    struct Progress {
        var parser = EventStreamParser()
        var last: SubmissionStatus?
        /// Whether this connection told a state, or the question that follows it one that is news.
        var heard = false
        var unreadable = 0
        /// How long the server asks to stay away.
        var asked: Duration?
    }

    func run() async throws {
        var progress = Progress()
        // A state that was reached before the stream opened need not be on it.
        try accept(try await client.submission(id), &progress)
        var failures = 0
        while !isOver(progress) {
            (progress.heard, progress.asked) = (false, nil)
            var trouble = "it ends without telling anything"
            do {
                try await connect(&progress)
                // A connection that ends in good order may have told nothing, or an answer `204` that nothing will come.
                if !progress.heard {
                    let before = progress.last
                    try accept(try await client.submission(id), &progress)
                    progress.heard = progress.last != before
                }
            } catch let error as MarketClientError {
                try recoverable(error, &progress)
                trouble = error.description
            }
            if isOver(progress) { return }
            failures = progress.heard ? 0 : failures + 1
            if failures >= Self.maximumFailures { throw MarketClientError.eventsLost(trouble) }
            let usual = Duration.milliseconds(min(progress.parser.retryMilliseconds ?? 1000, 30_000))
            let wait = progress.asked ?? min(usual * (1 << min(failures, 4)), .seconds(30))
            try await Task.sleep(for: max(wait, Self.shortestWait))
        }
    }

    /// Whether the last state is one that nothing is told after.
    private func isOver(_ progress: Progress) -> Bool {
        guard let state = progress.last?.state else { return false }
        return state.isFinal || (untilReview && state.isUnderReview)
    }

    /// Waits and tries again on what may pass; throws what will not.
    private func recoverable(_ error: MarketClientError, _ progress: inout Progress) throws {
        switch error {
        case .unreachable, .timedOut: return
        case .status(let status, _) where [429, 502, 503, 504].contains(status): break
        case .refused(let problem) where [429, 502, 503, 504].contains(problem.status): break
        default: throw error
        }
        let asked = progress.asked ?? .seconds(2)
        guard asked <= Self.longestWait else { throw error }
        progress.asked = asked
    }

    private func connect(_ progress: inout Progress) async throws {
        var call = Call.get(Paths.submission(id.description) + "/events", [("until", untilReview ? "review" : nil)])
        call.repeatable = false  // This loop tries again by itself.
        call.headers[.accept] = "text/event-stream"
        call.headers[.cacheControl] = "no-cache"
        let lastID = progress.parser.lastID
        if let lastID, !lastID.isEmpty { call.setHeader("Last-Event-ID", lastID) }
        let response = try await client.requests.send(call) { progress.asked = $0 }
        progress.parser = EventStreamParser(lastID: lastID, retryMilliseconds: progress.parser.retryMilliseconds)
        do {
            for try await piece in response.body {
                for event in try progress.parser.feed(piece) {
                    try take(event, &progress)
                }
                if isOver(progress) { return }
            }
        } catch is EventStreamParser.TooLong {
            throw MarketClientError.unreadableAnswer("an event is too long")
        } catch {
            throw client.requests.failure(error)
        }
    }

    private func take(_ event: ServerSentEvent, _ progress: inout Progress) throws {
        // Keep-alives and events of a later time are passed over, but not without end.
        guard let status = try? WireJSON.decoder().decode(SubmissionStatus.self, from: Data(event.data.utf8)) else {
            progress.unreadable += 1
            if progress.unreadable >= Self.maximumUnreadable {
                throw MarketClientError.unreadableAnswer("its events are not states of a submission")
            }
            return
        }
        progress.unreadable = 0
        progress.heard = true
        try accept(status, &progress)
    }

    private func accept(_ status: SubmissionStatus, _ progress: inout Progress) throws {
        try Task.checkCancellation()
        if status != progress.last { emit(status) }
        progress.last = status
    }
}
