// SPDX-License-Identifier: Apache-2.0
import CLibPQ

/// The C arrays that libpq takes parameters in, kept from one statement to the next.
final class ParameterScratch {
    private(set) var values: UnsafeMutablePointer<UnsafePointer<CChar>?>
    private(set) var lengths: UnsafeMutablePointer<Int32>
    private(set) var formats: UnsafeMutablePointer<Int32>
    private(set) var types: UnsafeMutablePointer<Oid>
    private var capacity = 32

    init() {
        values = .allocate(capacity: capacity)
        lengths = .allocate(capacity: capacity)
        formats = .allocate(capacity: capacity)
        types = .allocate(capacity: capacity)
    }

    deinit { release() }

    private func release() {
        values.deallocate()
        lengths.deallocate()
        formats.deallocate()
        types.deallocate()
    }

    private func reserve(_ count: Int) {
        guard count > capacity else { return }
        release()
        capacity = max(count, 2 * capacity)
        values = .allocate(capacity: capacity)
        lengths = .allocate(capacity: capacity)
        formats = .allocate(capacity: capacity)
        types = .allocate(capacity: capacity)
    }

    /// Lays the values out for the time of the call.
    func with<T>(_ binds: PostgresBinds, _ body: (Int32) -> T) -> T {
        let count = binds.entries.count
        reserve(count)
        return binds.bytes.withUnsafeBytes { bytes in
            let base = bytes.bindMemory(to: CChar.self).baseAddress
            for index in 0..<count {
                let entry = binds.entries[index]
                (values + index).initialize(to: entry.length < 0 ? nil : base.map { $0 + entry.offset })
                (lengths + index).initialize(to: Int32(clamping: max(entry.length, 0)))
                (formats + index).initialize(to: entry.isBinary ? 1 : 0)
                (types + index).initialize(to: entry.typeOID)
            }
            return body(Int32(truncatingIfNeeded: count))
        }
    }
}
