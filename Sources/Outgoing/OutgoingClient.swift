// SPDX-License-Identifier: Apache-2.0
import CCurl
import Logging
import Tracing

/// Asks other people's servers. Redirects are not followed, proxies of the environment not used, certificates checked.
package final class OutgoingClient: Sendable {
    private let policy: AddressPolicy
    private let authorities: String?
    private let handles: TransferHandles?
    private let threads: TransferThreads
    private let logger: Logger

    /// Transfers that run at the same time, where nothing else is said.
    package static let concurrency = 4
    /// Requests that wait for one of these to end; more are refused with `busy`.
    package static let maximumWaiting = 1000

    /// A client with threads of its own. `authorities` names a PEM file to trust instead of the system's certificates.
    /// With `keepsConnections` requests go over connections that stay open: for a server that is asked again and again.
    package init(
        policy: AddressPolicy, authorities: String? = nil, concurrency: Int = OutgoingClient.concurrency,
        keepsConnections: Bool = false, logger: Logger
    ) {
        self.policy = policy
        self.authorities = authorities
        self.logger = logger
        handles = keepsConnections ? TransferHandles(capacity: concurrency) : nil
        threads = TransferThreads(limit: concurrency, maximumWaiting: Self.maximumWaiting)
    }

    /// Sends the request and collects the answer, whatever its status says.
    ///
    /// Within a trace the request is a span of it, and hands it on (`traceparent`).
    package func send(_ request: OutgoingRequest) async throws(OutgoingError) -> OutgoingAnswer {
        try request.check()
        guard ServiceContext.current != nil else { return try await outcome(of: request).get() }
        return try await traced(request) { await outcome(of: $0) }.get()
    }

    private func outcome(of request: OutgoingRequest) async -> Result<OutgoingAnswer, OutgoingError> {
        let (policy, authorities, handles) = (policy, authorities, handles)
        let answer = await threads.run { cancellation in
            Result { () throws(OutgoingError) in
                let transfer = try Transfer(policy: policy, cancellation: cancellation, handles: handles)
                if let authorities { try transfer.set(CURLOPT_CAINFO, authorities) }
                return try transfer.answer(to: request)
            }
        }
        if case .failure(let error) = answer { log("request", to: request.url, error) }
        return answer
    }

    /// Hands a mail over to a server that the operator named; returns once the server has taken it for all of `to`.
    /// The message is complete, with its header; lone line feeds become line ends of mail.
    package func deliver(
        _ message: [UInt8], from: String, to: [String], through server: SMTPServer, seconds: Double = 30
    ) async throws(OutgoingError) {
        try server.check()
        for address in [from] + to {
            guard SMTPServer.canBeSent(address) else { throw .badRequest("a mail address cannot be written so") }
        }
        guard !to.isEmpty else { throw .badRequest("a mail to nobody") }
        let (policy, authorities) = (policy, authorities)
        let message = SMTPServer.lines(of: message)
        let outcome = await traced(to: server) {
            await threads.run { cancellation in
                Result { () throws(OutgoingError) in
                    let transfer = try Transfer(policy: policy, cancellation: cancellation)
                    if let authorities { try transfer.set(CURLOPT_CAINFO, authorities) }
                    try transfer.deliver(message, from: from, to: to, through: server, seconds: seconds)
                }
            }
        }
        if case .failure(let error) = outcome { log("mail", to: server.url, error) }
        try outcome.get()
    }

    /// Only where it went: paths and queries of other people's addresses may be secrets.
    private func log(_ what: String, to url: String, _ error: OutgoingError) {
        logger.debug(
            "an outgoing \(what) failed",
            metadata: ["server": "\(OutgoingRequest.host(of: url))", "reason": "\(error)"])
    }
}

extension OutgoingRequest {
    /// Host and port of an address: what may be told of it.
    static func host(of url: String) -> String {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return parts.count > 2 ? parts[2].split(separator: "@").last.map(String.init) ?? "" : ""
    }

    /// Whether it can be written on the wire as it is meant; curl would let line ends through.
    fileprivate func check() throws(OutgoingError) {
        guard url.hasPrefix("https://") || url.hasPrefix("http://") else {
            throw .badRequest("the address is not of http or https")
        }
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .badRequest("the address has characters that must be percent-encoded")
        }
        guard !method.isEmpty, method.utf8.allSatisfy(\.isTokenByte) else { throw .badRequest("the method") }
        for (name, value) in fields {
            guard !name.isEmpty, name.utf8.allSatisfy(\.isTokenByte),
                value.utf8.allSatisfy({ ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 })
            else { throw .badRequest("the field '\(name)'") }
        }
        guard maximumAnswerBytes >= 0, seconds > 0 else { throw .badRequest("the limits") }
    }

    fileprivate var lines: [String] {
        var lines = fields.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
        let names = Set(fields.map { $0.name.lowercased() })
        // What curl would add by itself.
        for name in ["Expect", "Content-Type"] where !names.contains(name.lowercased()) { lines.append("\(name):") }
        if !names.contains("user-agent") { lines.append("User-Agent: sheetmarket") }
        return lines
    }
}

extension UInt8 {
    /// RFC 9110, section 5.6.2.
    fileprivate var isTokenByte: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(self)
        }
    }
}

extension Transfer {
    fileprivate func answer(to request: OutgoingRequest) throws(OutgoingError) -> OutgoingAnswer {
        try set(CURLOPT_PROTOCOLS_STR, "http,https")
        try set(CURLOPT_URL, request.url)
        try limit(
            seconds: request.seconds, bodyBytes: request.maximumAnswerBytes, cutsLongBody: request.cutsLongAnswer)
        if !request.body.isEmpty || ["POST", "PUT", "PATCH"].contains(request.method) {
            try set(CURLOPT_POST, 1)
            try set(body: request.body)
        }
        if request.method == "HEAD" {
            try set(CURLOPT_NOBODY, 1)
        } else {
            try set(CURLOPT_CUSTOMREQUEST, request.method)
        }
        try set(CURLOPT_HTTPHEADER, list: request.lines)
        let status = try perform()
        return OutgoingAnswer(status: status, fields: fields, body: body)
    }

    fileprivate func deliver(
        _ message: [UInt8], from: String, to: [String], through server: SMTPServer, seconds: Double
    ) throws(OutgoingError) {
        try set(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
        try set(CURLOPT_URL, server.url)
        try set(CURLOPT_USE_SSL, Int(server.requiresTLS ? CURLUSESSL_ALL.rawValue : CURLUSESSL_NONE.rawValue))
        if let user = server.user {
            try set(CURLOPT_USERNAME, user)
            try set(CURLOPT_PASSWORD, server.password ?? "")
        }
        try limit(seconds: seconds, bodyBytes: 64 << 10, cutsLongBody: false)
        try set(CURLOPT_MAIL_FROM, "<\(from)>")
        try set(CURLOPT_MAIL_RCPT, list: to.map { "<\($0)>" })
        try set(mail: message)
        _ = try perform()
    }
}
