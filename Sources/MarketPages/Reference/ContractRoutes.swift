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
        let book: ReferencePages.Book
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
        ReferencePages(pages: pages) { [self] in try contract(all).book }.register(on: routes.webPages)
    }

    private func contract(_ routes: () -> [RouteDescription]) throws -> Made {
        try made.withLock { kept in
            if let kept { return kept }
            let contract = APIContract(pages.contract, routes: routes())
            let reference = ReferenceView(contract)
            let made = Made(
                json: try .json(contract.document),
                book: ReferencePages.Book(
                    reference: reference,
                    problems: ProblemReference(pages.contract.problems, groups: reference.groups)))
            kept = made
            return made
        }
    }
}
