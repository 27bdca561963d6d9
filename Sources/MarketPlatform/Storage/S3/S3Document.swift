// SPDX-License-Identifier: Apache-2.0
import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// An answer of S3 in XML: the texts of its elements, in order.
struct S3Document {
    /// A page of the list of a bucket.
    struct Listing: Sendable {
        var objects: [(key: String, changed: Date, sizeBytes: Int)] = []
        /// Where the next page begins; nil on the last one.
        var next: String?
    }

    /// Some servers write no fractions of seconds.
    private static let styles: [Date.ISO8601FormatStyle] = [.init(includingFractionalSeconds: true), .iso8601]

    private let root: String?
    private let texts: [(element: String, text: String)]

    /// Reads what can be read of it.
    init(_ bytes: [UInt8]) {
        let reader = Reader()
        let parser = XMLParser(data: Data(bytes))
        parser.shouldResolveExternalEntities = false
        parser.delegate = reader
        let isWhole = parser.parse()
        root = isWhole ? reader.root : nil
        texts = isWhole ? reader.texts : []
    }

    /// The text of the first element of this name.
    subscript(element: String) -> String? { texts.first { $0.element == element }?.text }

    /// Code and words of an error; nil for another document.
    var error: String? {
        guard root == "Error", let code = self["Code"] else { return nil }
        return self["Message"].map { "\(code), \($0)" } ?? code
    }

    /// The list that this is; nil for another document.
    var listing: Listing? {
        guard root == "ListBucketResult" else { return nil }
        var listing = Listing(next: self["IsTruncated"] == "true" ? self["NextContinuationToken"] : nil)
        var object: [String: String] = [:]
        for (element, text) in texts {
            guard element == "Contents" else {
                object[element] = text
                continue
            }
            guard let key = object["Key"], let changed = object["LastModified"].flatMap(Self.date),
                let size = object["Size"].flatMap({ Int($0) })
            else { return nil }
            listing.objects.append((key, changed, size))
            object = [:]
        }
        return listing
    }

    private static func date(_ text: String) -> Date? {
        styles.lazy.compactMap { try? Date(text, strategy: $0) }.first
    }

    /// A text as it stands between tags.
    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    private final class Reader: NSObject, XMLParserDelegate {
        var root: String?
        var texts: [(element: String, text: String)] = []
        private var text = ""

        func parser(
            _: XMLParser, didStartElement element: String, namespaceURI _: String?, qualifiedName _: String?,
            attributes _: [String: String]
        ) {
            if root == nil { root = element }
            text = ""
        }

        func parser(_: XMLParser, foundCharacters part: String) { text += part }

        func parser(
            _: XMLParser, didEndElement element: String, namespaceURI _: String?, qualifiedName _: String?
        ) {
            texts.append((element, text))
            text = ""
        }
    }
}
