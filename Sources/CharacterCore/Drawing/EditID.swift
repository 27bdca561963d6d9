// SPDX-License-Identifier: Apache-2.0
import SheetCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One installation of a program that edits sheets: 64 random bits. A copy that is restored from a backup takes a new
/// one, so that no two edits ever share a name.
public struct DeviceID: Hashable, Sendable, Comparable {
    public let bits: UInt64

    public init(bits: UInt64) {
        self.bits = bits
    }

    /// A new one.
    public static func make() -> DeviceID {
        DeviceID(bits: UInt64.random(in: 1...UInt64.max))
    }

    public static func < (left: DeviceID, right: DeviceID) -> Bool { left.bits < right.bits }
}

/// The name of an edit, and of what it made: the device and its own count. Short in files, unlike a UUID.
public struct EditID: Hashable, Sendable, Comparable {
    public let device: DeviceID
    /// From 1 on each device.
    public let number: Int

    public init(device: DeviceID, number: Int) {
        self.device = device
        self.number = number
    }

    /// Reads `DEVICE-NUMBER`, the device in hexadecimal digits.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count <= 16, let bits = UInt64(parts[0], radix: 16),
            let number = Int(parts[1]), Self.isNumber(number)
        else { return nil }
        self.init(device: DeviceID(bits: bits), number: number)
    }

    /// Whether an edit may have this number; one more can always be counted.
    static func isNumber(_ number: Int) -> Bool { 0..<Int.max ~= number }

    /// By device, then by number.
    public static func < (left: EditID, right: EditID) -> Bool {
        (left.device, left.number) < (right.device, right.number)
    }
}

extension EditID: CustomStringConvertible, Codable {
    public var description: String { "\(String(device.bits, radix: 16))-\(number)" }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = EditID(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "an edit is named DEVICE-NUMBER")
        }
        self = id
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension DeviceID: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let bits = UInt64(try container.decode(String.self), radix: 16) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a device is named by hexadecimal digits")
        }
        self.init(bits: bits)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(String(bits, radix: 16))
    }
}
