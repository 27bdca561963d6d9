// SPDX-License-Identifier: Apache-2.0
import Hummingbird
import MarketHTTP
import MarketPages
import MarketWire
import NIOCore

/// For operators and their monitoring: liveness, readiness and metrics.
struct OperationsRoutes {
    let features: Features
    let drain: Drain
    /// Metrics in Prometheus' text format.
    let metrics: @Sendable () async -> String

    func register(on routes: APIRoutes) {
        routes.withCost(.free).get("/healthz", access: .optionalAuthentication) { _, _ in
            try .json(["status": "alive"], headers: [.cacheControl: "no-store"])
        }
        routes.get("/readyz", access: .optionalAuthentication) { [features, drain] _, context in
            var report = await Readiness(features: features).report(logger: context.logger)
            if drain.isOn { report.tellEnding() }
            return try .json(
                report, status: report.ready ? .ok : .serviceUnavailable, headers: [.cacheControl: "no-store"])
        }
        routes.get("/metrics", access: .optionalAuthentication) { [metrics] _, _ in
            let text = await metrics()
            return Response(
                status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
                body: .init(byteBuffer: ByteBuffer(string: text)))
        }
    }
}
