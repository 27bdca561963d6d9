// SPDX-License-Identifier: Apache-2.0
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// How a terminal shows pictures, as far as it does.
enum TerminalGraphics {
    /// Kitty's protocol, which Ghostty, WezTerm and Konsole speak, too.
    case kitty
    /// DEC's six rows of pixels per character.
    case sixel

    /// Asks the terminal: for a trial picture of kitty's, and what it is (DA1), which each answers, and so ends the wait.
    static func detected() -> TerminalGraphics? {
        guard isatty(0) == 1, isatty(1) == 1, Environment.variable("TERM") != "dumb" else { return nil }
        guard let answer = ask("\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\\u{1B}[c") else { return nil }
        if answer.contains("_Gi=31;OK") { return .kitty }
        guard let start = answer.range(of: "\u{1B}[?") else { return nil }
        let kinds = answer[start.upperBound...].prefix { $0 != "c" }.split(separator: ";")
        return kinds.dropFirst().contains("4") ? .sixel : nil
    }

    /// A terminal answers at once, but the line to it may be slow; hardly any never answers.
    private static let patience = Duration.seconds(5)

    private static func ask(_ question: String) -> String? {
        var before = termios()
        guard tcgetattr(0, &before) == 0 else { return nil }
        var raw = before
        raw.c_lflag &= ~(tcflag_t(ICANON) | tcflag_t(ECHO))
        guard tcsetattr(0, TCSANOW, &raw) == 0 else { return nil }
        var isAnswered = false
        // Half of an answer is not for whoever reads next.
        defer { tcsetattr(0, isAnswered ? TCSANOW : TCSAFLUSH, &before) }
        try? FileHandle.standardOutput.write(contentsOf: Data(question.utf8))
        var answer: [UInt8] = []
        let end = ContinuousClock.now + patience
        while ContinuousClock.now < end, answer.count < 4096 {
            var ready = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
            guard poll(&ready, 1, 100) > 0 else { continue }
            var byte: UInt8 = 0
            guard read(0, &byte, 1) == 1 else { break }
            answer.append(byte)
            // The last answer ends so; no part of a picture's does.
            isAnswered = byte == UInt8(ascii: "c") && answer.contains(UInt8(ascii: "?"))
            if isAnswered { break }
        }
        return String(decoding: answer, as: UTF8.self)
    }

    /// Pixels that a picture may be wide.
    static var width: Int {
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 800 }
        return min(size.ws_xpixel > 0 ? Int(size.ws_xpixel) : Int(size.ws_col) * 10, 1200)
    }

    /// A picture as this kind of terminal takes it.
    func text(of picture: PixelPicture) -> String {
        switch self {
        case .kitty: Self.kitty(picture)
        case .sixel: Self.sixel(picture)
        }
    }

    private static func kitty(_ picture: PixelPicture) -> String {
        let data = Data(picture.rgb).base64EncodedString()
        var text = ""
        var rest = data.utf8[...]
        var head = "a=T,q=2,f=24,s=\(picture.width),v=\(picture.height),"
        while !rest.isEmpty {
            let piece = rest.prefix(4096)
            rest = rest.dropFirst(4096)
            text += "\u{1B}_G\(head)m=\(rest.isEmpty ? 0 : 1);\(String(Substring(piece)))\u{1B}\\"
            head = ""
        }
        return text + "\n"
    }

    /// Colours are rounded to a cube of six steps each, which sheets of paper lose little by.
    private static func sixel(_ picture: PixelPicture) -> String {
        var text = "\u{1B}Pq\"1;1;\(picture.width);\(picture.height)"
        for colour in 0..<216 {
            text += "#\(colour);2;\(colour / 36 * 20);\(colour / 6 % 6 * 20);\(colour % 6 * 20)"
        }
        func step(_ value: UInt8) -> Int { (Int(value) * 5 + 127) / 255 }
        for top in stride(from: 0, to: picture.height, by: 6) {
            var bands: [Int: [UInt8]] = [:]
            for y in top..<min(top + 6, picture.height) {
                for x in 0..<picture.width {
                    let at = (y * picture.width + x) * 3
                    let colour = step(picture.rgb[at]) * 36 + step(picture.rgb[at + 1]) * 6 + step(picture.rgb[at + 2])
                    bands[colour, default: [UInt8](repeating: 0, count: picture.width)][x] |= 1 << UInt8(y - top)
                }
            }
            let rows = bands.sorted { $0.key < $1.key }.map { "#\($0.key)" + runs($0.value) }
            text += rows.joined(separator: "$") + "-"
        }
        return text + "\u{1B}\\\n"
    }

    private static func runs(_ columns: [UInt8]) -> String {
        var text = ""
        var at = 0
        while at < columns.count {
            let value = columns[at]
            let end = columns[at...].firstIndex { $0 != value } ?? columns.count
            let sign = String(UnicodeScalar(value + 63))
            text += end - at > 3 ? "!\(end - at)\(sign)" : String(repeating: sign, count: end - at)
            at = end
        }
        return text
    }
}
