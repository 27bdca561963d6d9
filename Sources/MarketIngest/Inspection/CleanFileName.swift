// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform

extension String {
    /// Suffixes of what is taken here besides PDFs.
    private static let foreignSuffixes: Set<String> = ["zip", "json", "sheetbundle", "ttrpg", "fstemplate"]

    /// A file name without folders, safe in a header field and on any disk; ends in `.pdf`, or in another suffix that
    /// is taken here, `more` among them.
    package func cleanedFileName(keeping more: Set<String> = []) -> String {
        let last = split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) ?? ""
        var name = last.cleanedLine().filter { !"<>:\"|?*".contains($0) }
        var suffix = ".pdf"
        if let dot = name.lastIndex(of: ".") {
            let given = name[name.index(after: dot)...].lowercased()
            if Self.foreignSuffixes.contains(given) || more.contains(given) { suffix = "." + given }
            if given == "pdf" || suffix != ".pdf" { name = String(name[..<dot]) }
        }
        name = String(name.prefix(100).drop { $0 == "." || $0 == " " })
        while name.utf8.count > 200 { name.removeLast() }
        return (name.isEmpty ? "sheet" : name) + suffix
    }
}
