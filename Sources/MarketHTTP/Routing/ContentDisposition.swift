// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform

/// The field `Content-Disposition` of an answer (RFC 6266).
package enum ContentDisposition {
    /// Has a browser save a file under this name; old clients get an ASCII form of it.
    package static func attachment(_ fileName: String) -> String {
        let plain = String(
            fileName.unicodeScalars.map { scalar -> Character in
                (32...126).contains(scalar.value) && !"\"\\%/".unicodeScalars.contains(scalar) ? Character(scalar) : "_"
            })
        let encoded = fileName.addingPercentEncoding(withAllowedCharacters: .unreserved) ?? "file"
        return "attachment; filename=\"\(plain)\"; filename*=UTF-8''\(encoded)"
    }
}
