// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import ModerationService
import SheetCore

/// What the moderators and the uploader tell each other of an upload, with the form of whoever looks.
package struct ThreadView: Sendable {
    /// Messages on a page.
    package static let shown = 50

    package struct Line: Sendable {
        let writer: Phrase
        let words: String
        let written: DisplayTime
        /// Whether no moderator has said anything since.
        let isNew: Bool
        /// Whether it is the first of those, to which the page leads.
        var isFirstNew = false
    }

    package let heading: Phrase
    package let isShown: Bool
    package let lines: [Line]
    package let hasLines: Bool
    /// Whether something new stands here.
    package let hasNews: Bool
    /// What was said before these, and back from there.
    package let earlier: String?
    package let newest: String?
    package let mayAnswer: Bool
    package let answerAddress: String
    package let answerLabel: Phrase
    package let answerHint: Phrase
    /// Whether the case can be made to wait for an answer, and the writer's name be kept.
    package let mayWait: Bool
    package let waits: Bool
    package let mayHide: Bool
    package let hides: Bool
    package let draft: String
    package let threadProblem: Phrase?
    package let mistake: Phrase?

    package init(
        _ list: MessageList, of status: SubmissionStatus, isUploader: Bool, acceptsMessages: Bool, cursor: String?,
        problem: FormProblem?, form: QueryParameters, now: Date
    ) {
        lines = list.messages.map { message in
            Line(
                writer: Self.writer(message), words: message.text, written: DisplayTime(message.createdAt, now: now),
                isNew: false)
        }
        heading = "You and the moderators"
        (mayWait, waits, mayHide, hides) = (false, false, false, false)
        hasLines = !lines.isEmpty
        hasNews = lines.contains { $0.isNew }
        let address = "/submissions/\(status.id)"
        earlier = list.nextCursor.map { PageAddress(address).with("messages", $0).text + "#messages" }
        newest = cursor == nil ? nil : "\(address)#messages"
        // For a published version the form appears only after a moderator has written.
        let isOpen = acceptsMessages && (hasLines || status.state != .published)
        // Below the last message, so that nobody answers before they have read what they answer to.
        mayAnswer = isUploader && status.caseId != nil && (isOpen && cursor == nil || problem != nil)
        isShown = hasLines || mayAnswer
        answerAddress = "\(address)/messages"
        answerLabel = lines.isEmpty ? "Write to the moderators" : "Your answer"
        answerHint =
            status.state == .changesRequested
            ? "Your answer brings the upload back to the moderators as it is. To correct it, upload it again instead."
            : "The moderators read it with your upload. Others do not see it."
        draft = form["text"] ?? ""
        threadProblem = problem?.summary
        mistake = problem?.mistakes["text"]
    }

    /// As moderators see it on the case's page; what the uploader wrote after `lastWord` is new to them.
    package init(
        _ list: MessageList, of item: CaseSummary, _ standing: CaseStanding, lastWord: Date?, cursor: String?,
        problem: FormProblem?, form: QueryParameters, now: Date
    ) {
        var lines = list.messages.map { message in
            let isNew = message.side == .uploader && message.createdAt > lastWord ?? .distantPast
            return Line(
                writer: Self.writer(message), words: message.text, written: DisplayTime(message.createdAt, now: now),
                isNew: isNew && item.state != .closed)
        }
        if let first = lines.firstIndex(where: \.isNew) { lines[first].isFirstNew = true }
        self.lines = lines
        heading = "You and the uploader"
        hasLines = !lines.isEmpty
        hasNews = lines.contains { $0.isNew }
        let address = "/moderation/cases/\(item.id)"
        earlier = list.nextCursor.map { PageAddress(address).with("messages", $0).text + "#messages" }
        newest = cursor == nil ? nil : "\(address)#messages"
        mayAnswer = standing.mayWrite && cursor == nil || problem != nil
        isShown = hasLines || mayAnswer
        answerAddress = "\(address)/messages"
        answerLabel = lines.isEmpty ? "Write to the uploader" : "Your answer"
        answerHint = "The uploader reads it on the upload's page."
        mayWait = standing.mayAsk
        waits = form["waits"] == "true"
        mayHide = true
        hides = form["hides"] == "true"
        draft = form["text"] ?? ""
        threadProblem = problem?.summary
        mistake = problem?.mistakes["text"]
    }

    /// A moderator may keep their name to themselves.
    private static func writer(_ message: CaseMessage) -> Phrase {
        switch message.side {
        case .uploader: message.by.map { Phrase(verbatim: $0) } ?? "The uploader"
        case .moderator: message.by.map { "\($0), moderator" } ?? "A moderator"
        }
    }
}
