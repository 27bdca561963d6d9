// SPDX-License-Identifier: Apache-2.0
import Foundation

extension Data {
    /// Base64 with the URL's alphabet and no padding (RFC 4648, section 5).
    package var base64URL: String {
        // Byte by byte: replacing characters in texts looks for their ends, and each page of a list has a cursor.
        let bytes = [UInt8](base64EncodedData()).map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
    }

    /// Reads it; the usual alphabet and padding, too. Where a value must have one text only, the caller refuses these.
    package init?(base64URL text: some StringProtocol) {
        var base64 = text.utf8.map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        while base64.count % 4 != 0 { base64.append(UInt8(ascii: "=")) }
        self.init(base64Encoded: Data(base64))
    }
}
