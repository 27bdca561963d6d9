// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketPlatform

extension SettingFormat where Value == RateLimitQuota {
    /// `POINTS/TIME`, or `off`.
    static let quota = Self { text in
        if text == "off" { return .off }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let points = Int(parts[0]), (1...1_000_000_000).contains(points) else {
            throw SettingValueError("must be points in a time, such as 6000/1m, or off")
        }
        return RateLimitQuota(points: points, seconds: try SettingFormat<Int>.wholeSeconds(1...86_400).read(parts[1]))
    }
}

extension SettingFormat where Value == [RouteCost: Int] {
    /// `read=1,write=10`; what is not named costs as usual.
    static let costs = Self { text in
        var costs = MiddlewareSettings.usualCosts
        for part in text.split(separator: ",") {
            let pair = part.split(separator: "=").map { $0.filter { !$0.isWhitespace } }
            guard pair.count == 2, let cost = RouteCost(rawValue: pair[0]), let points = Int(pair[1]),
                (0...100_000).contains(points)
            else {
                let names = RouteCost.allCases.map(\.rawValue).joined(separator: ", ")
                throw SettingValueError("must be costs such as read=1,write=10, of \(names)")
            }
            costs[cost] = points
        }
        return costs
    }
}

extension SettingFormat where Value == AllowedOrigins {
    /// `*`, `none`, or origins separated by commas.
    static let origins = Self { text in
        switch text {
        case "*": return .any
        case "none": return .none
        default:
            let format = SettingFormat<String>.address(["http", "https"])
            let origins = try text.split(separator: ",").map { part in
                let origin = try format.read(part.filter { !$0.isWhitespace }).lowercased()
                guard origin.split(separator: "/").count == 2 else {
                    throw SettingValueError("must be origins (scheme, host and port alone), '*' or 'none'")
                }
                return origin
            }
            return .listed(Set(origins))
        }
    }
}
