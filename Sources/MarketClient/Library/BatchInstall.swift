// SPDX-License-Identifier: Apache-2.0
import MarketWire
import SheetCore

extension Installer {
    /// Most downloads at one time.
    public static let maximumAtOnce = maximumInParallel

    /// Installs several templates, up to eight at a time over one pool of connections; signed metadata is fetched once for
    /// all. Results are in the order of `references`, and one that fails does not keep the others from being installed;
    /// `report` and `done` name a template by its place among them, and may be called from any thread.
    public func install(
        _ references: [TemplateReference], channel: ReleaseChannel? = nil, mode: Mode = .automatic,
        report: @escaping @Sendable (Int, InstallEvent) -> Void = { _, _ in },
        done: @escaping @Sendable (Int, Result<Outcome, any Error>) -> Void = { _, _ in }
    ) async throws -> [Result<Outcome, any Error>] {
        guard references.count > 1, mode == .automatic else {
            return try await each(references) { at in
                let result = await result {
                    try await install(references[at], channel: channel, mode: mode) { report(at, $0) }
                }
                done(at, result)
                return result
            }
        }
        try library.prepare()
        let found = try await each(references) { at in
            await result { try await look(for: references[at], channel) }
        }
        await loadTrust(for: found) { report(0, $0) }
        return try await each(references) { at in
            let result = await result {
                try await orOffline(references[at], { report(at, $0) }) {
                    try await bring(try found[at].get(), channel) { report(at, $0) }
                }
            }
            done(at, result)
            return result
        }
    }

    /// What goes wrong here is told of each template, which finds it out again.
    private func loadTrust(
        for found: [Result<Found, any Error>], _ report: @Sendable (InstallEvent) -> Void
    ) async {
        let paths = found.compactMap { result -> String? in
            guard case .success(let found) = result else { return nil }
            let template = found.detail.summary
            return TargetPath.of(template.id, found.version.version, template.kind)
        }
        guard !paths.isEmpty, (try? await trust.isSigned(report)) == true else { return }
        try? await trust.load(for: paths)
    }

    private func each<R: Sendable>(
        _ references: [TemplateReference], _ body: @escaping @Sendable (Int) async throws -> R
    ) async throws -> [R] {
        try await inParallel(Array(references.indices), atMost: Self.maximumAtOnce, body)
    }

    private func result<R: Sendable>(_ body: () async throws -> R) async -> Result<R, any Error> {
        do {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }
}
