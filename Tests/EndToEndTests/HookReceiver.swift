// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import TestSupport
import Testing

/// Somebody else's service, which takes what our webhooks send, in a process of its own. Its path `/silent` never answers.
final class HookReceiver: Sendable {
    /// What came.
    struct Delivery: Decodable {
        let path: String
        let id: String
        let timestamp: String
        let signature: String
        let body: String
        /// The trace that the sending is part of.
        let traceparent: String?

        /// Whether it was signed with the secret that the webhook's owner was given.
        func isSigned(with secret: String) -> Bool {
            guard let key = Data(base64Encoded: String(secret.dropFirst("whsec_".count))) else { return false }
            let code = HMAC<SHA256>.authenticationCode(
                for: Data("\(id).\(timestamp).\(body)".utf8), using: SymmetricKey(data: key))
            return signature == "v1,\(Data(code).base64EncodedString())"
        }
    }

    private static let script = """
        from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
        from json import dumps
        from time import sleep
        class Receiver(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"])).decode()
                fields = {name: self.headers["webhook-" + name] for name in ("id", "timestamp", "signature")}
                fields["traceparent"] = self.headers["traceparent"]
                print(dumps({"path": self.path, "body": body, **fields}), flush=True)
                if self.path == "/silent": sleep(3600)
                self.send_response(204)
                self.end_headers()
            def log_message(self, *_): pass
        server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
        print("ready", server.server_port, flush=True)
        server.serve_forever()
        """

    /// `http://127.0.0.1:PORT`.
    let base: String
    private let child: ChildProgram

    init() async throws {
        child = try ChildProgram(URL(fileURLWithPath: "/usr/bin/python3"), ["-c", Self.script])
        let line = try #require(await child.line(within: 600) { $0.hasPrefix("ready ") }, "\(child.errors)")
        base = "http://127.0.0.1:\(line.dropFirst("ready ".count))"
    }

    /// All that came so far.
    var deliveries: [Delivery] {
        child.output.split(separator: "\n").compactMap {
            try? JSONDecoder().decode(Delivery.self, from: Data($0.utf8))
        }
    }

    /// Waits for something to come, behind the first `count`.
    func delivery(after count: Int = 0, within seconds: Double = 600) async throws -> Delivery {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while true {
            if let found = deliveries.dropFirst(count).first { return found }
            try #require(ContinuousClock.now < deadline, "nothing came within \(seconds) s")
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    func stop() async {
        child.signal(SIGKILL)
        await child.waitForExit()
    }
}
