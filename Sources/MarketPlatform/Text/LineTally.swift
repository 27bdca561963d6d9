// SPDX-License-Identifier: Apache-2.0

package enum LineTally {
    /// How often each line stands in a text. Lines are told apart by a hash of 64 bits, seeded for this process.
    package static func counts(_ text: String) -> [(line: String, count: Int)] {
        var text = text
        return text.withUTF8 { bytes in
            var known: [Int: (line: Range<Int>, count: Int)] = [:]
            var start = 0
            while start < bytes.count {
                let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
                var hasher = Hasher()
                hasher.combine(bytes: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[start..<end])))
                known[hasher.finalize(), default: (start..<end, 0)].count += 1
                start = end + 1
            }
            return known.values.map { (String(decoding: bytes[$0.line], as: UTF8.self), $0.count) }
        }
    }
}
