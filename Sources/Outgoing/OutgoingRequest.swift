// SPDX-License-Identifier: Apache-2.0

/// A request to somebody else's server.
public struct OutgoingRequest: Sendable {
    /// `http` or `https`, absolute.
    public var url: String
    /// `GET`, `POST`, …
    public var method: String
    /// Fields in order.
    public var fields: [(name: String, value: String)]
    /// The body; empty for none.
    public var body: [UInt8]
    /// Most seconds for all of it, name lookup included.
    public var seconds: Double
    /// Largest answer that is taken, in bytes.
    public var maximumAnswerBytes: Int
    /// Whether a larger answer is cut off there; otherwise it is an error.
    public var cutsLongAnswer: Bool

    public init(
        url: String, method: String = "GET", fields: [(name: String, value: String)] = [], body: [UInt8] = [],
        seconds: Double = 10, maximumAnswerBytes: Int = 1 << 20,
        cutsLongAnswer: Bool = false
    ) {
        self.url = url
        self.method = method
        self.fields = fields
        self.body = body
        self.seconds = seconds
        self.maximumAnswerBytes = maximumAnswerBytes
        self.cutsLongAnswer = cutsLongAnswer
    }
}

/// What the other server said.
public struct OutgoingAnswer: Sendable {
    /// The status (RFC 9110, section 15). Redirects are not followed: whoever asks decides.
    public let status: Int
    /// Fields in order, names in lower case.
    public let fields: [(name: String, value: String)]
    public let body: [UInt8]

    public init(status: Int, fields: [(name: String, value: String)], body: [UInt8]) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}
