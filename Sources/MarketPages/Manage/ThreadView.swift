// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketPlatform
import MarketWire
import SheetCore

/// What the moderators and the uploader tell each other of an upload, with the uploader's form.
struct ThreadView: Sendable {
    /// Messages on a page.
    static let shown = 50

    struct Line: Sendable {
        let writer: String
        let words: String
        let written: DisplayTime
    }

    let isShown: Bool
    let lines: [Line]
    let hasLines: Bool
    let later: String?
    let mayAnswer: Bool
    let answerAddress: String
    let answerLabel: String
    let answerHint: String
    let draft: String
    let threadProblem: String?
    let mistake: String?

    init(
        _ list: MessageList, of status: SubmissionStatus, isUploader: Bool, acceptsMessages: Bool, cursor: String?,
        problem: FormProblem?, form: QueryParameters, now: Date
    ) {
        lines = list.messages.map { message in
            Line(
                writer: Self.writer(message), words: message.text, written: DisplayTime(message.createdAt, now: now))
        }
        hasLines = !lines.isEmpty
        let address = "/submissions/\(status.id)"
        later = list.nextCursor.map { PageAddress(address).with("messages", $0).text + "#messages" }
        // For a published version the form appears only after a moderator has written.
        let isOpen = acceptsMessages && (hasLines || status.state != .published)
        // Below the last message, so that nobody answers before they have read what they answer to.
        mayAnswer = isUploader && status.caseId != nil && (isOpen && list.nextCursor == nil || problem != nil)
        isShown = hasLines || mayAnswer
        // With the place in the thread, to which sending leads back.
        answerAddress = PageAddress("\(address)/messages").with("messages", cursor).text
        answerLabel = lines.isEmpty ? "Write to the moderators" : "Your answer"
        answerHint =
            status.state == .changesRequested
            ? "Your answer brings the upload back to the moderators as it is. To mend it, upload it again instead."
            : "The moderators read it with your upload. Others do not see it."
        draft = form["text"] ?? ""
        threadProblem = problem?.summary
        mistake = problem?.mistakes["text"]
    }

    /// A moderator may keep their name to themselves.
    private static func writer(_ message: CaseMessage) -> String {
        switch message.side {
        case .uploader: message.by ?? "The uploader"
        case .moderator: message.by.map { "\($0), moderator" } ?? "A moderator"
        }
    }
}
