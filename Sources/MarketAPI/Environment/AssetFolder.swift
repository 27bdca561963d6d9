// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The files that come with the program: `migrations/`, `web/`, `examples/`, `rules/` and `plugins/`.
public struct AssetFolder: Sendable {
    /// The folder that holds them.
    public let root: URL

    /// The SQL files.
    public var migrations: URL { root.appendingPathComponent("migrations") }
    /// Page templates and static files.
    public var web: URL { root.appendingPathComponent("web") }
    /// The canned reasons of moderators, by language.
    public var reasons: URL { web.appendingPathComponent("reasons") }
    /// The example sheets.
    public var examples: URL { root.appendingPathComponent("examples") }

    /// The rules of the risk score that come with the program.
    public var rules: URL { root.appendingPathComponent("rules") }

    /// The outside importers that come with the program.
    public var plugins: URL { root.appendingPathComponent("plugins") }

    /// Where an installed program keeps them.
    public static let installed = URL(fileURLWithPath: "/usr/share/sheetmarket")

    /// The folder `named`, or the nearest one above `executable` that has migrations, or the installed one; `nil` when
    /// there is none.
    public init?(named: URL?, executable: URL) {
        var candidates = [named].compactMap { $0 }
        if named == nil {
            var folder = executable.resolvingSymlinksInPath().deletingLastPathComponent()
            while folder.path != "/" {
                candidates.append(folder)
                folder.deleteLastPathComponent()
            }
            candidates.append(Self.installed)
        }
        let found = candidates.first {
            FileManager.default.fileExists(atPath: $0.appendingPathComponent("migrations").path)
        }
        guard let found else { return nil }
        root = found
    }
}
