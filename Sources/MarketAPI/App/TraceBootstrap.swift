// SPDX-License-Identifier: Apache-2.0
import Logging
import MarketPlatform
import ServiceLifecycle
import Tracing

extension TraceExport {
    /// Has everything in this process traced, where there is a collector, and gives the service that sends the spans. Once,
    /// before a node is opened.
    package static func bootstrap(
        _ configuration: ServerConfiguration, metrics: MarketMetrics, logger: Logger
    ) -> [any Service] {
        guard let export = TraceExport(configuration.tracing, metrics: metrics, logger: logger) else { return [] }
        InstrumentationSystem.bootstrap(export.tracer)
        return [export]
    }
}
