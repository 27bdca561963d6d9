// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The files that come with the program: `migrations/`, `web/`, `examples/`, `rules/` and `plugins/`.
package struct AssetFolder: Sendable {
    /// The folder that holds them.
    package let root: URL

    /// The SQL files.
    package var migrations: URL { root.appendingPathComponent("migrations") }
    /// Page templates and static files.
    package var web: URL { root.appendingPathComponent("web") }
    /// The canned reasons of moderators, by language.
    package var reasons: URL { web.appendingPathComponent("reasons") }
    /// The example sheets.
    package var examples: URL { root.appendingPathComponent("examples") }

    /// The rules of the risk score that come with the program.
    package var rules: URL { root.appendingPathComponent("rules") }

    /// The outside importers that come with the program.
    package var plugins: URL { root.appendingPathComponent("plugins") }

    /// Where an installed program keeps them.
    package static let installed = URL(fileURLWithPath: "/usr/share/sheetmarket")

    /// The folder `named`, or the nearest one above `executable` that has migrations, or the installed one; `nil` when
    /// there is none.
    package init?(named: URL?, executable: URL) {
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

/// A file that comes with the program, or with the operator, will not do; the text is for the operator.
package struct AssetError: Error, CustomStringConvertible {
    /// What is wrong with which file.
    package let description: String

    package init(description: String) {
        self.description = description
    }
}
