// SPDX-License-Identifier: Apache-2.0
import SheetCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Which backups stay: the last of each of seven days, four weeks and twelve months that have one. Counted are periods
/// with backups, so that somebody who was away for a year loses nothing by that alone.
public struct BackupRetention: Sendable, Hashable {
    public var days: Int
    public var weeks: Int
    public var months: Int

    public init(days: Int = 7, weeks: Int = 4, months: Int = 12) {
        self.days = days
        self.weeks = weeks
        self.months = months
    }

    /// Those of `backups` that are to be kept. What lies more than a day ahead of `now` was made with a wrong clock,
    /// now or then: it is kept, and takes no other's place. Weeks begin on Monday (ISO 8601).
    public func kept(_ backups: some Sequence<Date>, now: Date, in timeZone: TimeZone) -> Set<Date> {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        calendar.firstWeekday = 2
        calendar.minimumDaysInFirstWeek = 4
        let sorted = Set(backups).sorted(by: >)
        let ahead = sorted.prefix { $0 > now + 86_400 }
        let past = sorted.dropFirst(ahead.count)
        var kept = Set(ahead)
        func keep(_ most: Int, _ period: (Date) -> [Int?]) {
            var seen: Set<[Int?]> = []
            for date in past where seen.count < most && seen.insert(period(date)).inserted { kept.insert(date) }
        }
        keep(days) { date in
            let parts = calendar.dateComponents([.year, .month, .day], from: date)
            return [parts.year, parts.month, parts.day]
        }
        keep(weeks) { date in
            let parts = calendar.dateComponents([.yearForWeekOfYear, .weekOfYear], from: date)
            return [parts.yearForWeekOfYear, parts.weekOfYear]
        }
        keep(months) { date in
            let parts = calendar.dateComponents([.year, .month], from: date)
            return [parts.year, parts.month]
        }
        return kept
    }
}
