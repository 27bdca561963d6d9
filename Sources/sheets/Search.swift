// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import MarketClient
import MarketWire
import SheetCore

struct Search: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "Find templates in the market; without words, everything on offer.")

    @Argument(help: ArgumentHelp("Words to look for; typing errors are forgiven.", valueName: "word"))
    var words: [String] = []

    @Option(
        name: [.customLong("game-system"), .customShort("g")],
        help: ArgumentHelp("Only sheets for this game system (slug).", valueName: "slug"))
    var gameSystem: String?

    @Option(help: "Only sheets with this tag; may be repeated.")
    var tag: [String] = []

    @Option(help: ArgumentHelp("Only sheets of this author (handle).", valueName: "handle"))
    var author: String?

    @Option(help: ArgumentHelp("Only sheets under this licence (SPDX id).", valueName: "spdx-id"))
    var license: String?

    @Option(help: ArgumentHelp("Only sheets in this language (BCP 47), such as en or de.", valueName: "code"))
    var language: String?

    @Option(help: "Only this kind: \(TemplateKind.known.map(\.rawValue).joined(separator: ", ")).")
    var kind: String?

    @Flag(help: "Only sheets with form fields to fill in.")
    var fillable = false

    @Option(
        name: .customLong("min-rating"),
        help: ArgumentHelp("Only sheets with at least this many stars.", valueName: "stars"))
    var minimumRating: Double?

    @Option(
        name: .customLong("min-pages"),
        help: ArgumentHelp("Only sheets with at least this many pages.", valueName: "count"))
    var minimumPages: Int?

    @Option(
        name: .customLong("max-pages"),
        help: ArgumentHelp("Only sheets with at most this many pages.", valueName: "count"))
    var maximumPages: Int?

    @Option(
        help: ArgumentHelp(
            "Order: \(TemplateQuery.Sort.allCases.map(\.rawValue).joined(separator: ", ")).", valueName: "order"))
    var sort: TemplateQuery.Sort?

    @Option(help: ArgumentHelp("Show at most this many.", valueName: "count"))
    var limit = 25

    @Flag(name: .customLong("game-systems"), help: "List the game systems instead.")
    var listsGameSystems = false

    @OptionGroup var market: MarketOptions
    @OptionGroup var mirror: MirrorOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...10_000).contains(limit) else { throw ValidationError("--limit is from 1 to 10000.") }
    }

    private struct Found: Encodable {
        let templates: [TemplateSummary]
    }

    func run() async throws {
        let client = try mirror.client(of: market)
        if listsGameSystems { return try await showGameSystems(client) }
        var query = TemplateQuery(gameSystem: gameSystem, sort: sort, limit: min(limit, 100))
        query.words = words.isEmpty ? nil : words.joined(separator: " ")
        query.tags = tag
        query.author = author
        query.license = license
        query.language = language
        query.kind = kind.map { TemplateKind(rawValue: $0) }
        query.isFillable = fillable ? true : nil
        query.minimumRating = minimumRating
        query.minimumPages = minimumPages
        query.maximumPages = maximumPages
        let found = try await client.templates(matching: query).collect(upTo: limit)
        if output.json { return try Terminal.json(Found(templates: found)) }
        guard !found.isEmpty else {
            Terminal.note(
                "Nothing fits; fewer words or filters find more. `sheets search --game-systems` lists systems.")
            return
        }
        var table = Table(
            ("NAME", .left), ("VERSION", .left), ("SYSTEM", .left), ("PAGES", .right), ("RATING", .left),
            ("DOWNLOADS", .right), ("TITLE", .left))
        for template in found {
            table.add(
                template.slug, template.version.description, template.gameSystem, "\(template.pageCount)",
                Readable.rating(template.rating, template.ratingCount), "\(template.downloads)", template.name)
        }
        Terminal.out(table.text)
        if found.count == limit { Terminal.note("There may be more; --limit shows them.") }
    }

    private func showGameSystems(_ client: MarketClient) async throws {
        let systems = try await client.gameSystems()
        if output.json { return try Terminal.json(GameSystemList(gameSystems: systems)) }
        var table = Table(("SYSTEM", .left), ("TEMPLATES", .right), ("TITLE", .left), ("PUBLISHER", .left))
        for system in systems {
            table.add(system.slug, "\(system.templateCount)", system.name, system.publisher ?? "")
        }
        Terminal.out(table.text)
    }
}

extension TemplateQuery.Sort: ExpressibleByArgument {}
