// SPDX-License-Identifier: Apache-2.0
import CoreMetrics
import Foundation
import Synchronization

/// What the market counts about itself. One per process.
package final class MarketMetrics: Sendable {
    private struct RequestKey: Hashable {
        let route: String
        let method: String
        let status: Int
    }

    private struct RequestSeries {
        let count: PrometheusNumber
        let duration: PrometheusHistogram
    }

    package let registry: PrometheusRegistry
    private let requests = Mutex<[RequestKey: RequestSeries]>([:])
    private static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

    package init(registry: PrometheusRegistry = PrometheusRegistry()) {
        self.registry = registry
        registry.describe("sheetmarket_http_requests_total", .counter, "Answers by route, method and status.")
        registry.describe(
            "sheetmarket_http_request_duration_seconds", .histogram, "Time from request to answer's head, by route.")
        ProcessMetrics.register(with: registry)
    }

    /// A factory for `MetricsSystem.bootstrap`, so that what the libraries measure is shown too.
    package var factory: any MetricsFactory { PrometheusFactory(registry: registry) }

    /// Has every library of this process count here. Once per process.
    package func bootstrap() { MetricsSystem.bootstrap(factory) }

    /// Counts an answer. `route` is the pattern, never the path: each pattern is a series.
    package func observe(_ route: String, _ method: String, _ status: Int, _ seconds: Double) {
        let series = requests.withLock { requests in
            let key = RequestKey(route: route, method: method, status: status)
            if let known = requests[key] { return known }
            let made = makeSeries(key)
            // Anybody can send any method: such strangers share one series and no place here.
            if Self.methods.contains(method) { requests[key] = made }
            return made
        }
        series.count.add(1)
        series.duration.observe(seconds)
    }

    private func makeSeries(_ key: RequestKey) -> RequestSeries {
        let method = Self.methods.contains(key.method) ? key.method : "other"
        return RequestSeries(
            count: registry.number(
                .counter, "sheetmarket_http_requests_total",
                [("route", key.route), ("method", method), ("status", String(key.status))]),
            duration: registry.histogram(
                "sheetmarket_http_request_duration_seconds", [("route", key.route), ("method", method)],
                bounds: PrometheusHistogram.latency))
    }

    /// Counts something that happened, by words of a fixed and small choice.
    package func count(_ name: String, _ labels: [(String, String)] = [], by amount: Double = 1) {
        registry.number(.counter, name, labels).add(amount)
    }

    /// Records how long something took, in seconds.
    package func time(_ name: String, _ labels: [(String, String)] = [], seconds: Double) {
        registry.histogram(name, labels, bounds: PrometheusHistogram.latency).observe(seconds)
    }

    /// Everything in Prometheus' text format.
    package func render() async -> String { await registry.render() }
}

/// What Prometheus' own libraries tell of a process, under the same names.
enum ProcessMetrics {
    static func register(with registry: PrometheusRegistry) {
        registry.describe("process_resident_memory_bytes", .gauge, "Resident memory size in bytes.")
        registry.describe("process_cpu_seconds_total", .counter, "User and system CPU time spent in seconds.")
        registry.describe("process_open_fds", .gauge, "Number of open file descriptors.")
        registry.describe("process_start_time_seconds", .gauge, "Start time of the process since the epoch in seconds.")
        let started = Date().timeIntervalSince1970
        registry.addCollector {
            [
                .init("process_resident_memory_bytes", [], residentBytes()),
                .init("process_cpu_seconds_total", [], processorSeconds()),
                .init("process_open_fds", [], openDescriptors()),
                .init("process_start_time_seconds", [], started),
            ]
        }
    }

    /// Not a number where the system has no such file.
    private static func residentBytes() -> Double {
        let words = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
        guard words.count > 1, let pages = Double(words[1]) else { return .nan }
        return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
    }

    private static func processorSeconds() -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6
    }

    /// 0 where the system has no such folder.
    private static func openDescriptors() -> Double {
        Double((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count ?? 0)
    }
}
