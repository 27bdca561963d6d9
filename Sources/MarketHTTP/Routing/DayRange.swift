// SPDX-License-Identifier: Apache-2.0
import Foundation
import Hummingbird
import MarketPlatform
import MarketWire

/// The days that a caller asks for, `from` and `to` among them.
package struct DayRange: Sendable {
    package let from: UTCDay
    package let to: UTCDay

    /// Most days that are told of at once.
    private static let maximumDays = 732
    /// Days that are told of when none are asked for, today among them.
    private static let usualDays = 30

    /// So many days, the last of them today.
    package init(last count: Int, at now: Date) {
        from = UTCDay(now.addingTimeInterval(-86_400 * Double(count - 1)))
        to = UTCDay(now)
    }

    /// Reads `from` and `to` of a query.
    package init(_ request: Request, now: Date) throws(APIError) {
        var problems: [ProblemDocument.Detail] = []
        func day(_ name: String) -> UTCDay? {
            guard let text = request.query(name) else { return nil }
            let day = UTCDay(text)
            if day == nil { problems.append(.init(pointer: name, detail: "A day such as 2026-11-21.")) }
            return day
        }
        to = day("to") ?? UTCDay(now)
        from = day("from") ?? UTCDay(to.date.addingTimeInterval(-86_400 * Double(Self.usualDays - 1)))
        let span = to.date.timeIntervalSince(from.date) / 86_400
        if problems.isEmpty, span < 0 || span >= Double(Self.maximumDays) {
            problems.append(.init(pointer: "from", detail: "At most \(Self.maximumDays) days before 'to'."))
        }
        if !problems.isEmpty { throw .validation(problems) }
    }
}
