// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import MarketWire
import SheetCore

/// The outermost layer: names the request, turns whatever is thrown into a problem document, logs once,
/// and counts. One layer instead of several, since every request passes through it.
struct EdgeMiddleware: RouterMiddleware {
    typealias Context = MarketRequestContext

    /// Told of each answer: the route's pattern, the method, the status and how long it took.
    typealias Observe = @Sendable (_ route: String, _ method: String, _ status: Int, _ seconds: Double) -> Void

    /// Writes a failure as a page for people; `nil` leaves it to the problem document.
    typealias ProblemPage = @Sendable (APIError, Request, MarketRequestContext) async -> Response?

    let trustedProxies: Set<String>
    let observe: Observe
    var problemPage: ProblemPage?

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let begin = ContinuousClock.now
        var context = context
        context.requestID = Self.requestID(request)
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
        response.headers[.xRequestID] = context.requestID
        response.headers[.xContentTypeOptions] = "nosniff"
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

    private func answer(to error: any Error, request: Request, context: Context) async -> Response {
        let (mapped, isFault) = APIError.mapping(error)
        if isFault {
            context.logger.error(
                "request failed",
                metadata: [
                    "method": "\(request.method)", "path": "\(request.uri.path)", "status": "\(mapped.status.code)",
                    "error": "\(String(reflecting: error))",
                ])
        }
        var headers = mapped.headers
        headers[.cacheControl] = "no-store"
        // No 401 goes without one (RFC 9110, section 15.5.2).
        if mapped.status == .unauthorized, headers[.wwwAuthenticate] == nil {
            headers[.wwwAuthenticate] = APIError.challenge
        }
        // What is left unread of a body would otherwise be taken for the next request.
        if mapped.status == .contentTooLarge { headers[.connection] = "close" }
        if var page = await problemPage?(mapped, request, context) {
            for field in headers { page.headers[field.name] = field.value }
            return page
        }
        headers[.contentType] = ProblemDocument.mediaType
        let body = (try? ByteBuffer.json(mapped.problem(requestID: context.requestID))) ?? ByteBuffer()
        return Response(status: mapped.status, headers: headers, body: .init(byteBuffer: body))
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

extension Duration {
    /// As a number of seconds.
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}

extension HTTPField.Name {
    /// Names a request in answers and logs.
    static let xRequestID = Self("X-Request-Id") ?? .server
    /// Who a proxy speaks for.
    static let xForwardedFor = Self("X-Forwarded-For") ?? .server
    /// `nosniff`: the type is what we say it is.
    static let xContentTypeOptions = Self("X-Content-Type-Options") ?? .server
}
