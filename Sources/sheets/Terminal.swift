// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Results go to standard output, everything else to standard error. Where nobody reads it any more, as behind `head`, it is
/// dropped: what the command does is done all the same.
enum Terminal {
    static func out(_ text: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data((text.hasSuffix("\n") ? text : text + "\n").utf8))
    }

    static func note(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data((text.hasSuffix("\n") ? text : text + "\n").utf8))
    }

    /// Writes without ending the line.
    static func draw(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }

    static func json(_ value: some Encodable) throws {
        let encoder = WireJSON.encoder()
        encoder.outputFormatting.insert(.prettyPrinted)
        out(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Whether people watch standard error.
    static var isWatched: Bool { isatty(2) == 1 && Environment.variable("TERM") != "dumb" }

    /// Columns of the terminal behind standard error.
    static var columns: Int {
        var size = winsize()
        guard ioctl(2, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 20 else { return 80 }
        return Int(size.ws_col)
    }

    /// Whether the terminal is said to show more than ASCII.
    static var isUnicode: Bool {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(Environment.variable).first ?? ""
        return locale.lowercased().contains("utf")
    }

    /// Text from the server made harmless: it may not steer the terminal or turn the reading direction.
    static func printable(_ text: String, lines: Bool = false) -> String {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
        var clean = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x0A where lines: clean.append(scalar)
            case 0x09, 0x0A, 0x0D: clean.append(" ")
            case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: continue
            default: clean.append(scalar)
            }
        }
        return String(clean)
    }

    /// Reads one line; what is typed is not shown when `secret`.
    static func ask(_ question: String, secret: Bool = false) -> String? {
        draw(question)
        guard secret, isatty(0) == 1 else { return readLine(strippingNewline: true) }
        var before = termios()
        guard tcgetattr(0, &before) == 0 else { return nil }
        var hidden = before
        hidden.c_lflag &= ~tcflag_t(ECHO)
        guard tcsetattr(0, TCSAFLUSH, &hidden) == 0 else { return nil }
        defer {
            tcsetattr(0, TCSAFLUSH, &before)
            draw("\n")
        }
        return readLine(strippingNewline: true)
    }
}

/// Rows under headings, each column as wide as its widest cell.
struct Table {
    enum Alignment { case left, right }

    let columns: [(title: String, alignment: Alignment)]
    var rows: [[String]] = []

    init(_ columns: (String, Alignment)...) {
        self.columns = columns.map { (title: $0.0, alignment: $0.1) }
    }

    mutating func add(_ cells: String...) {
        rows.append(cells.map { Terminal.printable($0) })
    }

    var text: String {
        let all = [columns.map(\.title)] + rows
        let widths = columns.indices.map { column in all.map { Self.width($0[column]) }.max() ?? 0 }
        let lines = all.map { row in
            let cells = row.indices.map { column in
                let fill = String(repeating: " ", count: widths[column] - Self.width(row[column]))
                return columns[column].alignment == .right ? fill + row[column] : row[column] + fill
            }
            let line = cells.joined(separator: "  ")
            return String(line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)])
        }
        return lines.joined(separator: "\n")
    }

    /// Terminal cells, near enough: East Asian wide characters and most emoji take two.
    static func width(_ text: String) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.reduce(0) { total, character in
            guard let scalar = character.unicodeScalars.first else { return total }
            switch scalar.value {
            case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
                0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
                return total + 2
            default: return total + 1
            }
        }
    }
}

/// Numbers as people read them.
enum Readable {
    static func bytes(_ count: Int) -> String {
        if count < 1000 { return "\(count) B" }
        var value = Double(count)
        for unit in ["kB", "MB", "GB", "TB"] {
            value /= 1000
            guard value < 999.95 || unit == "TB" else { continue }
            // By hand: formatting took a tenth of the time of a long list.
            let tenths = Int((value * 10).rounded())
            return "\(tenths / 10).\(tenths % 10) \(unit)"
        }
        return "\(count) B"
    }

    static func rating(_ rating: Double, _ count: Int) -> String {
        count == 0 ? "-" : String(format: "%.1f (%d)", rating, count)
    }

    static func day(_ date: Date) -> String { String(WireJSON.time(date).prefix(10)) }

    static func minute(_ date: Date) -> String {
        WireJSON.time(date).prefix(16).replacingOccurrences(of: "T", with: " ") + " UTC"
    }

    /// Rounded up, as nobody minds to wait less.
    static func timeLeft(_ seconds: Double) -> String {
        let whole = Int(min(max(seconds, 1), 359_999).rounded(.up))
        if whole < 60 { return "\(whole) s" }
        if whole < 3600 { return String(format: "%d:%02d min", whole / 60, whole % 60) }
        return String(format: "%d:%02d h", whole / 3600, whole / 60 % 60)
    }

    static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
        "\(number) \(number == 1 ? one : many ?? one + "s")"
    }
}
