// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Where the market's e-mails go, as far as pages tell.
package enum EmailPlace: Sendable, Equatable {
    /// They are sent.
    case sent
    /// They are written into this folder, on the machine that the market runs on.
    case folder(String)
    /// They are kept until the operator says how to send them.
    case kept
}

/// What an operator says of the market as a whole.
package struct SiteSettings: Sendable {
    /// What people call it.
    package var name = "Sheetmarket"
    /// Where people reach the operator: an e-mail address, or an `https:` address.
    package var contact: String?
    /// The operator's own texts: `LANGUAGE/about.md`, `privacy.md` and `terms.md`.
    package var texts: URL?
    /// The players' command, to be handed out; `nil` where there is none to hand out.
    package var clientProgram: URL?
    /// Where e-mails go, for pages that promise one.
    package var emails = EmailPlace.sent

    package init() {}

    /// The contact as an address that a link leads to.
    var contactAddress: String? {
        contact.map { $0.hasPrefix("https://") ? $0 : "mailto:\($0)" }
    }
}
