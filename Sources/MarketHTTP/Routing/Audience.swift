// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird

extension Request {
    /// Whether nobody waits for the answer: a browser fetches it in case somebody asks, or a program reads the whole
    /// web.
    package var isAutomatic: Bool {
        for name in [HTTPField.Name.secPurpose, .purpose, .xMoz] {
            if headers[name]?.lowercased().contains("prefetch") == true { return true }
        }
        guard let agent = headers[.userAgent] else { return false }
        // Each download asks this, and a search by letters is slow; these names are ASCII.
        let bytes = agent.utf8.map { (65...90).contains($0) ? $0 | 0x20 : $0 }
        return bytes.indices.contains { place in
            automaticNames.contains { $0.first == bytes[place] && bytes[place...].starts(with: $0) }
        }
    }

    /// Whether a browser asks, as far as it says so; else a program such as `sheets`.
    package var isFromBrowser: Bool { headers[.userAgent]?.hasPrefix("Mozilla/") == true }
}

/// Parts of names that programs without a person behind them give themselves.
private let automaticNames = [
    "bot", "crawl", "spider", "slurp", "archiver", "facebookexternalhit", "preview", "monitor", "lighthouse",
    "pagespeed", "headlesschrome",
].map { Array($0.utf8) }

extension HTTPField.Name {
    /// Fetch: `prefetch` where nobody has asked for it yet.
    fileprivate static let secPurpose = Self("Sec-Purpose") ?? .purpose
    /// The same in older browsers.
    fileprivate static let purpose = Self("Purpose") ?? .range
    /// The same in others.
    fileprivate static let xMoz = Self("X-Moz") ?? .range
}
