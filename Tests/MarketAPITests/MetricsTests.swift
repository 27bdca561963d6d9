// SPDX-License-Identifier: Apache-2.0
import CoreMetrics
import Testing

@testable import MarketAPI

@Suite("The metrics")
struct MetricsTests {
    @Test("answers are counted by route, method and status, and timed in buckets that add up")
    func requests() async {
        let metrics = MarketMetrics()
        for seconds in [0.0004, 0.004, 0.04, 99] { metrics.observe("/templates/{id}", "GET", 200, seconds) }
        metrics.observe("/templates/{id}", "GET", 404, 0.001)
        let lines = await metrics.render().split(separator: "\n").map(String.init)
        let route = #"route="/templates/{id}",method="GET""#
        #expect(lines.contains("sheetmarket_http_requests_total{\(route),status=\"200\"} 4"))
        #expect(lines.contains("sheetmarket_http_requests_total{\(route),status=\"404\"} 1"))
        #expect(lines.contains("sheetmarket_http_request_seconds_bucket{\(route),le=\"0.0005\"} 1"))
        #expect(lines.contains("sheetmarket_http_request_seconds_bucket{\(route),le=\"0.005\"} 3"))
        #expect(lines.contains("sheetmarket_http_request_seconds_bucket{\(route),le=\"+Inf\"} 5"))
        #expect(lines.contains("sheetmarket_http_request_seconds_count{\(route)} 5"))
        #expect(lines.contains("# TYPE sheetmarket_http_request_seconds histogram"))
        #expect(lines.contains("# TYPE sheetmarket_http_requests_total counter"))
    }

    @Test("strange methods share one series, and a family of too many series does not grow on")
    func bounded() async {
        let metrics = MarketMetrics()
        for index in 0..<500 { metrics.observe("unmatched", "M\(index)", 404, 0.001) }
        for index in 0..<3000 { metrics.count("ids_total", [("id", "\(index)")]) }
        let text = await metrics.render()
        #expect(text.contains(#"sheetmarket_http_requests_total{route="unmatched",method="other",status="404"} 500"#))
        #expect(text.contains(#"ids_total{id="other"} 1000"#))
    }

    @Test("names and labels are written so that Prometheus can read them")
    func escaping() async {
        let registry = PrometheusRegistry()
        registry.describe("a.b-c", .gauge, "two\nlines \\")
        registry.number(.gauge, "a.b-c", [("l", "q\"\\\n")]).set(1.5)
        registry.addCollector {
            [.init("queue_age_seconds", [("kind", "inspect")], 0.25), .init("9lives", [], .infinity)]
        }
        let text = await registry.render()
        #expect(text.contains("# HELP a_b_c two\\nlines \\\\\n"))
        #expect(text.contains(#"a_b_c{l="q\"\\\n"} 1.5"#))
        #expect(text.contains("# TYPE queue_age_seconds gauge\nqueue_age_seconds{kind=\"inspect\"} 0.25\n"))
        #expect(text.contains("_9lives +Inf"))
    }

    @Test("what libraries measure through swift-metrics is shown, and many tasks lose no count")
    func factory() async {
        let metrics = MarketMetrics()
        let factory = metrics.factory
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let counter = factory.makeCounter(label: "hits", dimensions: [("kind", "a")])
                    let timer = factory.makeTimer(label: "work", dimensions: [])
                    for _ in 0..<1000 {
                        counter.increment(by: 1)
                        timer.recordNanoseconds(2_000_000)
                    }
                }
            }
        }
        factory.makeMeter(label: "level", dimensions: []).set(Int64(4))
        let text = await metrics.render()
        #expect(text.contains(#"hits_total{kind="a"} 8000"#))
        #expect(text.contains("work_seconds_bucket{le=\"0.0025\"} 8000"))
        #expect(text.contains("work_seconds_bucket{le=\"0.001\"} 0"))
        #expect(text.contains("# TYPE level gauge\nlevel 4\n"))
    }

    @Test("the process tells of its memory and processor time")
    func process() async throws {
        let text = await MarketMetrics().render()
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("process_resident_memory_bytes ") })
        let bytes = try #require(Double(line.split(separator: " ")[1]))
        #expect(bytes > 1_048_576)
        #expect(text.contains("# TYPE process_cpu_seconds_total counter"))
    }
}
