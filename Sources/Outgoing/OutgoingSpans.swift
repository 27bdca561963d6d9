// SPDX-License-Identifier: Apache-2.0
import Tracing

// What goes out as spans of the trace that its task is part of. Of an address they tell the host alone: paths and queries may
// be secrets (OpenTelemetry's semantic conventions for HTTP clients).
extension OutgoingClient {
    /// Has `work` send the request, with the field that hands the trace on, as a span.
    func traced(
        _ request: OutgoingRequest, _ work: (OutgoingRequest) async -> Result<OutgoingAnswer, OutgoingError>
    ) async -> Result<OutgoingAnswer, OutgoingError> {
        await withSpan(request.method, ofKind: .client) { span in
            var request = request
            InstrumentationSystem.instrument.inject(span.context, into: &request.fields, using: FieldInjector())
            guard span.isRecording else { return await work(request) }
            span.updateAttributes { attributes in
                attributes["http.request.method"] = request.method
                attributes["server.address"] = OutgoingRequest.host(of: request.url)
            }
            let outcome = await work(request)
            switch outcome {
            case .success(let answer):
                span.attributes["http.response.status_code"] = answer.status
                if answer.status >= 400 { span.fail("\(answer.status)") }
            case .failure(let error): span.fail(error.word)
            }
            return outcome
        }
    }

    /// Has `work` hand a mail over, as a span. Within no trace it does just the work.
    func traced(
        to server: SMTPServer, _ work: () async -> Result<Void, OutgoingError>
    ) async -> Result<Void, OutgoingError> {
        guard ServiceContext.current != nil else { return await work() }
        return await withSpan("SMTP", ofKind: .client) { span in
            span.updateAttributes { attributes in
                attributes["network.protocol.name"] = "smtp"
                attributes["server.address"] = OutgoingRequest.host(of: server.url)
            }
            let outcome = await work()
            if case .failure(let error) = outcome { span.fail(error.word) }
            return outcome
        }
    }
}

/// Adds a field to a request.
private struct FieldInjector: Injector {
    func inject(_ value: String, forKey key: String, into fields: inout [(name: String, value: String)]) {
        fields.append((name: key, value: value))
    }
}

extension Span {
    fileprivate func fail(_ type: String) {
        attributes["error.type"] = type
        setStatus(.init(code: .error))
    }
}

extension OutgoingError {
    /// The case's name alone.
    fileprivate var word: String {
        switch self {
        case .badRequest: "bad_request"
        case .addressRefused: "address_refused"
        case .nameNotFound: "name_not_found"
        case .notConnected: "not_connected"
        case .notSecure: "not_secure"
        case .timedOut: "timed_out"
        case .answerTooLarge: "answer_too_large"
        case .brokenAnswer: "broken_answer"
        case .mailRefused(let code): "\(code)"
        case .cancelled: "cancelled"
        case .busy: "busy"
        }
    }
}
