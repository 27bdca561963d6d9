// SPDX-License-Identifier: Apache-2.0

/// What games and tags were called before, with what each is called now.
package struct FormerNames: Sendable {
    /// Slugs of games that were merged into another, with that one's.
    package var gameSystems: [String: String] = [:]
    package var tags: [String: String] = [:]

    package init() {}

    /// The same query with present names in place of former ones; `nil` where it has none of these.
    func present(_ query: String) -> String? {
        var isChanged = false
        let items = query.split(separator: "&", omittingEmptySubsequences: false).map { item -> Substring in
            let parts = item.split(separator: "=", maxSplits: 1)
            // What is in here is written without encoding.
            guard parts.count == 2, let present = names(of: parts[0])?[parts[1].lowercased()] else { return item }
            isChanged = true
            return "\(parts[0])=\(present)"
        }
        return isChanged ? items.joined(separator: "&") : nil
    }

    private func names(of parameter: Substring) -> [String: String]? {
        switch parameter {
        case "gameSystem": gameSystems
        case "tag": tags
        default: nil
        }
    }
}
