// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import MarketClient
import MarketWire
import SheetCore

struct ReviewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "review", abstract: "Show the reviews of a template, or write or delete your own.")

    @Argument(help: "The template's name (slug) or id.", completion: KnownNames.kept)
    var template: String

    @Option(
        help: ArgumentHelp("Write your review, or change it: so many stars, 1 to 5.", valueName: "1-5"),
        completion: .list(["1", "2", "3", "4", "5"]))
    var stars: Int?

    @Option(help: "What to say with the stars.")
    var text: String?

    @Option(help: "The version it is about; by default the newest that you downloaded while signed in.")
    var version: String?

    @Flag(help: "Delete your review.")
    var delete = false

    @Option(
        help: ArgumentHelp(
            "What comes first: the newest, what helped most people, or most or fewest stars.", valueName: "order"))
    var sort = MarketClient.ReviewOrder.newest

    @Option(help: ArgumentHelp("Show at most this many reviews.", valueName: "count"))
    var limit = 10

    @OptionGroup var market: MarketOptions
    @OptionGroup var output: OutputOptions

    private struct Deleted: Encodable {
        /// Slug or id of the template.
        let deleted: String
    }

    func validate() throws {
        if let stars, !(1...5).contains(stars) { throw ValidationError("--stars takes 1 to 5.") }
        if stars == nil, text != nil || version != nil { throw ValidationError("--text and --version need --stars.") }
        if delete, stars != nil { throw ValidationError("Either --delete or --stars.") }
        guard (1...100).contains(limit) else { throw ValidationError("--limit is from 1 to 100.") }
    }

    func run() async throws {
        let client = try market.client()
        if delete {
            try await client.deleteReview(of: template)
            return output.json ? try Terminal.json(Deleted(deleted: template)) : ()
        }
        if let stars {
            let review = try await client.review(template, .init(stars: stars, text: text, version: version))
            if output.json { try Terminal.json(review) } else { describe(review) }
            return
        }
        let list = try await client.reviewPage(of: template, order: sort, limit: limit)
        if output.json { return try Terminal.json(list) }
        Terminal.out(Readable.rating(list.rating.rating, list.rating.count))
        for (stars, count) in zip(1..., list.rating.histogram).reversed() { Terminal.out("  \(stars) stars  \(count)") }
        for review in list.reviews { describe(review) }
    }

    private func describe(_ review: Review) {
        let installed = review.hasInstalled ? ", has it" : ""
        Terminal.out(
            Terminal.printable(
                "\n\(review.stars)/5  \(review.author), version \(review.version), \(Readable.day(review.updatedAt))"
                    + installed, lines: true))
        if !review.text.isEmpty { Terminal.out(Terminal.printable(review.text, lines: true)) }
        if let reply = review.reply {
            Terminal.out(Terminal.printable("Reply by \(reply.author): \(reply.text)", lines: true))
        }
    }
}

extension MarketClient.ReviewOrder: ExpressibleByArgument {}
