// SPDX-License-Identifier: Apache-2.0

/// A server that takes mail and brings it on its way, named by the operator.
package struct SMTPServer: Sendable {
    /// `smtp://host:port`, or `smtps://host:port` for TLS from the first byte.
    package var url: String
    /// Who signs in; nil for a server that asks nobody.
    package var user: String?
    /// With which password.
    package var password: String?
    /// Whether nothing is sent, the password neither, before STARTTLS (RFC 3207) has made the connection a secure one.
    /// Without it an `smtp` connection stays as it is: for a relay on the same machine.
    package var requiresTLS: Bool

    package init(url: String, user: String? = nil, password: String? = nil, requiresTLS: Bool = true) {
        self.url = url
        self.user = user
        self.password = password
        self.requiresTLS = requiresTLS
    }

    func check() throws(OutgoingError) {
        guard url.hasPrefix("smtp://") || url.hasPrefix("smtps://"),
            url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { throw .badRequest("the mail server's address is not of smtp or smtps") }
    }

    /// Whether an address can stand in a command of SMTP without becoming something else.
    static func canBeSent(_ address: String) -> Bool {
        (3...254).contains(address.utf8.count) && address.contains("@")
            && address.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">") }
    }

    /// The message with CR LF at the end of each line, whatever stood there.
    static func lines(of message: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(message.count + message.count / 32)
        var previous: UInt8 = 0
        for byte in message {
            if byte == 0x0A, previous != 0x0D { result.append(0x0D) }
            if byte != 0x0A, previous == 0x0D { result.append(0x0A) }
            result.append(byte)
            previous = byte
        }
        if previous == 0x0D { result.append(0x0A) }
        return result
    }
}
