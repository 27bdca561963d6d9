// SPDX-License-Identifier: Apache-2.0

/// A request to somebody else's server.
package struct OutgoingRequest: Sendable {
    /// `http` or `https`, absolute.
    package var url: String
    /// `GET`, `POST`, …
    package var method: String
    /// Fields in order.
    package var fields: [(name: String, value: String)]
    /// The body; empty for none.
    package var body: [UInt8]
    /// Most seconds for all of it, name lookup included.
    package var seconds: Double
    /// Largest answer that is taken, in bytes.
    package var maximumAnswerBytes: Int
    /// Whether a larger answer is cut off there; otherwise it is an error.
    package var cutsLongAnswer: Bool

    package init(
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
package struct OutgoingAnswer: Sendable {
    /// The status (RFC 9110, section 15). Redirects are not followed: whoever asks decides.
    package let status: Int
    /// Fields in order, names in lower case.
    package let fields: [(name: String, value: String)]
    package let body: [UInt8]

    package init(status: Int, fields: [(name: String, value: String)], body: [UInt8]) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}
