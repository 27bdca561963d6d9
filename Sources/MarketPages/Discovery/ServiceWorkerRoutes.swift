// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketPlatform
import NIOCore
import SheetCore

/// The worker that keeps opened sheets readable without a network, and the page that stands for all others then.
struct ServiceWorkerRoutes: Sendable {
    let pages: WebPages

    /// What the worker fetches before anybody is offline: the page for that, and what a sheet's page is made of.
    private static let files = [
        "market.css", "regions.css", "app.js", "offline.js", "regions.js", "copy.js", "icon.svg",
    ]
    /// Those that scripts ask for, without a mark.
    private static let modules = ["zoom-stage.js", "sharp-picture.js", "words.js"]

    func register(on routes: APIRoutes) {
        routes.get("/service-worker.js", access: .withoutAuthentication) { request, _ in
            request.conditionalResponse(
                ByteBuffer(string: try script()),
                headers: [
                    .contentType: "text/javascript; charset=utf-8", .cacheControl: "no-cache",
                    // What the worker itself may do: nothing but ask this market.
                    .contentSecurityPolicy: "default-src 'none'; connect-src 'self'",
                ])
        }
        routes.get("/offline", access: .withoutAuthentication) { _, context in
            try pages.answer(.offline, Empty(), head: Self.head(context.language), headers: [.cacheControl: "no-cache"])
        }
    }

    private static func head(_ language: PageLanguage) -> PageHead {
        PageHead(title: "Offline", scripts: ["offline.js"], language: language)
    }

    private struct Empty: Sendable {}

    /// Changes with every static file and with the page, so that browsers take up the new ones.
    private func script() throws -> String {
        let shown = try PageLanguage.allCases.flatMap {
            Array(buffer: try pages.render(.offline, Empty(), head: Self.head($0)))
        }
        let version = ContentHash(hashing: shown + Array(pages.files.mark.utf8)).hex.prefix(12)
        let addresses = ["/offline"] + Self.files.map(pages.files.address) + Self.modules.map { "/static/\($0)" }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let list = String(decoding: try encoder.encode(addresses), as: UTF8.self)
        return "const version = \"\(version)\";\nconst files = \(list);\n" + pages.files.text("service-worker.js")
    }
}
