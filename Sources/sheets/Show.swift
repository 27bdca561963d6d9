// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketClient
import MarketWire
import SheetCore

struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a template: from the market, or from the library when the market cannot be reached.")

    @Argument(help: TemplateReference.help, completion: KnownNames.kept)
    var template: TemplateReference

    @Flag(help: "Ask only the library.")
    var offline = false

    @Flag(help: "List the zoom regions of every page.")
    var regions = false

    /// What was taken down is never listed.
    enum Listed: String, CaseIterable, ExpressibleByArgument {
        case published, yanked
    }

    @Option(help: ArgumentHelp("List only versions in this state.", valueName: "state"))
    var state: Listed?

    @Option(help: ArgumentHelp("List only versions of this channel.", valueName: "channel"))
    var channel: ReleaseChannel?

    @OptionGroup var market: MarketOptions
    @OptionGroup var mirror: MirrorOptions
    @OptionGroup var libraryOptions: LibraryOptions
    @OptionGroup var output: OutputOptions

    /// What is shown, wherever it comes from.
    private struct Sheet: Encodable {
        enum Source: String, Encodable { case market, library }

        let source: Source
        let template: TemplateSummary
        let description: String
        let version: VersionDetail
        let versions: [VersionDetail]
        let regions: [RegionList.Page]
        let outline: ContentOutline?
        let deprecation: Deprecation?
        let installed: LibraryRecord.Installed?
        /// Whether what is installed was compared with what its market signed when it came.
        let verified: Bool?
    }

    func run() async throws {
        let sheet = try await find()
        if output.json { return try Terminal.json(sheet) }
        describe(sheet)
    }

    private func find() async throws -> Sheet {
        let client = try mirror.client(of: market)
        let library = libraryOptions.open()
        guard !offline else { return try fromLibrary(library, client) }
        do {
            return try await fromMarket(client, library)
        } catch let error as MarketClientError where error.isOutage {
            // That the market cannot be reached is what went wrong.
            guard let sheet = try? fromLibrary(library, client) else { throw error }
            Terminal.note("\(Terminal.printable(error.description)) Shown from the library.")
            return sheet
        }
    }

    private func fromMarket(_ client: MarketClient, _ library: Library) async throws -> Sheet {
        let detail = try await client.template(template.key, naming: template.version)
        let id = detail.summary.id.description
        // The market has answered: a library that cannot be read only leaves out what it would say.
        let record = try? library.record(detail.summary.id)
        var version = detail.latest
        if let number = template.version, number != version.version {
            version = try await client.version(number.description, of: id)
        }
        return Sheet(
            source: .market, template: detail.summary, description: detail.description, version: version,
            versions: try await client.versions(
                of: id, state: state.flatMap { VersionState(rawValue: $0.rawValue) }, channel: channel),
            regions: try await client.regions(of: id, version: version.version.description).pages,
            outline: detail.summary.kind.hasPages
                ? nil : try await client.outline(of: id, version: version.version.description),
            deprecation: detail.deprecation,
            installed: record?.installed, verified: record?.current?.verified)
    }

    private func fromLibrary(_ library: Library, _ client: MarketClient) throws -> Sheet {
        let record = try library.find(template.key, server: client.server.description)
        guard let saved = template.version.map({ record.saved($0) }) ?? record.preferred else {
            throw LibraryError.versionNotInLibrary(
                template.key, version: template.version ?? SemanticVersion(0, 0, 0),
                has: record.versions.map(\.detail.version))
        }
        return Sheet(
            source: .library, template: record.template, description: record.description, version: saved.detail,
            versions: record.versions.map(\.detail).filter(isListed), regions: saved.regions, outline: saved.outline,
            deprecation: record.deprecation,
            installed: record.installed, verified: record.current?.verified)
    }

    private func isListed(_ version: VersionDetail) -> Bool {
        let isInState = state.map { $0.rawValue == version.state.rawValue } ?? true
        let isOnChannel = channel.map { $0 == version.channel } ?? true
        return isInState && isOnChannel
    }

    private func describe(_ sheet: Sheet) {
        let template = sheet.template
        let version = sheet.version
        func line(_ name: String, _ value: String) {
            let padded = name.padding(toLength: 12, withPad: " ", startingAt: 0)
            Terminal.out("\(padded)\(Terminal.printable(value))")
        }
        Terminal.out(Terminal.printable("\(template.name) \(version.version)"))
        Terminal.out(Terminal.printable(template.summary))
        Terminal.out("")
        line("name", template.slug)
        line("id", template.id.description)
        if template.kind != .sheet { line("kind", template.kind.title) }
        line("system", template.gameSystem)
        line("author", template.author)
        line("licence", template.license)
        line("language", template.language)
        if !template.tags.isEmpty { line("tags", template.tags.joined(separator: ", ")) }
        line("rating", Readable.rating(template.rating, template.ratingCount))
        line("downloads", "\(template.downloads)")
        line("file", "\(version.fileName), \(Readable.bytes(version.sizeBytes))")
        line("sha256", version.sha256.hex)
        line("published", Readable.day(version.publishedAt))
        if version.channel != .stable { line("channel", version.channel.rawValue) }
        if let minimum = version.minimumClientVersion { line("needs", "version \(minimum) or later of this program") }
        if let deprecation = sheet.deprecation { line("deprecated", deprecation.advice) }
        if version.state == .yanked {
            let who = version.yankedBy == .administrator ? "by an administrator" : "by its author"
            line("withdrawn", version.yankReason.map { "\(who): \($0)" } ?? who)
        }
        if version.state == .takenDown { line("taken down", version.yankReason ?? "by a moderator") }
        if let changes = version.changes {
            line("since \(changes.since)", "ink \(Self.word(changes.ink))")
        }
        let verified = sheet.verified == true ? ", verified" : ""
        line(
            "installed",
            sheet.installed.map { "\($0.version), since \(Readable.day($0.installedAt))\(verified)" } ?? "no")
        if let outline = sheet.outline { describe(outline) }
        if !sheet.version.pages.isEmpty { describePages(sheet) }
        if !sheet.description.isEmpty { Terminal.out("\n" + Terminal.printable(sheet.description, lines: true)) }
        if !version.changelog.isEmpty {
            Terminal.out("\nWhat is new in \(version.version):\n" + Terminal.printable(version.changelog, lines: true))
        }
        describeVersions(sheet)
    }

    private func describe(_ outline: ContentOutline) {
        Terminal.out("\n" + Terminal.printable(outline.summary))
        for section in outline.sections {
            Terminal.out("\n" + Terminal.printable(section.title))
            for row in section.rows {
                let detail = row.detail.isEmpty ? "" : ": \(row.detail)"
                Terminal.out("  " + Terminal.printable(row.label + detail))
            }
            if section.omitted > 0 { Terminal.out("  … and \(section.omitted) more") }
        }
    }

    private static func word(_ ink: InkVerdict) -> String {
        switch ink {
        case .compatible: "still fits"
        case .shifted: "fits when it is moved"
        case .incompatible: "does not fit everywhere"
        }
    }

    private func describePages(_ sheet: Sheet) {
        var table = Table(("PAGE", .right), ("SIZE", .left), ("FIELDS", .right), ("REGIONS", .right))
        for page in sheet.version.pages {
            table.add(
                "\(page.index + 1)", "\(Int(page.width.rounded())) × \(Int(page.height.rounded())) pt",
                "\(page.formFields)", "\(page.regionCount)")
        }
        Terminal.out("\n" + table.text)
        guard regions else { return }
        var list = Table(("PAGE", .right), ("REGION", .left), ("SCALE", .right), ("FROM", .left))
        for page in sheet.regions {
            for region in page.regions {
                list.add("\(page.index + 1)", region.name, Self.tenths(region.scale), region.source.rawValue)
            }
        }
        Terminal.out("\n" + list.text)
    }

    private func describeVersions(_ sheet: Sheet) {
        guard !sheet.versions.isEmpty else { return Terminal.out("\nNo version is like that.") }
        var table = Table(("VERSION", .left), ("PUBLISHED", .left), ("STATE", .left), ("SIZE", .right))
        for version in sheet.versions {
            table.add(
                version.version.description, Readable.day(version.publishedAt),
                version.state.rawValue + (version.channel == .stable ? "" : ", \(version.channel.rawValue)"),
                Readable.bytes(version.sizeBytes))
        }
        Terminal.out("\n" + table.text)
    }

    private static func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)×" }
}
