// SPDX-License-Identifier: Apache-2.0
import ChildProcess
import Foundation
import SheetCore

/// A picture as bytes of red, green and blue, row by row.
struct PixelPicture {
    let width: Int
    let height: Int
    private(set) var rgb: [UInt8]

    /// The program that unpacks the market's pictures, of Debian's package `webp`.
    static let decoder = "/usr/bin/dwebp"

    /// A WebP picture, no wider than `limit`; `nil` where it cannot be unpacked.
    init?(webp data: Data, widest limit: Int) {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("sheets-\(UUID().uuidString).webp")
        guard (try? data.write(to: file)) != nil else { return nil }
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.decoder)
        process.arguments = ["-quiet", "-ppm", file.path, "-o", "-"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.start()) != nil, let bytes = try? output.fileHandleForReading.readToEnd() else {
            return nil
        }
        process.waitUntilExit()
        guard process.terminationStatus == 0, let whole = PixelPicture(ppm: [UInt8](bytes)) else { return nil }
        self = whole.scaled(to: limit)
    }

    /// Reads `P6 WIDTH HEIGHT 255` and the pixels.
    init?(ppm bytes: [UInt8]) {
        var at = 0
        func word() -> String? {
            guard let end = bytes[at...].firstIndex(where: { $0 <= 0x20 }) else { return nil }
            defer { at = end + 1 }
            return String(decoding: bytes[at..<end], as: UTF8.self)
        }
        guard word() == "P6", let width = word().flatMap({ Int($0) }), let height = word().flatMap({ Int($0) }),
            word() == "255", (1...20_000).contains(width), (1...20_000).contains(height),
            bytes.count - at == width * height * 3
        else { return nil }
        (self.width, self.height, rgb) = (width, height, Array(bytes[at...]))
    }

    private init(width: Int, height: Int, rgb: [UInt8]) {
        (self.width, self.height, self.rgb) = (width, height, rgb)
    }

    /// No wider than that; each pixel the average of those that it stands for.
    func scaled(to limit: Int) -> PixelPicture {
        guard width > limit, limit > 0 else { return self }
        let (wide, high) = (limit, max(1, height * limit / width))
        var made = [UInt8](repeating: 0, count: wide * high * 3)
        for y in 0..<high {
            let rows = (y * height / high)..<max((y + 1) * height / high, y * height / high + 1)
            for x in 0..<wide {
                let columns = (x * width / wide)..<max((x + 1) * width / wide, x * width / wide + 1)
                for part in 0..<3 {
                    var sum = 0
                    for row in rows { for column in columns { sum += Int(rgb[(row * width + column) * 3 + part]) } }
                    made[(y * wide + x) * 3 + part] = UInt8(sum / (rows.count * columns.count))
                }
            }
        }
        return PixelPicture(width: wide, height: high, rgb: made)
    }

    /// A frame of two pixels around a part.
    mutating func frame(_ rect: NormalizedRect) {
        let left = clamped(rect.x, width), right = clamped(rect.x + rect.width, width)
        let top = clamped(rect.y, height), bottom = clamped(rect.y + rect.height, height)
        for y in top...max(top, bottom) {
            for x in left...max(left, right)
            where y - top < 2 || bottom - y < 2 || x - left < 2 || right - x < 2 {
                let at = (y * width + x) * 3
                (rgb[at], rgb[at + 1], rgb[at + 2]) = (204, 51, 0)
            }
        }
    }

    /// The part alone.
    func cropped(to rect: NormalizedRect) -> PixelPicture {
        let left = clamped(rect.x, width), right = max(left, clamped(rect.x + rect.width, width))
        let top = clamped(rect.y, height), bottom = max(top, clamped(rect.y + rect.height, height))
        var made: [UInt8] = []
        for y in top...bottom { made += rgb[(y * width + left) * 3..<(y * width + right + 1) * 3] }
        return PixelPicture(width: right - left + 1, height: bottom - top + 1, rgb: made)
    }

    private func clamped(_ part: Double, _ length: Int) -> Int {
        Int((min(max(part, 0), 1) * Double(length - 1)).rounded())
    }
}
