// SPDX-License-Identifier: Apache-2.0
import Foundation
import Moderation

/// Reads canned reasons: `<language>/<code>.md` in a folder.
package enum CannedReasonFiles {
    /// A file that cannot be used, and why.
    package struct Problem: Sendable, CustomStringConvertible {
        /// For the operator.
        package let description: String
    }

    /// Largest file, in bytes.
    package static let maximumBytes = 1 << 16
    /// Most files of a folder.
    static let maximumFiles = 2000

    /// The reasons of all folders; where two have one code and language, the later folder's stays.
    package static func read(_ folders: [URL]) -> (reasons: ReasonBook, problems: [Problem]) {
        var reasons: [CannedReason] = []
        var problems: [Problem] = []
        for folder in folders {
            for language in entries(folder) where !language.hasPrefix(".") {
                let files = entries(folder.appendingPathComponent(language)).filter { $0.hasSuffix(".md") }
                for file in files.prefix(maximumFiles) {
                    let url = folder.appendingPathComponent(language).appendingPathComponent(file)
                    do {
                        let data = try Data(contentsOf: url)
                        guard data.count <= maximumBytes, let text = String(data: data, encoding: .utf8) else {
                            problems.append(Problem(description: "\(url.path): no UTF-8, or larger than 64 KiB"))
                            continue
                        }
                        reasons.append(
                            try CannedReason(code: String(file.dropLast(3)), language: language, markdown: text))
                    } catch {
                        problems.append(Problem(description: "\(url.path): \(error)"))
                    }
                }
            }
        }
        return (ReasonBook(reasons), problems)
    }

    private static func entries(_ folder: URL) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }
}
