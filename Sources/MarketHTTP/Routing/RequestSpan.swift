// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketPlatform
import Tracing

/// A request as a span: its method, its route's pattern and its status, and nothing of its path, its query or who sends it
/// (OpenTelemetry's semantic conventions for HTTP).
struct RequestSpan {
    private static let methods: Set<HTTPRequest.Method> = [.get, .head, .post, .put, .patch, .delete, .options]
    /// Asked every few seconds by machines.
    private static let probes: Set<String> = ["/healthz", "/readyz", "/metrics"]

    /// Anybody can send any method: such a stranger is no word of ours.
    let method: String
    private let request: Request
    private let context: MarketRequestContext

    init(_ request: Request, _ context: MarketRequestContext) {
        self.request = request
        self.context = context
        method = Self.methods.contains(request.method) ? request.method.rawValue : "_OTHER"
    }

    static func isProbe(_ request: Request) -> Bool { probes.contains(request.uri.path) }

    /// The trace that the caller is in.
    func parent(_ tracer: MarketTracer) -> ServiceContext {
        var parent = ServiceContext.topLevel
        tracer.extract(request.headers, into: &parent, using: HeaderExtractor())
        return parent
    }

    func describe(_ response: Response, on span: MarketSpan) {
        guard span.isRecording else { return }
        let route = context.endpointPath
        if let route { span.operationName = "\(method) \(route)" }
        let status = response.status.code
        span.updateAttributes { attributes in
            attributes["http.request.method"] = method
            attributes["http.route"] = route
            attributes["http.response.status_code"] = status
            attributes["url.scheme"] = context.site.text.hasPrefix("https:") ? "https" : "http"
            // Leads to the log, and from entries of the audit log to here.
            attributes["sheetmarket.request.id"] = context.requestID
            if status >= 500 { attributes["error.type"] = "\(status)" }
        }
        if status >= 500 { span.setStatus(.init(code: .error)) }
    }
}

/// Reads a field of a request.
private struct HeaderExtractor: Extractor {
    func extract(key: String, from headers: HTTPFields) -> String? {
        HTTPField.Name(key).flatMap { headers[$0] }
    }
}
