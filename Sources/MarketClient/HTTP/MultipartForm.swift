// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The parts around the fields of a `multipart/form-data` body (RFC 7578).
struct MultipartForm: Sendable {
    private let boundary = "sheets-" + UUID().lowercaseText

    /// The value of `Content-Type`.
    var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    /// What comes before a field's value; `isFirst` leaves out the line break that ends the value before.
    func head(_ name: String, fileName: String? = nil, mediaType: String? = nil, isFirst: Bool = false) -> Data {
        var text = isFirst ? "" : "\r\n"
        text += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\""
        if let fileName { text += "; filename=\"\(Self.quoted(fileName))\"" }
        if let mediaType { text += "\r\nContent-Type: \(mediaType)" }
        return Data((text + "\r\n\r\n").utf8)
    }

    /// What comes after the last value.
    var end: Data { Data("\r\n--\(boundary)--\r\n".utf8) }

    /// A file name as browsers write it (WHATWG HTML, "escape a multipart/form-data name").
    static func quoted(_ name: String) -> String {
        name.replacingOccurrences(of: "\r", with: "%0D").replacingOccurrences(of: "\n", with: "%0A")
            .replacingOccurrences(of: "\"", with: "%22")
    }
}
