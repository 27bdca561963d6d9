// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import MarketClient
import MarketWire
import SheetCore

struct Update: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Bring installed templates to the newest version, and say what was withdrawn or taken down.")

    @Argument(
        help: ArgumentHelp("Slugs or ids; without any, all that came from this market.", valueName: "template"),
        completion: KnownNames.installed)
    var templates: [String] = []

    @Option(
        help: ArgumentHelp(
            "stable or beta, this once; without it the channel that each was installed from.", valueName: "stable|beta")
    )
    var channel: ReleaseChannel?

    @Flag(help: "Only say what there is; install nothing.")
    var check = false

    @OptionGroup var market: MarketOptions
    @OptionGroup var mirror: MirrorOptions
    @OptionGroup var libraryOptions: LibraryOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var progress: ProgressOptions

    private struct Line: Encodable {
        let id: TemplateID
        let slug: String
        let installed: SemanticVersion?
        let newer: SemanticVersion?
        let state: VersionState?
        let genuine: Bool
        let reason: String?
        /// The version of this program that `newer` needs, where this one is too old.
        let needsProgram: SemanticVersion?
        let deprecation: Deprecation?
        /// What its market signed to be used instead, where `installed` was withdrawn or taken down.
        let replacement: Replacement?
        /// Whether it is held at its version.
        let pinned: Bool
        let updated: Bool
        /// What is new in `newer`, by its author's word.
        let changelog: String?
        /// What changed from `installed` to `newer`, page by page; absent where the market does not know.
        let changes: VersionChanges?
    }

    /// What `newer` brings, as far as it was asked for.
    private struct News {
        let changelog: String
        let changes: VersionChanges?
    }

    private struct Report: Encodable {
        let updates: [Line]
    }

    func run() async throws {
        let library = libraryOptions.open()
        let installer = Installer(try mirror.client(of: market), library)
        let work = InstallWork(installer: installer, library: library, progress: progress, json: output.json)
        let updates = try await installer.checkForUpdates(of: templates, channel: channel)
        let usable = updates.filter { !check && $0.entry.newer != nil && isUsable($0) && !$0.installed.pinned }
        let wanted = usable.map { TemplateReference(key: $0.installed.id.description, version: $0.entry.newer) }
        let names = usable.map { "\($0.installed.slug) \($0.entry.newer?.description ?? "")" }
        let (done, failed) = try await work.install(
            wanted, called: names, channel: nil, mode: .automatic, isOneOfMany: true)
        let updated = Set(done.compactMap { $0?.id })
        var worst = failed
        var lines: [Line] = []
        for update in updates {
            let isUpdated = updated.contains(update.installed.id)
            let news = isUpdated || check ? try await news(of: update, installer) : nil
            if !isUpdated { explain(update, news) }
            if !update.entry.genuine && update.entry.state != nil && !isUpdated { worst = .refused }
            lines.append(line(update, isUpdated, news))
        }
        if output.json {
            try Terminal.json(Report(updates: lines))
        } else if !lines.contains(where: {
            $0.updated || ($0.newer != nil && ($0.needsProgram == nil && !$0.pinned || check))
        }) {
            Terminal.out(lines.isEmpty ? "Nothing from this market is installed." : "Everything is up to date.")
        }
        if let worst { throw worst }
    }

    /// Not knowing what is new is no failure.
    private func news(of update: Installer.Update, _ installer: Installer) async throws -> News? {
        guard let newer = update.entry.newer, let installed = update.installed.version else { return nil }
        do {
            return try await installer.news(of: update.installed.id, from: installed, to: newer).map {
                News(changelog: $0.changelog, changes: $0.changes)
            }
        } catch is MarketClientError {
            return nil
        }
    }

    private func line(_ update: Installer.Update, _ updated: Bool, _ news: News?) -> Line {
        Line(
            id: update.installed.id, slug: update.installed.slug,
            installed: update.installed.version, newer: update.entry.newer, state: update.entry.state,
            genuine: update.entry.genuine, reason: update.entry.reason,
            needsProgram: isUsable(update) ? nil : update.entry.minimumClientVersion,
            deprecation: update.entry.deprecation, replacement: update.replacement, pinned: update.installed.pinned,
            updated: updated, changelog: news?.changelog, changes: news?.changes)
    }

    private func isUsable(_ update: Installer.Update) -> Bool {
        MarketClient.isRecentEnough(for: update.entry.minimumClientVersion)
    }

    /// A record that went away meanwhile has none.
    private func hasPages(_ update: Installer.Update) -> Bool {
        (try? libraryOptions.open().record(update.installed.id))?.template.kind.hasPages ?? false
    }

    private func explain(_ update: Installer.Update, _ news: News?) {
        let slug = update.installed.slug
        let name = "\(slug) \(update.installed.version?.description ?? "")"
        let reason = WithdrawalReason.ending(update.entry.reason)
        func say(_ text: String) { Terminal.note(Terminal.printable(text)) }
        if check, let newer = update.entry.newer, !output.json {
            Terminal.out(Terminal.printable("\(name) → \(newer)"))
            if let news, !news.changelog.isEmpty { Terminal.out(InkNews.quoted(news.changelog)) }
            if let installed = update.installed.version, hasPages(update) {
                Terminal.out(InkNews.text(news?.changes, since: installed))
            }
        }
        if let newer = update.entry.newer, update.installed.pinned {
            say("\(name) is pinned, so \(newer) is not installed; `sheets unpin \(slug)` lets it go.")
        }
        if let newer = update.entry.newer, let minimum = update.entry.minimumClientVersion, !isUsable(update) {
            say("\(slug) \(newer) needs version \(minimum) or later of this program, which is \(MarketClient.version).")
        }
        if let deprecation = update.entry.deprecation {
            say("\(slug) should no longer be used: \(deprecation.advice)")
        }
        // What is newer of the same template was installed, or it was said above why not.
        let isNewerOfSame = update.entry.newer != nil && update.replacement?.id == update.installed.id
        let advice = isNewerOfSame ? "" : update.replacement.map { " \($0.advice)" } ?? ""
        switch update.entry.state {
        case nil: say("\(name) is not known to this market any more; it stays installed.")
        case .yanked?: say("\(name) was withdrawn\(reason)\(advice)")
        case .takenDown?:
            say("\(name) was taken down by a moderator\(reason) `sheets remove \(slug)` removes it.\(advice)")
        case .published?: break
        }
        if update.entry.state != nil && !update.entry.genuine {
            say("\(name) is NOT what was published under that number; remove it with `sheets remove --purge \(slug)`.")
        }
    }
}
