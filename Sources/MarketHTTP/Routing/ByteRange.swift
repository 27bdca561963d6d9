// SPDX-License-Identifier: Apache-2.0

/// Which bytes a `Range` field asks for (RFC 9110, section 14).
package enum ByteRange: Equatable {
    /// Everything: there is no range, or it is not one we serve (several ranges, another unit, nonsense).
    case whole
    /// These bytes.
    case part(Range<Int>)
    /// Bytes that are not there.
    case unsatisfiable

    package init(_ field: String?, size: Int) {
        guard let field, field.hasPrefix("bytes=") else {
            self = .whole
            return
        }
        let ends = field.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]) else {
            self = .whole
            return
        }
        self =
            switch (first, last) {
            case (nil, nil): .whole
            case (nil, let count?): count > 0 && size > 0 ? .part(max(0, size - count)..<size) : .unsatisfiable
            case (let first?, let last?) where last < first: .whole
            case (let first?, let last):
                first < size ? .part(first..<(min(last ?? .max - 1, size - 1) + 1)) : .unsatisfiable
            }
    }

    /// `.some(nil)` for no digits, `nil` for what is no number. A number beyond `Int` is as good as the largest.
    private static func number(_ text: Substring) -> Int?? {
        if text.isEmpty { return .some(nil) }
        guard text.utf8.count <= 32, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return .some(Int(text) ?? .max - 1)
    }
}
