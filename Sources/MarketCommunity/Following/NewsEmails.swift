// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAccounts
import MarketPlatform
import MarketWire
import Postgres

/// News by e-mail, for those who want it: once a day at most, and only when there is something they have not read.
package struct NewsEmails: Sendable {
    /// Between two e-mails to one person.
    static let interval = 86_400.0
    /// Sheets that an e-mail names; the template has a place for each.
    private static let named = 5
    /// Longer than any transaction that publishes, in seconds.
    private static let settling = 60.0
    /// People who are looked after in one go.
    private static let most = 2000

    private let platform: Platform

    package init(platform: Platform) {
        self.platform = platform
    }

    /// Writes to all whose time has come; answers to how many.
    @discardableResult
    package func sendDue() async throws -> Int {
        var sent = 0
        for _ in 0..<Self.most {
            let outcome = try await platform.database.withTransaction { try await sendNext($0) }
            guard let outcome else { break }
            if outcome { sent += 1 }
        }
        return sent
    }

    /// `nil` when nobody's time has come; `false` when there was nothing to tell.
    private func sendNext(_ connection: PostgresConnection) async throws -> Bool? {
        // What came out within the last moments may not be seen yet, since its transaction still runs: the next e-mail's.
        let now = platform.now()
        let until = now.addingTimeInterval(-Self.settling)
        let next = try await NewsStore.nextReader(before: now.addingTimeInterval(-Self.interval), connection)
        guard let (user, mailedAt) = next else { return nil }
        let items = try await NewsStore.news(of: user, limit: FollowingService.newsShown, connection)
        let news = items.filter { $0.isUnread && $0.publishedAt > mailedAt && $0.publishedAt <= until }
        try await NewsStore.setMailed(user, at: until, connection)
        guard !news.isEmpty else { return false }
        try await Mail.enqueue(
            EmailMessage(template: .news, to: user, values: Self.values(news)), in: connection)
        return true
    }

    private static func values(_ news: [News.Item]) -> [String: String] {
        var values = ["count": DisplayText.number(news.count).description]
        let lines = news.map { item in
            let template = item.template
            let name = item.reason == .favorite ? "\(template.name) \(template.version)" : template.name
            return "\(name) (\(template.author), \(template.gameSystem))"
        }
        for (index, line) in lines.prefix(named).enumerated() { values["sheet\(index + 1)"] = line }
        if lines.count == 1 { values["single"] = lines[0] }
        if lines.count > named { values["more"] = DisplayText.number(lines.count - named).description }
        return values
    }
}
