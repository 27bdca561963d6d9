// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Reads and writes descriptors to the end.
enum Descriptor {
    /// Everything up to the end; `nil` when that is more than `most` bytes or cannot be read.
    static func read(_ descriptor: Int32, most: Int) -> Data? {
        var data = Data()
        var piece = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = piece.withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress, $0.count) }
            if count == 0 { return data }
            if count < 0 {
                if errno == EINTR { continue }
                return nil
            }
            guard data.count + count <= most else { return nil }
            data.append(contentsOf: piece[..<count])
        }
    }

    /// Writes all of it; whoever reads may be gone, and then there is nobody to tell.
    @discardableResult static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var start = 0
            while start < buffer.count {
                let count = Foundation.write(descriptor, buffer.baseAddress.map { $0 + start }, buffer.count - start)
                if count < 0 {
                    if errno == EINTR { continue }
                    return false
                }
                start += count
            }
            return true
        }
    }
}
