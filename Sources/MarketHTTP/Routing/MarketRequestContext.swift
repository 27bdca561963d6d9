// SPDX-License-Identifier: Apache-2.0
import Foundation
import Hummingbird
import Logging
import MarketPlatform
import NIOCore
import SheetCore

/// What is known of a request besides the request itself.
package struct MarketRequestContext: RequestContext {
    /// Hummingbird's own storage.
    package var coreContext: CoreRequestContextStorage
    /// The request's id in answers and logs.
    package var requestID: String = ""
    /// The peer's address, or the client's as a trusted proxy forwards it.
    package var clientAddress: String
    /// Where people reach the market, filled in with the request's id.
    package var site = SiteAddress()
    /// Who is calling; filled in before a route's handler runs.
    package var identity: Identity?
    /// In which language pages answer; filled in likewise.
    package var language = PageLanguage.english
    /// What a form has just done that led the caller to this address, for its page to say; filled in likewise.
    package var done: String?

    /// Begins with what the connection tells.
    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        clientAddress = source.channel.remoteAddress?.ipAddress ?? "unknown"
    }

    /// Has pages answer in `language`, those that know no more than who is calling too.
    package mutating func choose(_ language: PageLanguage) {
        self.language = language
        identity?.language = language
    }

    /// The caller; throws `authentication_required` when nobody is signed in.
    package func requireIdentity() throws(APIError) -> Identity {
        guard let identity else { throw .authenticationRequired }
        return identity
    }

    /// A part of the path, percent-decoded; throws `not_found` when the route has no such part.
    package func path(_ name: String) throws(APIError) -> String {
        guard let text = coreContext.parameters.get(name), !text.isEmpty else { throw .notFound("This address") }
        // Most parts are plain, and Foundation takes its time.
        if !text.utf8.contains(UInt8(ascii: "%")) { return text }
        guard let value = text.removingPercentEncoding, !value.isEmpty else { throw .notFound("This address") }
        return value
    }
}
