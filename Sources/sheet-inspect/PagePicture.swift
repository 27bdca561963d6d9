// SPDX-License-Identifier: Apache-2.0

/// A page's picture as it is compared: how far each pixel is from the paper's colour, so that paper is 0 on every page.
struct PagePicture {
    let width: Int
    let height: Int
    /// Red, green and blue less those of the paper.
    let ink: [Int16]

    /// Fainter than this is paper, or what compression leaves around letters.
    static let threshold = 48

    init(_ pixels: PagePixels) {
        width = pixels.width
        height = pixels.height
        let bytes = pixels.bytes
        let paper = Self.paper(of: bytes)
        ink = [Int16](unsafeUninitializedCapacity: bytes.count) { ink, count in
            var place = 0
            while place + 2 < bytes.count {
                ink[place] = Int16(bytes[place]) - paper.red
                ink[place + 1] = Int16(bytes[place + 1]) - paper.green
                ink[place + 2] = Int16(bytes[place + 2]) - paper.blue
                place += 3
            }
            count = place
        }
    }

    /// Nothing but paper.
    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        ink = [Int16](repeating: 0, count: width * height * 3)
    }

    /// A picture of another size out of this one: `place` says where on this one the middle of a pixel of the other lies,
    /// in 1/256 of a pixel. What lies outside is paper.
    func resampled(width: Int, height: Int, _ across: AxisSampling, _ down: AxisSampling) -> PagePicture {
        if across.isPlain, down.isPlain, width == self.width, height == self.height { return self }
        let columns = (0..<width).map { across.place($0) }
        var result = [Int16](repeating: 0, count: width * height * 3)
        ink.withUnsafeBufferPointer { ink in
            result.withUnsafeMutableBufferPointer { result in
                for row in 0..<height {
                    let y = down.place(row)
                    let (top, partY) = (y >> 8, y & 255)
                    guard top >= -1, top < self.height else { continue }
                    let first = max(top, 0) * self.width
                    let second = min(top + 1, self.height - 1) * self.width
                    for column in 0..<width {
                        let (left, partX) = (columns[column] >> 8, columns[column] & 255)
                        guard left >= -1, left < self.width else { continue }
                        let (one, two) = (max(left, 0), min(left + 1, self.width - 1))
                        let target = (row * width + column) * 3
                        for channel in 0..<3 {
                            let upper =
                                Int(ink[(first + one) * 3 + channel]) * (256 - partX)
                                + Int(ink[(first + two) * 3 + channel]) * partX
                            let lower =
                                Int(ink[(second + one) * 3 + channel]) * (256 - partX)
                                + Int(ink[(second + two) * 3 + channel]) * partX
                            result[target + channel] = Int16((upper * (256 - partY) + lower * partY) >> 16)
                        }
                    }
                }
            }
        }
        return PagePicture(width: width, height: height, ink: result)
    }

    private init(width: Int, height: Int, ink: [Int16]) {
        self.width = width
        self.height = height
        self.ink = ink
    }

    /// The box around everything that is not paper: left, top, right, bottom; `nil` of a blank page.
    var inkBox: (left: Int, top: Int, right: Int, bottom: Int)? {
        var (left, top, right, bottom) = (width, height, 0, 0)
        ink.withUnsafeBufferPointer { ink in
            for row in 0..<height {
                for column in 0..<width where Self.strength(ink, (row * width + column) * 3) > Self.threshold {
                    left = min(left, column)
                    right = max(right, column + 1)
                    top = min(top, row)
                    bottom = row + 1
                }
            }
        }
        return left < right ? (left, top, right, bottom) : nil
    }

    /// How far a pixel is from paper.
    @inline(__always)
    static func strength(_ ink: UnsafeBufferPointer<Int16>, _ place: Int) -> Int {
        max(abs(Int(ink[place])), abs(Int(ink[place + 1])), abs(Int(ink[place + 2])))
    }

    /// The colour that most of the page has: the mean of the fullest of 4,096 drawers.
    private static func paper(of bytes: UnsafeBufferPointer<UInt8>) -> (red: Int16, green: Int16, blue: Int16) {
        var drawers = [(count: Int, red: Int, green: Int, blue: Int)](repeating: (0, 0, 0, 0), count: 4096)
        var place = 0
        while place + 2 < bytes.count {
            let (red, green, blue) = (Int(bytes[place]), Int(bytes[place + 1]), Int(bytes[place + 2]))
            let drawer = (red >> 4) << 8 | (green >> 4) << 4 | blue >> 4
            drawers[drawer].count += 1
            drawers[drawer].red += red
            drawers[drawer].green += green
            drawers[drawer].blue += blue
            // A third of the pixels tells as well, and on the same picture always the same.
            place += 9
        }
        guard let fullest = drawers.max(by: { $0.count < $1.count }), fullest.count > 0 else { return (255, 255, 255) }
        return (
            Int16(fullest.red / fullest.count), Int16(fullest.green / fullest.count),
            Int16(fullest.blue / fullest.count)
        )
    }
}

/// Where on one picture the pixels of another lie along one axis, in 1/256 of a pixel.
struct AxisSampling {
    /// How long a pixel of the other is, in pixels of the one.
    var step: Double
    /// Where the other begins.
    var start: Double

    /// Whether the pixels of both are the same.
    var isPlain: Bool { step == 1 && start == 0 }

    func place(_ pixel: Int) -> Int {
        Int((((Double(pixel) + 0.5) * step + start - 0.5) * 256).rounded())
    }
}
