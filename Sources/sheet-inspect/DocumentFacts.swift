// SPDX-License-Identifier: Apache-2.0
import Glibc
import IngestWire
import PDFObjects

/// What a document says of itself, cleaned of what is not meant to be seen.
extension PDFDocument {
    /// Fills in what the file says of itself as a whole.
    func addFacts(to report: inout ReaderReport) throws {
        var facts = pdf_facts()
        if try Self.completed(pdf_read_facts(handle, &facts)) {
            if (0..<100).contains(facts.version_major), (0..<100).contains(facts.version_minor) {
                report.pdfVersion = "\(facts.version_major).\(facts.version_minor)"
            }
            report.isTagged = facts.tagged
            report.isLinearized = facts.linearized
            report.isEncrypted = facts.encrypted
        }
        for (item, text) in try list({ pdf_list_info(handle, $0) }) where !text.isEmpty {
            if Int(item.kind) == pdf_info_producer { report.producer = text } else { report.creator = text }
        }
        report.fonts = try fonts()
    }

    /// The fonts of the pages read so far, each once, in the order of their names.
    private func fonts() throws -> [ReaderReport.Font] {
        let fonts = try list({ pdf_list_fonts(handle, $0) }).map { item, name in
            ReaderReport.Font(name: name, type: Self.fontType(item.kind), isEmbedded: item.embedded)
        }
        return Array(fonts.prefix(ReaderReport.maximumFonts))
    }

    private static func fontType(_ kind: Int32) -> String {
        switch Int(kind) {
        case pdf_font_type1: "type1"
        case pdf_font_type3: "type3"
        case pdf_font_truetype: "truetype"
        case pdf_font_cid_type0: "cid_type0"
        case pdf_font_cid_truetype: "cid_truetype"
        default: "unknown"
        }
    }

    /// How many links a page has, and which web and mail addresses they lead to.
    func links(onPage index: Int) throws -> (count: Int, targets: [String]) {
        var count: Int32 = 0
        let targets = try list(bytes: ReaderReport.maximumLinkTargetBytes) {
            pdf_list_links(handle, Int32(index), ReaderReport.maximumLinkTargets, &count, $0)
        }
        return (Int(count), targets.map(\.text))
    }

    /// The form fields of a page in the order in which the page lists them.
    func fields(onPage index: Int) throws -> [ReaderReport.Field] {
        try list({ pdf_list_fields(handle, Int32(index), ReaderReport.maximumFieldsPerPage, $0) }).map { item, name in
            let edges = [item.x0, item.y0, item.x1, item.y1].map { (Double($0) * 10).rounded() / 10 }
            return ReaderReport.Field(
                name: name,
                type: Self.fieldType(item.kind),
                box: edges.map { min(max($0, -1e6), 1e6) }
            )
        }
    }

    private static func fieldType(_ kind: Int32) -> String {
        switch Int(kind) {
        case pdf_field_button: "button"
        case pdf_field_text: "text"
        case pdf_field_choice: "choice"
        case pdf_field_signature: "signature"
        default: "unknown"
        }
    }

    private func list(
        bytes: Int = ReaderReport.maximumNameBytes,
        _ read: (UnsafeMutablePointer<OpaquePointer?>) -> pdf_status
    ) throws -> [(item: pdf_item, text: String)] {
        var list: OpaquePointer?
        guard try Self.completed(read(&list)), let list else { return [] }
        defer { pdf_list_free(list) }
        var count = 0
        return UnsafeBufferPointer(start: pdf_list_items(list, &count), count: count).map { item in
            let raw = UnsafeRawBufferPointer(start: item.text, count: item.length)
            let text = PageText.clean(String(decoding: raw, as: UTF8.self))
            return (item, PageText.prefix(text, bytes: bytes))
        }
    }
}
