// SPDX-License-Identifier: Apache-2.0
import CoreMetrics

/// Lets libraries that measure through swift-metrics count in our registry.
struct PrometheusFactory: MetricsFactory {
    let registry: PrometheusRegistry

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        Handler(number: registry.number(.counter, Self.counterName(label), dimensions))
    }

    func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        Handler(number: registry.number(.counter, Self.counterName(label), dimensions))
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        Handler(number: registry.number(.gauge, label, dimensions))
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        if aggregate {
            return Observer(histogram: registry.histogram(label, dimensions, bounds: PrometheusHistogram.powers))
        }
        return Handler(number: registry.number(.gauge, label, dimensions))
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        let name = label.hasSuffix("_seconds") ? label : label + "_seconds"
        return Observer(histogram: registry.histogram(name, dimensions, bounds: PrometheusHistogram.latency))
    }

    // A series stays when its handle goes: Prometheus takes a vanished counter for a restart.
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    private static func counterName(_ label: String) -> String {
        label.hasSuffix("_total") ? label : label + "_total"
    }

    private final class Handler: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler {
        private let number: PrometheusNumber

        init(number: PrometheusNumber) { self.number = number }

        func increment(by amount: Int64) { number.add(Double(amount)) }
        func increment(by amount: Double) { number.add(amount) }
        func decrement(by amount: Double) { number.add(-amount) }
        func set(_ value: Int64) { number.set(Double(value)) }
        func set(_ value: Double) { number.set(value) }
        func record(_ value: Int64) { number.set(Double(value)) }
        func record(_ value: Double) { number.set(value) }
        func reset() { number.set(0) }
    }

    private final class Observer: RecorderHandler, TimerHandler {
        private let histogram: PrometheusHistogram

        init(histogram: PrometheusHistogram) { self.histogram = histogram }

        func record(_ value: Int64) { histogram.observe(Double(value)) }
        func record(_ value: Double) { histogram.observe(value) }
        func recordNanoseconds(_ duration: Int64) { histogram.observe(Double(duration) * 1e-9) }
    }
}
