// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import NIOCore
import SheetCore

/// The picture that stands for a template without pages: what lists show where a sheet has its first page.
package enum KindPlaceholder {
    /// Answers with the picture.
    package static func response(to request: Request, of kind: TemplateKind) -> Response {
        request.conditionalResponse(
            ByteBuffer(string: picture(of: kind)),
            headers: [
                .contentType: "image/svg+xml", .cacheControl: "public, max-age=3600",
                .contentSecurityPolicy: "sandbox; default-src 'none'; style-src 'unsafe-inline'",
            ])
    }

    /// Contains nothing that users wrote.
    private static func picture(of kind: TemplateKind) -> String {
        let drawing =
            switch kind {
            case .skillLibrary:
                "<path d='M110 150h140M110 190h140M110 230h90'/><circle cx='84' cy='150' r='6'/>"
                    + "<circle cx='84' cy='190' r='6'/><circle cx='84' cy='230' r='6'/>"
            case .regionPreset:
                "<rect x='80' y='130' width='90' height='60'/><rect x='190' y='130' width='90' height='130'/>"
                    + "<rect x='80' y='210' width='90' height='50'/>"
            case .vocabulary: "<path d='M90 250 150 120l60 130M112 205h76M235 150h50M235 190h50M235 230h50'/>"
            default: "<path d='M100 140h160M100 180h160M100 220h110'/>"
            }
        return """
            <svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 360 466' width='360' height='466'>\
            <rect width='360' height='466' fill='#f4efe6'/>\
            <g fill='none' stroke='#6b5b45' stroke-width='6' stroke-linecap='round' stroke-linejoin='round'>\
            \(drawing)</g>\
            <text x='180' y='350' text-anchor='middle' font-family='sans-serif' font-size='28' fill='#4a3f30'>\
            \(known(kind))</text></svg>
            """
    }

    private static func known(_ kind: TemplateKind) -> String {
        TemplateKind.known.contains(kind) ? kind.title : "Template"
    }
}
