// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Days on which offices work in the United States: 17 U.S.C. § 512(g) counts them. Mondays to Fridays without the legal
/// public holidays of 5 U.S.C. § 6103, in UTC.
package enum BusinessCalendar {
    /// A day of the Gregorian calendar.
    private struct Day: Hashable {
        /// Since 1970-01-01.
        let number: Int

        init(_ date: Date) {
            number = Int((date.timeIntervalSince1970 / 86_400).rounded(.down))
        }

        /// After H. Hinnant, "chrono-compatible low-level date algorithms": years begin in March.
        init(year: Int, month: Int, day: Int) {
            let shifted = month <= 2 ? year - 1 : year
            let era = (shifted >= 0 ? shifted : shifted - 399) / 400
            let yearOfEra = shifted - era * 400
            let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
            number = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
        }

        init(number: Int) {
            self.number = number
        }

        /// 0 is Sunday.
        var weekday: Int { ((number + 4) % 7 + 7) % 7 }
        /// Its first moment.
        var start: Date { Date(timeIntervalSince1970: Double(number) * 86_400) }
    }

    /// The first moment after `count` whole business days that follow the day of `date`, which does not count itself.
    package static func date(_ count: Int, businessDaysAfter date: Date) -> Date {
        var day = Day(date)
        var left = count
        while left > 0 {
            day = Day(number: day.number + 1)
            if isBusinessDay(day) { left -= 1 }
        }
        return Day(number: day.number + 1).start
    }

    /// Whether offices work on the day of `date`.
    package static func isBusinessDay(_ date: Date) -> Bool { isBusinessDay(Day(date)) }

    private static func isBusinessDay(_ day: Day) -> Bool {
        guard (1...5).contains(day.weekday) else { return false }
        let year = Self.year(of: day)
        // A New Year's Day on a Saturday is kept on the Friday before.
        return !holidays(year).contains(day) && !holidays(year + 1).contains(day)
    }

    private static func year(of day: Day) -> Int {
        var year = 1970 + Int((Double(day.number) / 365.2425).rounded(.down))
        while Day(year: year + 1, month: 1, day: 1).number <= day.number { year += 1 }
        while Day(year: year, month: 1, day: 1).number > day.number { year -= 1 }
        return year
    }

    /// As they are kept: on the Friday before a Saturday, on the Monday after a Sunday.
    private static func holidays(_ year: Int) -> Set<Day> {
        func kept(_ month: Int, _ day: Int) -> Day {
            let date = Day(year: year, month: month, day: day)
            switch date.weekday {
            case 6: return Day(number: date.number - 1)
            case 0: return Day(number: date.number + 1)
            default: return date
            }
        }
        /// The `count`th such weekday of a month.
        func floating(_ month: Int, _ weekday: Int, _ count: Int) -> Day {
            let first = Day(year: year, month: month, day: 1)
            let offset = (weekday - first.weekday + 7) % 7
            return Day(number: first.number + offset + 7 * (count - 1))
        }
        let lastOfMay = Day(year: year, month: 5, day: 31)
        return [
            kept(1, 1), floating(1, 1, 3), floating(2, 1, 3),
            Day(number: lastOfMay.number - (lastOfMay.weekday + 6) % 7), kept(6, 19), kept(7, 4), floating(9, 1, 1),
            floating(10, 1, 2), kept(11, 11), floating(11, 4, 4), kept(12, 25),
        ]
    }
}
