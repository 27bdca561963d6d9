// SPDX-License-Identifier: Apache-2.0
import Logging
import Tracing

extension Logger.MetadataProvider {
    /// Names trace and span in each line that is logged within a trace, by OpenTelemetry's names for logs.
    package static let trace = Logger.MetadataProvider {
        guard let trace = ServiceContext.current?.trace else { return [:] }
        return ["trace_id": "\(trace.traceID)", "span_id": "\(trace.spanID.hexadecimal)"]
    }
}
