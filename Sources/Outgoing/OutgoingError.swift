// SPDX-License-Identifier: Apache-2.0

/// Why another server could not be asked, or gave no answer that can be used.
package enum OutgoingError: Error, Sendable, Equatable {
    /// The address is no absolute `http` or `https` one, or another part of the request cannot be sent.
    case badRequest(String)
    /// The name leads only to addresses that may not be connected to.
    case addressRefused
    /// The name leads nowhere.
    case nameNotFound
    /// Nobody takes the connection.
    case notConnected
    /// The server's certificate is not one to trust, or TLS failed otherwise.
    case notSecure(String)
    /// The time ran out.
    case timedOut
    /// The answer has more bytes than were asked for.
    case answerTooLarge
    /// What came is no answer, or broke off.
    case brokenAnswer(String)
    /// The mail server said no, with this reply code (RFC 5321, section 4.2).
    case mailRefused(Int)
    /// Whoever asked does not want it any more.
    case cancelled
    /// Too many requests wait already.
    case busy

    /// Whether the same may go well later.
    package var isTransient: Bool {
        switch self {
        case .badRequest, .addressRefused, .answerTooLarge, .cancelled: false
        case .nameNotFound, .notConnected, .notSecure, .timedOut, .brokenAnswer, .busy: true
        case .mailRefused(let code): code < 500
        }
    }
}

extension OutgoingError: CustomStringConvertible {
    /// A sentence without anything secret.
    package var description: String {
        switch self {
        case .badRequest(let what): "The request cannot be sent: \(what)."
        case .addressRefused: "The address leads into a private or reserved network."
        case .nameNotFound: "The server's name is not known."
        case .notConnected: "No connection to the server."
        case .notSecure(let what): "No secure connection: \(what)."
        case .timedOut: "The server took too long."
        case .answerTooLarge: "The answer is too large."
        case .brokenAnswer(let what): "The answer cannot be used: \(what)."
        case .mailRefused(let code): "The mail server refused with \(code)."
        case .cancelled: "Cancelled."
        case .busy: "Too many requests to other servers are waiting."
        }
    }
}
