// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import MarketClient
import MarketWire
import SheetCore

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show who is signed in and how your uploads stand, or how one upload stands.")

    @Argument(help: ArgumentHelp("A submission's id.", valueName: "submission-id"))
    var submission: String?

    @Flag(help: "Follow the submission until it is decided.")
    var watch = false

    @Flag(help: "Decline the clean copy that took the file's place; the upload ends as refused.")
    var declineCleaning = false

    @Option(help: ArgumentHelp("Show only uploads in this state.", valueName: "state"))
    var state: SubmissionState?

    @Option(help: ArgumentHelp("Show at most this many uploads.", valueName: "count"))
    var limit = 20

    @OptionGroup var market: MarketOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var progress: ProgressOptions

    private struct Overview: Encodable {
        let server: String
        let account: Account
        let submissions: [SubmissionStatus]
    }

    func validate() throws {
        if let submission, SubmissionID(submission) == nil {
            throw ValidationError("'\(submission)' is not a submission's id; `sheets status` lists yours.")
        }
        if watch && submission == nil { throw ValidationError("--watch needs a submission's id.") }
        if declineCleaning && submission == nil {
            throw ValidationError("--decline-cleaning needs a submission's id.")
        }
        if state != nil && submission != nil {
            throw ValidationError("--state narrows the list of your uploads; leave out the submission's id.")
        }
        guard (1...10_000).contains(limit) else { throw ValidationError("--limit is from 1 to 10000.") }
    }

    func run() async throws {
        let client = try market.client()
        guard let id = submission.flatMap(SubmissionID.init) else { return try await overview(client) }
        var status = declineCleaning ? try await client.declineCleaning(id) : try await client.submission(id)
        if watch {
            let follower = SubmissionWatch(client: client, progress: progress, json: output.json)
            status = try await follower.follow(status) { $0.isFinal || $0 == .changesRequested }
        }
        if output.json { try Terminal.json(status) } else { SubmissionWatch.describe(status) }
        if status.state == .rejected { throw ExitStatus.refused }
    }

    private func overview(_ client: MarketClient) async throws {
        let account = try await client.me()
        let submissions = try await client.submissions(state: state, limit: min(limit, 100)).collect(upTo: limit)
        if output.json {
            return try Terminal.json(
                Overview(server: client.server.description, account: account, submissions: submissions))
        }
        let who = "\(account.handle) (\(account.role.rawValue))"
        Terminal.out(Terminal.printable("Signed in at \(client.server) as \(who)."))
        guard !submissions.isEmpty else {
            let none = state == nil ? "No uploads yet; `sheets publish FILE` makes one." : "No uploads in this state."
            return Terminal.out(none)
        }
        var table = Table(
            ("SUBMISSION", .left), ("STATE", .left), ("TEMPLATE", .left), ("VERSION", .left), ("UPLOADED", .left))
        for submission in submissions {
            table.add(
                submission.id.description, submission.state.rawValue, submission.templateSlug,
                submission.version.description, Readable.minute(submission.createdAt))
        }
        Terminal.out("\n" + table.text)
    }
}

extension SubmissionState: ExpressibleByArgument {}
