// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketContract
import MarketHTTP
import MarketWire
import NIOCore
import Synchronization

/// The contract for programs, and the same for people. It is made when it is first asked for, of the finished table of
/// routes, its own among them.
package final class ContractRoutes: Sendable {
    private struct Made: Sendable {
        let json: ByteBuffer
        let reference: ReferenceView
    }

    private let pages: WebPages
    private let made = Mutex<Made?>(nil)

    package init(pages: WebPages) {
        self.pages = pages
    }

    package func register(on routes: APIRoutes) {
        let all = routes.laterDescriptions
        for path in ["/openapi.json", "/api/v1/openapi.json"] {
            routes.get(path, access: .withoutAuthentication) { [self] request, _ in
                request.conditionalResponse(try contract(all).json)
            }
        }
        routes.webPages.get("/docs", access: .optionalAuthentication) { [self] _, context in
            let head = PageHead(
                title: "API reference", viewer: context.identity,
                summary: "Every call of Sheetmarket's API: what goes in, what comes back, and what can go wrong.")
            return try pages.answer(.docs, try contract(all).reference, head: head)
        }
    }

    private func contract(_ routes: () -> [RouteDescription]) throws -> Made {
        try made.withLock { kept in
            if let kept { return kept }
            let contract = APIContract(pages.contract, routes: routes())
            let made = Made(
                json: try .json(contract.document),
                reference: ReferenceView(contract, problems: pages.contract.problems))
            kept = made
            return made
        }
    }
}
