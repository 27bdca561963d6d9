// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketClient
import MarketWire
import SheetCore

struct Publish: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Upload a file as a new template, or as a new version of one of yours.",
        discussion: """
            The file is a PDF, a sheet bundle (.sheetbundle, what `sheets archive` writes), a character archive \
            (.ttrpg), a skill library (.fstemplate), a zoom-region preset or a vocabulary pack (JSON), or whatever \
            else the market's importers take.

            Describe it in a JSON file or by options; options win. A new template needs at least name, game system, \
            license and version; a new version of a template (--template) needs only its number. The command shows \
            the upload and the inspection, and ends when a moderator's decision is the next thing to wait for.
            """)

    @Argument(
        help: "The file.",
        completion: .file(extensions: ["pdf", "sheetbundle", "ttrpg", "fstemplate", "json", "zip"]))
    var file: String

    @Option(
        help: ArgumentHelp("A JSON file with the metadata; - reads standard input.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var metadata: String?

    @Option(help: "Make it a new version of this template (slug or id).", completion: KnownNames.kept)
    var template: String?

    @Option(help: ArgumentHelp("What people call it.", valueName: "text"))
    var name: String?

    @Option(help: ArgumentHelp("One sentence about it.", valueName: "text"))
    var summary: String?

    @Option(help: ArgumentHelp("More about it, in Markdown.", valueName: "markdown"))
    var description: String?

    @Option(
        name: [.customLong("game-system"), .customShort("g")],
        help: ArgumentHelp("The game system's slug.", valueName: "slug"))
    var gameSystem: String?

    @Option(help: "A tag; may be repeated.")
    var tag: [String] = []

    @Option(help: ArgumentHelp("The licence's SPDX id, such as CC-BY-4.0.", valueName: "spdx-id"))
    var license: String?

    @Option(help: ArgumentHelp("The sheet's language (BCP 47), such as en or de.", valueName: "code"))
    var language: String?

    @Option(name: .customLong("version"), help: "Its version (Semantic Versioning), such as 1.0.0.")
    var versionNumber: String?

    @Option(help: ArgumentHelp("What is new, in Markdown.", valueName: "markdown"))
    var changelog: String?

    @Option(
        help: ArgumentHelp(
            "stable, or beta for those who take betas; a pre-release is always beta.", valueName: "stable|beta"))
    var channel: ReleaseChannel?

    @Option(
        name: .customLong("minimum-client"),
        help: ArgumentHelp("The first version of clients that can use it, such as 0.2.0.", valueName: "version"))
    var minimumClient: String?

    @Flag(name: .customLong("no-wait"), help: "End when the upload is done; do not wait for the inspection.")
    var noWait = false

    @OptionGroup var market: MarketOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var progress: ProgressOptions

    func run() async throws {
        let metadata = try described()
        try check(metadata)
        let client = try market.client()
        let url = URL(fileURLWithPath: file)
        let bar = progress.bar("uploading \(url.lastPathComponent)", quiet: output.json)
        var status: SubmissionStatus
        do {
            status = try await client.publish(url, metadata: metadata, newVersionOf: template) { bar.show($0) }
        } catch {
            bar.end()
            throw error
        }
        bar.end()
        if !output.json { Terminal.note("Received as submission \(status.id).") }
        if !noWait {
            status = try await SubmissionWatch(client: client, progress: progress, json: output.json)
                .follow(status) { ![.received, .inspecting].contains($0) }
        }
        if output.json { try Terminal.json(status) } else { SubmissionWatch.describe(status) }
        if status.state == .rejected { throw ExitStatus.refused }
    }

    private func described() throws -> UploadMetadata {
        var result = UploadMetadata()
        if let metadata {
            let data: Data?
            if metadata == "-" {
                data = try FileHandle.standardInput.readToEnd() ?? Data()
            } else {
                data = FileManager.default.contents(atPath: metadata)
            }
            guard let data else { throw CommandFailure("\(metadata) cannot be read.", .usage) }
            do {
                result = try WireJSON.decoder().decode(UploadMetadata.self, from: data)
            } catch {
                throw CommandFailure("\(metadata) is not a JSON object with the metadata of an upload.", .usage)
            }
        }
        result.name = name ?? result.name
        result.summary = summary ?? result.summary
        result.description = description ?? result.description
        result.gameSystem = gameSystem ?? result.gameSystem
        result.tags = tag.isEmpty ? result.tags : tag
        result.license = license ?? result.license
        result.language = language ?? result.language
        result.version = versionNumber ?? result.version
        result.changelog = changelog ?? result.changelog
        result.channel = channel?.rawValue ?? result.channel
        result.minimumClientVersion = minimumClient ?? result.minimumClientVersion
        return result
    }

    /// Finds before the upload what the server would find after it.
    private func check(_ metadata: UploadMetadata) throws {
        guard let version = metadata.version else {
            throw ValidationError("A version is needed: --version 1.0.0, or `version` in the metadata.")
        }
        guard SemanticVersion(version) != nil else {
            throw ValidationError("'\(version)' is not a Semantic Versioning number; one looks like 1.0.0.")
        }
        guard template == nil else { return }
        var missing: [String] = []
        if metadata.name == nil { missing.append("--name") }
        if metadata.gameSystem == nil { missing.append("--game-system") }
        if metadata.license == nil { missing.append("--license") }
        guard missing.isEmpty else {
            throw ValidationError("A new template also needs \(missing.joined(separator: ", ")).")
        }
    }
}
