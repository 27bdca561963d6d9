// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Makes the way to faulty fields short on a page that shows a form again: the notice above the form lists them as
/// links, and the first has the focus. It goes by what every form is written like: a `field wrong` with a label or legend, a
/// control and a `mistake`, under a notice that is an alert. What people typed is escaped, and cannot look like these.
enum FormFaults {
    /// A faulty field within a page.
    private struct Fault {
        /// Of its first control.
        var id: String
        /// What it is called, and what is wrong; escaped as they stand in the page.
        var label: String
        var mistake: String
    }

    /// The page with its faulty fields linked and the first focused; without one, the notice has the focus.
    static func linked(_ page: String) -> String {
        var parts = page.components(separatedBy: fieldStart)
        var faults: [Fault] = []
        for place in parts.indices.dropFirst() where parts[place].hasPrefix(" wrong") {
            if let fault = mark(&parts[place], number: faults.count) { faults.append(fault) }
        }
        return summary(of: faults, in: parts.joined(separator: fieldStart))
    }

    private static let fieldStart = "class=\"field"
    private static let alert = "<div class=\"notice bad\" role=\"alert\""

    /// Gives the field's first control an id, and the focus if it is the page's first.
    private static func mark(_ field: inout String, number: Int) -> Fault? {
        guard let control = control(in: field) else { return nil }
        let tag = field[control]
        var attributes = ""
        let id: String
        if let own = value(of: " id=\"", in: tag) {
            id = own
        } else {
            id = "faulty-\(number)"
            attributes = " id=\"\(id)\""
        }
        let fault = Fault(
            id: id, label: label(of: field), mistake: text(after: "class=\"mistake\"", in: field) ?? "Look again.")
        if number == 0, !tag.contains(" autofocus") { attributes += " autofocus" }
        let name = tag.dropFirst().prefix { $0.isLetter }
        field.insert(contentsOf: attributes, at: name.endIndex)
        return fault
    }

    /// The tag of the first control that people see.
    private static func control(in field: String) -> Range<String.Index>? {
        var rest = field[...]
        while let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") {
            let tag = rest[start..<end]
            let isControl = ["<input", "<select", "<textarea"].contains { tag.hasPrefix($0) }
            if isControl, !tag.contains("type=\"hidden\"") { return start..<end }
            rest = rest[rest.index(after: end)...]
        }
        return nil
    }

    private static func label(of field: String) -> String {
        let label = text(after: "<label", in: field)
        // Of several choices each has a label; what they are about stands in the legend.
        return text(after: "<legend", in: field) ?? label ?? ""
    }

    /// The text of the element whose start tag has `mark`, up to the next tag.
    private static func text(after mark: String, in page: String) -> String? {
        guard let start = page.firstRange(of: mark)?.upperBound,
            let open = page[start...].firstIndex(of: ">")
        else { return nil }
        let text = page[page.index(after: open)...].prefix { $0 != "<" }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func value(of attribute: String, in tag: Substring) -> String? {
        guard let start = tag.firstRange(of: attribute)?.upperBound else { return nil }
        return String(tag[start...].prefix { $0 != "\"" })
    }

    private static func summary(of faults: [Fault], in page: String) -> String {
        guard let alert = page.firstRange(of: alert),
            let end = page[alert.upperBound...].firstRange(of: "</div>")
        else { return page }
        var page = page
        if faults.isEmpty {
            if !page.contains(" autofocus") {
                page.insert(contentsOf: " tabindex=\"-1\" autofocus", at: alert.upperBound)
            }
            return page
        }
        let lines = faults.map { fault in
            let label = fault.label.isEmpty ? "" : "\(fault.label): "
            return "<li><a href=\"#\(fault.id)\">\(label)\(fault.mistake)</a></li>"
        }
        page.insert(contentsOf: "<ul class=\"faults\">\(lines.joined())</ul>", at: end.lowerBound)
        return page
    }
}
