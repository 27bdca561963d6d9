// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketPlatform
import MarketWire

extension QueryParameters {
    /// The first moment of a day as date fields send it; `nil` for a field left open. Throws for what is no day.
    func day(_ name: String) throws(APIError) -> Date? {
        guard let text = self[name] else { return nil }
        guard let day = UTCDay(text) else {
            throw .validation([.init(pointer: "/\(name)", detail: "A day such as 2027-01-31.")])
        }
        return day.date
    }
}
