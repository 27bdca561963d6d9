// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform

/// A file of `NAME=value` lines, as systemd's EnvironmentFile and `docker --env-file` take it.
struct SettingsFile {
    /// A text and where it was found.
    struct Value: Sendable {
        let text: String
        let origin: String
    }

    private static let largestBytes = 1 << 20

    let values: [String: Value]

    init(contentsOf url: URL) throws {
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch {
            throw ConfigurationError(problems: ["--config \(url.path): the file cannot be read"])
        }
        guard data.count <= Self.largestBytes, let text = String(data: data, encoding: .utf8) else {
            throw ConfigurationError(problems: ["--config \(url.path): not a text file of settings"])
        }
        try self.init(text, name: url.path)
    }

    init(_ text: String, name: String) throws {
        var values: [String: Value] = [:]
        var problems: [String] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = line.trimmingCharacters(in: .whitespacesAndNewlines)
            if line.isEmpty || line.hasPrefix("#") || line.hasPrefix(";") { continue }
            let origin = "\(name), line \(index + 1)"
            guard let equals = line.firstIndex(of: "=") else {
                problems.append("\(origin): a line is NAME=value")
                continue
            }
            let name = line[..<equals].trimmingCharacters(in: .whitespaces)
            let value = line[line.index(after: equals)...].trimmingCharacters(in: .whitespaces)
            values[name] = Value(text: Self.unquoted(value), origin: origin)
        }
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        self.values = values
    }

    private static func unquoted(_ text: String) -> String {
        for quote in ["\"", "'"] where text.count > 1 && text.hasPrefix(quote) && text.hasSuffix(quote) {
            return String(text.dropFirst().dropLast())
        }
        return text
    }
}
