// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketClient
import MarketWire
import SheetCore

struct Install: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Install templates, verified, for use without a network.",
        discussion: """
            Without a version, the one on offer. A broken download goes on where it stopped. What was installed \
            once needs no network to be installed again.
            """)

    @Argument(help: TemplateReference.help, completion: KnownNames.kept)
    var templates: [TemplateReference]

    @Option(
        help: ArgumentHelp("stable, or beta for previews as well; remembered for updates.", valueName: "stable|beta"))
    var channel: ReleaseChannel?

    @Flag(help: "Do not ask the market; install again what was installed before.")
    var offline = false

    @OptionGroup var market: MarketOptions
    @OptionGroup var mirror: MirrorOptions
    @OptionGroup var libraryOptions: LibraryOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var progress: ProgressOptions

    func run() async throws {
        let library = libraryOptions.open()
        let installer = Installer(client: try mirror.client(of: market), library: library)
        let work = InstallWork(installer: installer, library: library, progress: progress, json: output.json)
        var done: [InstalledSheet] = []
        var worst: ExitStatus?
        for template in templates {
            do {
                done.append(try await work.install(template, channel: channel, mode: offline ? .offline : .automatic))
            } catch let error where templates.count > 1 && !(error is CancellationError) {
                // One that fails should not keep the others from being installed.
                worst = ExitStatus.report(error)
            }
        }
        if output.json { try Terminal.json(InstalledSheets(templates: done)) }
        if let worst { throw worst }
    }
}

/// Installing with a progress bar, as `install` and `update` do it.
struct InstallWork: Sendable {
    let installer: Installer
    let library: Library
    let progress: ProgressOptions
    let json: Bool

    func install(
        _ template: TemplateReference, channel: ReleaseChannel?, mode: Installer.Mode
    ) async throws -> InstalledSheet {
        let bar = progress.bar(template.description, quiet: json)
        let outcome: Installer.Outcome
        do {
            outcome = try await installer.install(template, channel: channel, mode: mode) { event in
                switch event {
                case .waiting: Terminal.note("Another process downloads \(template); waiting for it.")
                case .resuming(let bytes):
                    if !json { Terminal.note("Going on with an earlier download from \(Readable.bytes(bytes)).") }
                case .downloading(let progress): bar.show(progress)
                case .notice(let text): Terminal.note(Terminal.printable(text))
                }
            }
        } catch {
            bar.end()
            throw error
        }
        bar.end()
        let sheet = InstalledSheet(outcome.record, library, from: outcome.previous)
        if !json {
            Terminal.out(Terminal.printable(Self.sentence(outcome)))
            if let news = Self.news(outcome) { Terminal.out(Terminal.printable(news, lines: true)) }
        }
        return sheet
    }

    /// What an update brings, by its author's word.
    private static func news(_ outcome: Installer.Outcome) -> String? {
        guard let previous = outcome.previous, previous < outcome.version,
            let text = outcome.record.saved(outcome.version)?.detail.changelog.trimmingCharacters(
                in: .whitespacesAndNewlines),
            !text.isEmpty
        else { return nil }
        return "What is new:\n"
            + text.split(separator: "\n", omittingEmptySubsequences: false).map { "  \($0)" }
            .joined(separator: "\n")
    }

    private static func sentence(_ outcome: Installer.Outcome) -> String {
        let name = outcome.record.template.slug
        let version = outcome.version
        switch outcome.previous {
        case nil:
            let way = outcome.downloaded ? "and verified" : "from the library"
            return "Installed \(name) \(version) \(way)."
        case version? where outcome.downloaded: return "Mended \(name) \(version)."
        case version?: return "\(name) \(version) is installed already."
        case let previous?: return "Installed \(name) \(version) in the place of \(previous)."
        }
    }
}

extension ReleaseChannel: ExpressibleByArgument {}
