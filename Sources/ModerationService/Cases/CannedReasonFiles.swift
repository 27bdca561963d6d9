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
            do {
                for language in try entries(folder) where !language.hasPrefix(".") {
                    read(language, in: folder, &reasons, &problems)
                }
            } catch {
                problems.append(Problem(description: "\(folder.path): \(error.localizedDescription)"))
            }
        }
        return (ReasonBook(reasons), problems)
    }

    private static func read(
        _ language: String, in folder: URL, _ reasons: inout [CannedReason], _ problems: inout [Problem]
    ) {
        let folder = folder.appendingPathComponent(language)
        // What cannot be listed is a file beside the languages' folders, such as a README.
        let files = ((try? entries(folder)) ?? []).filter { $0.hasSuffix(".md") }
        for file in files.prefix(maximumFiles) {
            let url = folder.appendingPathComponent(file)
            do {
                let data = try Data(contentsOf: url)
                guard data.count <= maximumBytes, let text = String(data: data, encoding: .utf8) else {
                    problems.append(Problem(description: "\(url.path): no UTF-8, or larger than 64 KiB"))
                    continue
                }
                reasons.append(try CannedReason(code: String(file.dropLast(3)), language: language, markdown: text))
            } catch {
                problems.append(Problem(description: "\(url.path): \(error)"))
            }
        }
    }

    private static func entries(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }
}
