// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes

/// Says of a route that it should no longer be called (RFC 9745), until when it will be there (RFC 8594), and where
/// what to do instead is told.
package struct RouteDeprecation: Sendable, Equatable {
    /// Since when.
    package let since: Date
    /// From when on the route may be gone; `nil` while that is open.
    package let sunset: Date?
    /// What to do instead.
    package let link: String

    package init(since: Date, sunset: Date? = nil, link: String) {
        self.since = since
        self.sunset = sunset
        self.link = link
    }

    /// The fields of each answer.
    package var fields: [HTTPField] {
        var fields = [HTTPField(name: .deprecation, value: "@\(Int64(since.timeIntervalSince1970))")]
        if let sunset { fields.append(HTTPField(name: .sunset, value: Self.date(sunset))) }
        fields.append(HTTPField(name: .link, value: "<\(link)>; rel=\"deprecation\"; type=\"text/html\""))
        return fields
    }

    /// As HTTP writes it (RFC 9110, section 5.6.7).
    package static func date(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: date)
    }
}

extension HTTPField.Name {
    /// RFC 9745.
    package static let deprecation = Self("Deprecation") ?? .link
    /// RFC 8594.
    package static let sunset = Self("Sunset") ?? .link
}
