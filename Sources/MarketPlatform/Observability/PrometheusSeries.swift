// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// One number that many threads add to or set.
package final class PrometheusNumber: Sendable {
    private let bits = Atomic<UInt64>(0)

    package var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

    package func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

    package func add(_ amount: Double) {
        var old = bits.load(ordering: .relaxed)
        while true {
            let new = (Double(bitPattern: old) + amount).bitPattern
            let (exchanged, current) = bits.weakCompareExchange(expected: old, desired: new, ordering: .relaxed)
            if exchanged { return }
            old = current
        }
    }
}

/// Observations counted in buckets.
///
/// Unchecked: the counts lie in memory of our own, since no array holds atomics; only atomic operations touch them, and
/// it is freed with the last reference.
package final class PrometheusHistogram: @unchecked Sendable {
    /// For answers and statements, in seconds: from what a cache answers to what a person gives up on.
    static let latency: [Double] = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
    ]
    /// For sizes and counts.
    static let powers: [Double] = (0...15).map { Double(1 << ($0 * 2)) }

    private let bounds: [Double]
    private let counts: UnsafeMutablePointer<Atomic<Int>>
    private let sum = PrometheusNumber()

    package init(bounds: [Double]) {
        self.bounds = bounds
        counts = .allocate(capacity: bounds.count + 1)
        for index in 0...bounds.count { (counts + index).initialize(to: Atomic(0)) }
    }

    deinit {
        counts.deinitialize(count: bounds.count + 1)
        counts.deallocate()
    }

    package func observe(_ value: Double) {
        var index = 0
        while index < bounds.count && value > bounds[index] { index += 1 }
        counts[index].wrappingAdd(1, ordering: .relaxed)
        sum.add(value)
    }

    /// `labels` is empty or ends with a brace.
    package func render(_ name: String, _ labels: String, into text: inout String) {
        let head = labels.isEmpty ? "{" : labels.dropLast() + ","
        var total = 0
        for index in 0...bounds.count {
            total += counts[index].load(ordering: .relaxed)
            let bound = index < bounds.count ? PrometheusText.value(bounds[index]) : "+Inf"
            text += "\(name)_bucket\(head)le=\"\(bound)\"} \(total)\n"
        }
        text += "\(name)_sum\(labels) \(PrometheusText.value(sum.value))\n"
        text += "\(name)_count\(labels) \(total)\n"
    }
}
