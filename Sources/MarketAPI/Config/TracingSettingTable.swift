// SPDX-License-Identifier: Apache-2.0
import MarketPlatform

extension Setting {
    /// By OpenTelemetry's names, which every program that traces goes by.
    static let tracing: [Setting] = [
        Setting(
            "OTEL_EXPORTER_OTLP_ENDPOINT", \.tracing.endpoint, .address(["http", "https"]),
            example: "http://127.0.0.1:4318",
            "The collector of traces, which takes OTLP over HTTP in JSON below /v1/traces. Without it nothing is traced."
        ),
        Setting(
            "OTEL_EXPORTER_OTLP_HEADERS", \.tracing.headers, .traceHeaders, isSecret: true,
            example: "api-key=PUT-THE-KEY-HERE",
            "Fields of the requests to the collector, as name=value, separated by commas; values are percent-encoded."),
        Setting(
            "OTEL_EXPORTER_OTLP_CERTIFICATE", \.tracing.authorities, .path,
            example: "/etc/sheetmarket/collector-ca.pem",
            "A PEM file with the certificates that the collector's is checked against, in place of the system's."),
        Setting(
            "OTEL_SERVICE_NAME", \.tracing.serviceName, .title, default: "sheetmarket", example: "sheetmarket-workers",
            "How this service is called in traces."),
        Setting(
            "OTEL_TRACES_SAMPLER", \.tracing.sampler, .word(), default: "parentbased_always_on",
            example: "parentbased_traceidratio",
            "Which traces are recorded: always_on, always_off, traceidratio, or parentbased_ before one of these, which goes by "
                + "the caller's `traceparent` where there is one. Strangers can send one: have the proxy take it out, or use "
                + "traceidratio."),
        Setting(
            "OTEL_TRACES_SAMPLER_ARG", \.tracing.ratio, .number(0...1), default: "1", example: "0.05",
            "The part of traces that a sampler by ratio records, from 0 to 1."),
        Setting(
            "OTEL_BSP_SCHEDULE_DELAY", \.tracing.delayMilliseconds, .integer(10...600_000), default: "5000",
            example: "1000", "How many milliseconds spans are gathered before they are sent together."),
        Setting(
            "OTEL_BSP_MAX_QUEUE_SIZE", \.tracing.queueSize, .integer(1...1_000_000), default: "2048", example: "8192",
            "Spans that wait to be sent at most; more are dropped, and counted by sheetmarket_trace_spans_total."),
    ]
}

extension SettingFormat where Value == [TraceHeader] {
    static let traceHeaders = Self("must be name=value, separated by commas, values percent-encoded") {
        TraceHeader.list($0)
    }
}
