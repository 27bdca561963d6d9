// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Logging
import MarketHTTP
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

/// The second line of the audit log: a call that needs a moderator or an administrator and changes something leaves an
/// entry, even where its code path forgot to write one in its transaction.
package struct AuditTrail: Sendable {
    /// How long a call may take between its entry and its end, in seconds.
    private static let longestCall = 3600.0

    package let platform: Platform

    package init(platform: Platform) {
        self.platform = platform
    }

    /// Called after each call that went well.
    package func record(_ identity: Identity, _ route: RouteDescription, _ path: String, _ requestID: String) async {
        guard route.access.role > .user, !route.method.isSafe, !route.path.hasSuffix("/claim") else { return }
        let now = platform.now()
        do {
            let hasEntry = try await AuditStore.hasEntry(
                requestID, by: identity.userID, since: now.addingTimeInterval(-Self.longestCall), platform.database)
            if hasEntry { return }
            try await platform.database.withTransaction { connection in
                try await AuditLog.append(
                    connection, actor: AuditActor(identity), action: "api.called",
                    subject: "route:\(route.method.rawValue) \(route.path)",
                    details: ["path": String(path.prefix(500))], requestID: requestID, at: now)
            }
        } catch {
            platform.logger.error(
                "an act was done and is not in the audit log",
                metadata: [
                    "route": "\(route.method.rawValue) \(route.path)", "user": "\(identity.userID)",
                    "request_id": "\(requestID)", "error": "\(String(reflecting: error))",
                ])
        }
    }
}
