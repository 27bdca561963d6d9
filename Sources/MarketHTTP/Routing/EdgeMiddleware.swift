// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import MarketPlatform
import MarketWire
import SheetCore
import Tracing

/// The outermost layer: names the request, turns whatever is thrown into a problem document, logs once,
/// and counts. One layer instead of several, since every request passes through it.
package struct EdgeMiddleware: RouterMiddleware {
    package typealias Context = MarketRequestContext

    /// Called with each answer's route pattern, method, status and duration.
    package typealias Observe = @Sendable (_ route: String, _ method: String, _ status: Int, _ seconds: Double) -> Void

    /// Writes a failure as a page for people; `nil` leaves it to the problem document.
    package typealias ProblemPage = @Sendable (APIError, Request, MarketRequestContext) async -> Response?

    package let trustedProxies: Set<String>
    package let observe: Observe
    package var problemPage: ProblemPage?
    package var crossOrigin = CORSPolicy(.none)
    package let publicURL: String?
    /// `nil` where nothing is traced.
    private let tracer: MarketTracer?

    package init(
        trustedProxies: Set<String>, observe: @escaping Observe, problemPage: ProblemPage? = nil,
        crossOrigin: CORSPolicy = CORSPolicy(.none), publicURL: String? = nil
    ) {
        self.publicURL = publicURL
        tracer = .current
        self.trustedProxies = trustedProxies
        self.observe = observe
        self.problemPage = problemPage
        self.crossOrigin = crossOrigin
    }

    package func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.requestID = Self.requestID(request)
        context.site = SiteAddress(of: request, publicURL: publicURL)
        guard let tracer, !RequestSpan.isProbe(request) else { return await answered(request, context, next) }
        let span = RequestSpan(request, context)
        return await tracer.withSpan(span.method, context: span.parent(tracer), ofKind: .server) { recording in
            let response = await answered(request, context, next)
            span.describe(response, on: recording)
            return response
        }
    }

    private func answered(
        _ request: Request, _ context: Context, _ next: (Request, Context) async throws -> Response
    ) async -> Response {
        let begin = ContinuousClock.now
        var context = context
        context.logger[metadataKey: "request_id"] = .string(context.requestID)
        if trustedProxies.contains(context.clientAddress), let vouched = Self.forwardedFor(request, trustedProxies) {
            context.clientAddress = vouched
        }
        var response: Response
        do {
            response = try await next(request, context)
        } catch {
            response = await answer(to: error, request: request, context: context)
        }
        if request.method == .head {
            // A body, even of a refusal, would be read as the next answer (RFC 9110, section 9.3.2).
            let length = response.headers[.contentLength]
            response.body = .init()
            response.headers[.contentLength] = length
        }
        response.headers[.xRequestID] = context.requestID
        response.headers.append(Self.noSniffing)
        if CORSPolicy.covers(request.uri.path) { crossOrigin.mark(&response.headers, for: request) }
        let elapsed = begin.duration(to: .now)
        observe(
            context.endpointPath ?? "unmatched", request.method.rawValue, response.status.code, elapsed.seconds)
        context.logger.debug(
            "answered",
            metadata: [
                "method": "\(request.method)", "path": "\(request.uri.path)", "status": "\(response.status.code)",
                "ms": "\(Int(elapsed.seconds * 1000))", "address": "\(context.clientAddress)",
            ])
        return response
    }

    private static let noSniffing = HTTPField(name: .xContentTypeOptions, value: "nosniff")

    private func answer(to error: any Error, request: Request, context: Context) async -> Response {
        var error = error
        var fields: [HTTPField] = []
        if let marked = error as? ErrorWithHeaders { (error, fields) = (marked.error, marked.fields) }
        let (mapped, isFault) = APIError.mapping(error)
        if isFault {
            context.logger.error(
                "request failed",
                metadata: [
                    "method": "\(request.method)", "path": "\(request.uri.path)", "status": "\(mapped.status.code)",
                    "error": "\(String(reflecting: error))",
                ])
        }
        var response = mapped.answer(requestID: context.requestID, site: context.site)
        if var page = await problemPage?(mapped, request, context) {
            for field in response.headers where field.name != .contentType && field.name != .contentLength {
                page.headers[field.name] = field.value
            }
            response = page
        }
        response.headers.append(contentsOf: fields)
        return response
    }

    /// The caller's own id when it is a plain short word, else a new one.
    private static func requestID(_ request: Request) -> String {
        if let given = request.headers[.xRequestID], (1...64).contains(given.utf8.count),
            given.utf8.allSatisfy({
                $0 == 45 || $0 == 95 || (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
            })
        {
            return given
        }
        return String(UInt64.random(in: .min ... .max), radix: 36)
    }

    /// The last address in `X-Forwarded-For` that is no proxy of ours.
    private static func forwardedFor(_ request: Request, _ proxies: Set<String>) -> String? {
        let addresses = (request.headers[.xForwardedFor] ?? "").split(separator: ",").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        return addresses.last { !proxies.contains($0) && !$0.isEmpty }
    }
}

/// A failure of a call, with fields that its answer is to have all the same.
struct ErrorWithHeaders: Error {
    let error: any Error
    let fields: [HTTPField]
}

extension APIError {
    /// The problem document.
    package func answer(requestID: String, site: SiteAddress) -> Response {
        var headers = headers
        headers[.cacheControl] = "no-store"
        // No 401 goes without one (RFC 9110, section 15.5.2).
        if status == .unauthorized, headers[.wwwAuthenticate] == nil { headers[.wwwAuthenticate] = Self.challenge }
        // An unread rest of the body would otherwise be parsed as the next request.
        if status == .contentTooLarge { headers[.connection] = "close" }
        headers[.contentType] = ProblemDocument.mediaType
        // An answer without its document is better than none.
        let body = (try? ByteBuffer.json(problem(requestID: requestID, site: site))) ?? ByteBuffer()
        return Response(status: status, headers: headers, body: .init(byteBuffer: body))
    }
}

extension HTTPField.Name {
    /// Names a request in answers and logs.
    static let xRequestID = Self("X-Request-Id") ?? .server
    /// Who a proxy speaks for.
    package static let xForwardedFor = Self("X-Forwarded-For") ?? .server
    /// `nosniff`: the type is what we say it is.
    static let xContentTypeOptions = Self("X-Content-Type-Options") ?? .server
}
