// SPDX-License-Identifier: Apache-2.0

/// The picture of a difference while it is painted.
struct DifferenceCanvas {
    let width: Int
    let height: Int
    /// Three bytes a pixel.
    private(set) var pixels: [UInt8]

    struct Colour: Equatable {
        var red: Int
        var green: Int
        var blue: Int
    }

    /// What went: vermilion. Both colours are told apart by everybody (Okabe and Ito, "Color Universal Design", 2008).
    static let gone = Colour(red: 213, green: 94, blue: 0)
    /// What came: blue.
    static let come = Colour(red: 0, green: 114, blue: 178)

    /// How dark the darkest common ink is, 0 being white and 255 black.
    private static let darkestCommon = 112
    /// How thick the lines of boxes are, and how far they stand off.
    private static let line = 2
    private static let distance = 3

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        pixels = [UInt8](repeating: 255, count: width * height * 3)
    }

    /// Ink that both pages have: in few greys, so that the picture stays small.
    mutating func paintCommon(_ pixel: Int, strength: Int) {
        let grey = UInt8(255 - min(strength, 255) / 16 * Self.darkestCommon / 15)
        pixels[pixel * 3] = grey
        pixels[pixel * 3 + 1] = grey
        pixels[pixel * 3 + 2] = grey
    }

    /// Ink that one page has: unless told otherwise never so faint that it is overlooked.
    mutating func paint(_ pixel: Int, _ colour: Colour, strength: Int, least: Int = 7) {
        let part = max(least, (min(strength, 255) + 8) / 16)
        func mixed(_ value: Int) -> UInt8 { UInt8(255 - (255 - value) * part / 16) }
        pixels[pixel * 3] = mixed(colour.red)
        pixels[pixel * 3 + 1] = mixed(colour.green)
        pixels[pixel * 3 + 2] = mixed(colour.blue)
    }

    /// A box around a place.
    mutating func outline(left: Int, top: Int, right: Int, bottom: Int, _ colour: Colour) {
        let (left, right) = (left - Self.distance, right + Self.distance)
        let (top, bottom) = (top - Self.distance, bottom + Self.distance)
        for step in 0..<Self.line {
            row(top + step, from: left, to: right, colour)
            row(bottom - 1 - step, from: left, to: right, colour)
            column(left + step, from: top, to: bottom, colour)
            column(right - 1 - step, from: top, to: bottom, colour)
        }
    }

    private mutating func row(_ y: Int, from left: Int, to right: Int, _ colour: Colour) {
        guard (0..<height).contains(y) else { return }
        for x in max(0, left)..<max(0, left, min(right, width)) { dye(y * width + x, colour) }
    }

    private mutating func column(_ x: Int, from top: Int, to bottom: Int, _ colour: Colour) {
        guard (0..<width).contains(x) else { return }
        for y in max(0, top)..<max(0, top, min(bottom, height)) { dye(y * width + x, colour) }
    }

    private mutating func dye(_ pixel: Int, _ colour: Colour) {
        pixels[pixel * 3] = UInt8(colour.red)
        pixels[pixel * 3 + 1] = UInt8(colour.green)
        pixels[pixel * 3 + 2] = UInt8(colour.blue)
    }
}
