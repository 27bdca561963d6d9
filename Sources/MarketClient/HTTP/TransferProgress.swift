// SPDX-License-Identifier: Apache-2.0

/// How far a transfer is.
public struct TransferProgress: Sendable, Equatable {
    /// Bytes done, those of an earlier try included.
    public var bytes: Int
    /// All bytes.
    public var total: Int

    public init(bytes: Int, total: Int) {
        self.bytes = bytes
        self.total = total
    }

    /// 0…1.
    public var fraction: Double { total > 0 ? min(1, Double(bytes) / Double(total)) : 1 }
}
