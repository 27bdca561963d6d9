// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import Synchronization
import Testing

@testable import MarketPlatform

@Suite("The log")
struct LogTests {
    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }

    /// What one logger wrote.
    private func log(_ format: LogFormat, _ body: (inout Logger) -> Void) -> [String] {
        let lines = Lines()
        var logger = Logger(label: "market") { label in
            StructuredLogHandler(
                label: label, level: .info, format: format,
                output: LogOutput { line in lines.all.withLock { $0.append(line) } })
        }
        body(&logger)
        return lines.all.withLock { $0 }
    }

    private func json(_ line: String) throws -> [String: any Sendable] {
        try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: any Sendable])
    }

    @Test("a message is one JSON object on one line, with its request's id, whatever is in it")
    func oneLine() throws {
        let lines = log(.json) { logger in
            logger[metadataKey: "request_id"] = "r1"
            logger.info(
                "a \"quoted\"\nmessage \u{1}\u{2028}",
                metadata: [
                    "level": "mine", "list": ["a", "b"], "nested": ["n": "\(1)"], "count": .stringConvertible(7),
                ])
            logger.debug("not this one")
        }
        #expect(lines.count == 1)
        #expect(lines[0].hasSuffix("}\n") && lines[0].filter(\.isNewline).count == 1)
        let object = try json(lines[0])
        #expect(object["message"] as? String == "a \"quoted\"\nmessage \u{1}\u{2028}")
        #expect(object["level"] as? String == "info")
        #expect(object["_level"] as? String == "mine")
        #expect(object["request_id"] as? String == "r1")
        #expect(object["logger"] as? String == "market")
        #expect(object["count"] as? Int == 7)
        #expect(object["list"] as? [String] == ["a", "b"])
        #expect((object["time"] as? String)?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
    }

    @Test("secrets do not appear, in either form", arguments: LogFormat.allCases)
    func secrets(format: LogFormat) {
        let lines = log(format) { logger in
            logger.info(
                "connecting to postgresql://app:hunter2@db/market with Bearer hunter2",
                metadata: [
                    "Authorization": "Bearer hunter2", "password": "hunter2", "downloadToken": "hunter2",
                    "Set-Cookie": "session=hunter2", "nested": ["api_secret": "hunter2"],
                    "conninfo": "host=/run password=hunter2 user=app",
                ])
            logger.info("kept", metadata: ["token_id": "0192-visible", "user": "nadia"])
        }
        #expect(!lines.joined().contains("hunter2"))
        #expect(lines[0].contains("app:[redacted]@db"))
        #expect(lines[1].contains("0192-visible") && lines[1].contains("nadia"))
    }

    @Test(
        "of an address only the password is left out",
        arguments: [
            ("at https://a:b@c://d:e@f/x:y@z", "at https://a:[redacted]@c://d:[redacted]@f/x:y@z"),
            ("s3://:pw@h, amqp://u:p:q@h", "s3://:[redacted]@h, amqp://u:[redacted]@h"),
            ("://u:p@h http://u@h http://u: p@h", nil), ("https://h/u:p@h x://u:@h", nil),
        ] as [(String, String?)])
    func addresses(text: String, shown: String?) {
        let lines = log(.text) { $0.info("\(text)") }
        #expect(lines[0].hasSuffix(" INFO \(shown ?? text)\n"), "\(lines)")
    }

    @Test("a message for people cannot pretend to be two")
    func textIsOneLine() {
        let lines = log(.text) { $0.warning("first\n2026 INFO second", metadata: ["a": "x y", "b": "line\nbreak"]) }
        #expect(lines[0].filter(\.isNewline).count == 1)
        #expect(lines[0].contains("WARNING first\\n2026"))
        #expect(lines[0].contains("a=\"x y\""))
    }
}
