// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketHTTP
import MarketWire
import SheetCore

extension AuditTrail {
    /// Called after each call that went well (`APIRoutes.AuditHook`).
    package func record(_ identity: Identity, _ route: RouteDescription, _ path: String, _ requestID: String) async {
        guard route.access.role > .user, !route.method.isSafe, !route.path.hasSuffix("/claim") else { return }
        await ensureEntry(
            of: identity, route: "\(route.method.rawValue) \(route.path)", path: path, requestID: requestID)
    }
}
