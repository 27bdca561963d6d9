// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketClient
import MarketWire
import SheetCore
import Synchronization

struct Install: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Install templates, verified, for use without a network.",
        discussion: """
            Without a version, the one on offer. A broken download goes on where it stopped. What was installed \
            once needs no network to be installed again.
            """)

    @Argument(help: TemplateReference.help, completion: KnownNames.kept)
    var templates: [TemplateReference]

    @Option(
        help: ArgumentHelp("stable, or beta to get betas as well; remembered for updates.", valueName: "stable|beta"))
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
        let installer = Installer(try mirror.client(of: market), library)
        let work = InstallWork(installer: installer, library: library, progress: progress, json: output.json)
        let (done, worst) = try await work.install(templates, channel: channel, mode: offline ? .offline : .automatic)
        if output.json { try Terminal.json(InstalledSheets(templates: done.compactMap { $0 })) }
        if let worst { throw worst }
    }
}

/// Installing with a progress bar, as `install` and `update` do it.
struct InstallWork: Sendable {
    let installer: Installer
    let library: Library
    let progress: ProgressOptions
    let json: Bool

    /// Installs several, up to eight at a time, and tells of each as it is done. What failed is `nil`, and told; of one
    /// that was asked for alone it is thrown. `names` is what people call them, where that is not how they were asked for.
    func install(
        _ templates: [TemplateReference], called names: [String]? = nil, channel: ReleaseChannel?, mode: Installer.Mode,
        isOneOfMany: Bool = false
    ) async throws -> (done: [InstalledSheet?], worst: ExitStatus?) {
        let names = names ?? templates.map(\.description)
        let title = names.count == 1 ? names[0] : "\(names.count) templates"
        let bar = SharedBar(progress.bar(title, quiet: json), count: templates.count)
        let results = try await installer.install(templates, channel: channel, mode: mode) { at, event in
            switch event {
            case .waiting: bar.note(Terminal.printable("Another process downloads \(names[at]); waiting for it."))
            case .resuming(let bytes):
                if !json { bar.note("Going on with an earlier download from \(Readable.bytes(bytes)).") }
            case .downloading(let progress): bar.show(progress, of: at)
            case .notice(let text): bar.note(Terminal.printable(text))
            }
        } done: { at, result in
            bar.ended(at)
            if case .success(let outcome) = result, !json { bar.out(Self.told(outcome)) }
        }
        bar.end()
        var worst: ExitStatus?
        let done = try results.map { result -> InstalledSheet? in
            do {
                let outcome = try result.get()
                return InstalledSheet(outcome.record, library, from: outcome.previous, changes: outcome.changes)
            } catch let error where (templates.count > 1 || isOneOfMany) && !(error is CancellationError) {
                // One that fails should not keep the others from being installed.
                worst = ExitStatus.report(error)
                return nil
            }
        }
        return (done, worst)
    }

    private static func told(_ outcome: Installer.Outcome) -> String {
        var text = Terminal.printable(sentence(outcome))
        if let news = news(outcome) { text += "\n" + Terminal.printable(news, lines: true) }
        if let previous = outcome.previous, previous < outcome.version, outcome.record.template.kind.hasPages {
            text += "\n" + InkNews.text(outcome.changes, since: previous)
        }
        return text
    }

    /// What an update brings, by its author's word.
    private static func news(_ outcome: Installer.Outcome) -> String? {
        guard let previous = outcome.previous, previous < outcome.version,
            let text = outcome.record.saved(outcome.version)?.detail.changelog.trimmingCharacters(
                in: .whitespacesAndNewlines),
            !text.isEmpty
        else { return nil }
        return InkNews.quoted(text)
    }

    private static func sentence(_ outcome: Installer.Outcome) -> String {
        let name = outcome.record.template.slug
        let version = outcome.version
        switch outcome.previous {
        case nil:
            guard outcome.downloaded else { return "Installed \(name) \(version) from the library." }
            return outcome.verified
                ? "Installed \(name) \(version) and verified."
                : "Installed \(name) \(version); its bytes are as the market said, which signs nothing."
        case version? where outcome.downloaded: return "Mended \(name) \(version)."
        case version?: return "\(name) \(version) is installed already."
        case let previous?: return "Installed \(name) \(version) in the place of \(previous)."
        }
    }
}

extension ReleaseChannel: ExpressibleByArgument {}

/// One progress bar for all that is installed at the same time.
private final class SharedBar: Sendable {
    private struct State {
        var transfers: [Int: TransferProgress] = [:]
        var ended = 0
        /// The parts of those under way together, and the bytes of all.
        var running = 0.0
        var bytes = 0

        mutating func note(_ progress: TransferProgress, of at: Int) {
            let before = transfers.updateValue(progress, forKey: at)
            running += progress.fraction - (before?.fraction ?? 0)
            bytes += progress.bytes - (before?.bytes ?? 0)
        }

        mutating func end(_ at: Int) {
            running -= transfers.removeValue(forKey: at)?.fraction ?? 0
            ended += 1
        }
    }

    private let bar: ProgressBar
    private let count: Int
    private let state = Mutex(State())

    init(_ bar: ProgressBar, count: Int) {
        self.bar = bar
        self.count = count
    }

    func show(_ progress: TransferProgress, of at: Int) {
        guard count > 1 else { return bar.show(progress) }
        show { $0.note(progress, of: at) }
    }

    func ended(_ at: Int) {
        guard count > 1 else { return bar.end() }
        show { $0.end(at) }
    }

    private func show(_ change: (inout State) -> Void) {
        let (fraction, bytes, ended) = state.withLock { state in
            change(&state)
            return ((Double(state.ended) + state.running) / Double(count), state.bytes, state.ended)
        }
        bar.show(fraction, "\(ended) of \(count), \(Readable.bytes(bytes))", bytes: bytes)
    }

    func note(_ text: String) { bar.say(text) }
    func out(_ text: String) { bar.say(text, Terminal.out) }
    func end() { bar.end() }
}
