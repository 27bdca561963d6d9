// SPDX-License-Identifier: Apache-2.0
import CoreMetrics
import MarketWire
import NIOHTTP1
import SheetCore
import TestSupport
import Testing

@testable import MarketPlatform

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
        #expect(lines.contains("sheetmarket_http_request_duration_seconds_bucket{\(route),le=\"0.0005\"} 1"))
        #expect(lines.contains("sheetmarket_http_request_duration_seconds_bucket{\(route),le=\"0.005\"} 3"))
        #expect(lines.contains("sheetmarket_http_request_duration_seconds_bucket{\(route),le=\"+Inf\"} 5"))
        #expect(lines.contains("sheetmarket_http_request_duration_seconds_count{\(route)} 5"))
        #expect(lines.contains("# TYPE sheetmarket_http_request_duration_seconds histogram"))
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

    @Test("cases that wait are told by kind and state, with those late or soon to be, and the oldest one's age")
    func cases() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator).http
            let sheet = try await scene.template("Sheet", by: ada.id)
            func figures() async throws -> [String: Double] {
                let answer = try await scene.http.get("/metrics")
                #expect(answer.status == 200)
                var found: [String: Double] = [:]
                for line in answer.text.split(separator: "\n") where line.hasPrefix("sheetmarket_cases") {
                    let parts = line.split(separator: " ")
                    found[String(parts[0])] = parts.count == 2 ? Double(parts[1]) : nil
                }
                return found
            }
            func open(_ kind: ReportSubject.Kind, _ id: String) async throws -> String {
                let answer = try await mod.send(
                    .POST, "\(Paths.base)/moderation/cases",
                    json: NewCaseRequest(subject: ReportSubject(kind: kind, id: id), note: "Look at it."))
                #expect(answer.status == 201, "\(answer.text)")
                return Paths.moderationCase("\(try answer.json(CaseSummary.self).id)")
            }
            let (over, soon) = (#"sheetmarket_cases_due{due="over"}"#, #"sheetmarket_cases_due{due="soon"}"#)
            let oldest = "sheetmarket_cases_oldest_seconds"
            #expect(try await figures() == [over: 0, soon: 0, oldest: 0])

            // What is reported is promised for the next day; from six hours before, it is due soon.
            let first = try await open(.template, sheet.slug)
            scene.clock.advance(by: 19 * 3600)
            let second = try await open(.user, "ada")
            #expect(try await mod.send(.POST, "\(second)/claim").status == 200)
            let (waiting, claimed) = (
                #"sheetmarket_cases{kind="report",state="open"}"#, #"sheetmarket_cases{kind="report",state="claimed"}"#
            )
            #expect(try await figures() == [waiting: 1, claimed: 1, over: 0, soon: 1, oldest: 19 * 3600])
            scene.clock.advance(by: 6 * 3600)
            #expect(try await figures() == [waiting: 1, claimed: 1, over: 1, soon: 0, oldest: 25 * 3600])

            #expect(try await mod.send(.POST, "\(first)/claim").status == 200)
            let dismissed = try await mod.send(
                .POST, "\(first)/decision",
                json: DecisionRequest(decision: .dismiss, reasonCode: "no_violation", message: "Nothing is wrong."))
            #expect(dismissed.status == 200, "\(dismissed.text)")
            #expect(try await figures() == [claimed: 1, over: 0, soon: 0, oldest: 6 * 3600])
        }
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
