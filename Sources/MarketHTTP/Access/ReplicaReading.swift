// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Postgres

/// Which calls read from replicas of the database, and from how far on: nobody misses what they have just written.
///
/// An answer to a change says how far the primary had got, in the field `Read-After` and, for browsers, in a cookie that
/// holds until every replica must be as far. A later read with it is answered by a replica that is, or by the primary.
package struct ReplicaReading: Sendable {
    private let database: PostgresClient
    private let replicas: PostgresReplicas
    private let cookie: SecretCookie

    /// `nil` where there are no replicas.
    package init?(_ database: PostgresClient, isSecure: Bool) {
        guard let replicas = database.replicas else { return nil }
        self.database = database
        self.replicas = replicas
        cookie = SecretCookie("sheetmarket_read_after", isSecure: isSecure)
    }

    /// The handler of a route that may lag, reading from where the caller may.
    func wrapping(_ handler: @escaping RouteHandler) -> RouteHandler {
        { request, context in
            guard let reads = reads(of: request, context.identity) else { return try await handler(request, context) }
            return try await ReplicaReads.$current.withValue(reads) { try await handler(request, context) }
        }
    }

    /// `nil` reads from the primary.
    private func reads(of request: Request, _ identity: Identity?) -> ReplicaReads? {
        if let text = request.headers[.readAfter] {
            return ReplicaReads(from: LogPosition(text) ?? .unreachable)
        }
        // A program that does not say what it has written may have written just now.
        if case .token = identity?.credential { return nil }
        guard request.headers[.cookie]?.contains(cookie.name) == true, let kept = request.cookies[cookie.name] else {
            return ReplicaReads()
        }
        return ReplicaReads(from: Self.position(kept.value) ?? .unreachable)
    }

    /// Tells the caller of a change from where on to read.
    func mark(_ response: inout Response, _ identity: Identity?, logger: Logger) async {
        var position = LogPosition.unreachable
        do {
            position = try await replicas.position()
        } catch {
            // The change is made. Where it stands in the log is unknown: its author reads from the primary.
            logger.warning("the primary does not tell its position", metadata: ["error": "\(error)"])
        }
        response.headers[.readAfter] = position.description
        if case .token = identity?.credential { return }
        // By then whatever is read from has the change, or is not read from.
        let seconds = Int(replicas.bound / .seconds(1)) + 5
        let line = cookie.line(Self.text(position), maximumAge: seconds)
        response.headers.append(HTTPField(name: .setCookie, value: line))
    }

    /// A cookie's value takes no slash in some clients.
    private static func text(_ position: LogPosition) -> String { position.description.replacing("/", with: "-") }

    private static func position(_ text: String) -> LogPosition? { LogPosition(text.replacing("-", with: "/")) }
}

extension HTTPField.Name {
    /// How far the database had got with a change, and from where on to read.
    package static let readAfter = Self("Read-After") ?? .ifRange
}
