// SPDX-License-Identifier: Apache-2.0

/// Why an appeal cannot be filed or read.
package enum AppealError: Error, Equatable, Sendable {
    /// There is no such appeal, or none for the caller.
    case noSuchAppeal
    /// No decision that concerns the caller was made on this.
    case nothingToAppeal
    /// The decision was appealed before; what became of that, as the caller may hear it.
    case appealedBefore(EarlierAppeal)
}
