// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization

/// Every series of this process, and their rendering in Prometheus' text format (version 0.0.4).
///
/// Making or finding a series takes a lock; counting in one takes an atomic.
package final class PrometheusRegistry: Sendable {
    /// A figure that is asked for when somebody looks, such as the length of the queue.
    package struct Sample: Sendable {
        package let name: String
        package let labels: [(String, String)]
        package let value: Double

        /// One series' value now.
        package init(_ name: String, _ labels: [(String, String)] = [], _ value: Double) {
            self.name = PrometheusText.name(name)
            self.labels = labels
            self.value = value
        }
    }

    /// What Prometheus is told a family is.
    package enum Kind: String, Sendable {
        /// It only grows.
        case counter
        /// It goes up and down.
        case gauge
        /// Observations in buckets.
        case histogram
    }

    private struct Family {
        let kind: Kind
        var help: String
        var series: [String: Series] = [:]
    }

    private enum Series {
        case number(PrometheusNumber)
        case histogram(PrometheusHistogram)
    }

    private struct State {
        var families: [String: Family] = [:]
        var collectors: [@Sendable () async -> [Sample]] = []
    }

    /// More series than this under one name are an accident (a label with ids in it): the rest is counted together.
    static let largestFamily = 2000

    private let state = Mutex(State())

    package init() {}

    /// Says what a family is for; also fixes the kind of those that collectors fill.
    package func describe(_ name: String, _ kind: Kind, _ help: String) {
        let name = PrometheusText.name(name)
        state.withLock { $0.families[name, default: Family(kind: kind, help: help)].help = help }
    }

    /// Asked at every scrape.
    package func addCollector(_ collector: @escaping @Sendable () async -> [Sample]) {
        state.withLock { $0.collectors.append(collector) }
    }

    /// The series of a number, made when it is not there.
    package func number(_ kind: Kind, _ name: String, _ labels: [(String, String)]) -> PrometheusNumber {
        let found = series(kind, name, labels) { .number(PrometheusNumber()) }
        if case .number(let number) = found { return number }
        return PrometheusNumber()  // The name is a histogram's: a mistake in the code, which must not cost the process.
    }

    /// The series of a histogram, made when it is not there.
    package func histogram(_ name: String, _ labels: [(String, String)], bounds: [Double]) -> PrometheusHistogram {
        let found = series(.histogram, name, labels) { .histogram(PrometheusHistogram(bounds: bounds)) }
        if case .histogram(let histogram) = found { return histogram }
        return PrometheusHistogram(bounds: bounds)
    }

    private func series(
        _ kind: Kind, _ name: String, _ labels: [(String, String)], _ make: () -> Series
    ) -> Series {
        let name = PrometheusText.name(name)
        var key = PrometheusText.labels(labels)
        return state.withLock { state in
            if let found = state.families[name]?.series[key] { return found }
            if state.families[name]?.series.count ?? 0 >= Self.largestFamily {
                key = PrometheusText.labels(labels.map { ($0.0, "other") })
                if let found = state.families[name]?.series[key] { return found }
            }
            let made = make()
            state.families[name, default: Family(kind: kind, help: "")].series[key] = made
            return made
        }
    }

    /// All series as text.
    package func render() async -> String {
        let collectors = state.withLock { $0.collectors }
        var samples: [Sample] = []
        for collector in collectors { samples += await collector() }
        let collected = Dictionary(grouping: samples, by: \.name)
        let families = state.withLock { $0.families }
        var text = ""
        for name in Set(families.keys).union(collected.keys).sorted() {
            let family = families[name]
            let lines = family?.series.sorted { $0.key < $1.key } ?? []
            let own = collected[name] ?? []
            if lines.isEmpty && own.isEmpty { continue }
            if let help = family?.help, !help.isEmpty { text += "# HELP \(name) \(PrometheusText.help(help))\n" }
            text += "# TYPE \(name) \((family?.kind ?? .gauge).rawValue)\n"
            for (labels, series) in lines {
                switch series {
                case .number(let number):
                    text += "\(name)\(labels) \(PrometheusText.value(number.value))\n"
                case .histogram(let histogram):
                    histogram.render(name, labels, into: &text)
                }
            }
            for sample in own {
                text += "\(name)\(PrometheusText.labels(sample.labels)) \(PrometheusText.value(sample.value))\n"
            }
        }
        return text
    }
}
