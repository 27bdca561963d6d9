// SPDX-License-Identifier: Apache-2.0
import CQREncode

/// A QR code as pages draw it: one SVG path of unit squares.
package struct QRCode: Sendable {
    /// Squares on a side, with the quiet zone of four.
    package let size: Int
    /// For `<path d>`, in a view box of `size`.
    package let path: String

    /// `nil` for a text that fits in none.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let code = QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_M) else { return nil }
        defer { QRcode_free(code) }
        let width = Int(code.pointee.width)
        guard let squares = code.pointee.data else { return nil }
        let quiet = 4
        size = width + 2 * quiet
        var path = ""
        for row in 0..<width {
            var column = 0
            while column < width {
                let begin = column
                while column < width, squares[row * width + column] & 1 == 1 { column += 1 }
                if column > begin { path += "M\(begin + quiet) \(row + quiet)h\(column - begin)v1h-\(column - begin)z" }
                column = max(column, begin + 1)
            }
        }
        self.path = path
    }
}
