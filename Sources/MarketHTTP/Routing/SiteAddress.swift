// SPDX-License-Identifier: Apache-2.0
import Hummingbird

/// Where people reach the market, as answers name it: `https://sheets.example.org`, without a path.
package struct SiteAddress: Sendable, Equatable {
    /// As it stands before a path.
    package let text: String
    /// Tells answers apart that are kept: the name that the caller used, where the operator set none.
    package let variant: String?

    /// Of a market that nothing is known of yet.
    init() {
        text = "http://localhost"
        variant = nil
    }

    /// `publicURL`; without it whatever the caller itself called us by.
    package init(of request: Request, publicURL: String?) {
        if let publicURL {
            text = publicURL
            variant = nil
        } else {
            let authority = request.head.authority.flatMap { Self.isPlain($0) ? $0 : nil } ?? "localhost"
            text = "http://\(authority)"
            variant = authority
        }
    }

    /// Whether it is a host and perhaps a port, and nothing that means something in a page or in a shell.
    private static func isPlain(_ authority: String) -> Bool {
        (1...255).contains(authority.utf8.count)
            && authority.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: ":"),
                    UInt8(ascii: "["), UInt8(ascii: "]"):
                    true
                default: false
                }
            }
    }
}
