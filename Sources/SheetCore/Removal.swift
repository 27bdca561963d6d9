// SPDX-License-Identifier: Apache-2.0

/// One kind of thing that was taken out of a sheet to make a clean copy.
public struct Removal: Sendable, Codable, Equatable {
    /// The finding that it was the cause of.
    public var code: FindingCode
    /// What it was, in words.
    public var what: String
    /// How many there were.
    public var count: Int

    public init(code: FindingCode, what: String, count: Int) {
        self.code = code
        self.what = what
        self.count = count
    }
}
