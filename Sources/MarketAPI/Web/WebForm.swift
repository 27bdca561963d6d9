// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketWire
import NIOCore
import NIOFoundationCompat
import Postgres
import SheetCore

extension Request {
    /// Largest body of nearly every page's form without a file, in bytes.
    static let maximumFormBytes = 256 << 10

    /// The fields of a form (`application/x-www-form-urlencoded`) of at most so many bytes. They are written like a query,
    /// and are read like one.
    func form(upTo limit: Int = Request.maximumFormBytes) async throws -> QueryParameters {
        let type = headers[.contentType]?.lowercased() ?? ""
        guard type.isEmpty || type.hasPrefix("application/x-www-form-urlencoded") else {
            throw APIError(.unsupportedMediaType, .unsupportedMediaType, "Send the form from its page.")
        }
        return QueryParameters(String(buffer: try await body.collect(upTo: limit)))
    }

    /// The field of a form that may be sent once only, with a word that no other form holds.
    static let onceField = "once"

    /// Names the sending of a form that has such a field; `nil` for any other. Reads the body, which can be read again then,
    /// and throws where it is larger than that.
    mutating func formKey() async throws -> ReplayKey? {
        guard headers[.contentType]?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true else {
            return nil
        }
        let bytes = try await body.collect(upTo: Self.maximumFormBytes)
        body = RequestBody(buffer: bytes)
        let text = String(buffer: bytes)
        // Most forms have none, and are parsed by their handlers alone.
        guard text.utf8.contains("\(Self.onceField)=".utf8), let word = QueryParameters(text)[Self.onceField],
            (16...ReplayKey.maximumLength).contains(word.utf8.count)
        else { return nil }
        return ReplayKey(form: Data(buffer: bytes), to: uri.string)
    }
}

/// Marks a browser that a form has led to a page whose address says what was done, in `done`, so that the page says it to
/// whoever was led there, and to nobody who was given the address.
struct ArrivalCookie: Sendable {
    /// For how long loading the page again says it again.
    private static let seconds = 300

    private let cookie: SecretCookie

    init(limits: MarketLimits) {
        cookie = SecretCookie("sheetmarket_done", limits: limits)
    }

    /// What the address says was done, when the browser was led there.
    func done(by request: Request) -> String? {
        guard request.method.isSafe, request.headers[.cookie]?.contains(cookie.name) == true,
            let done = request.query("done"),
            request.cookies[cookie.name]?.value == Self.mark(of: request.uri.string)
        else { return nil }
        return done
    }

    /// Marks the browser, where the answer leads it to such an address.
    func mark(_ response: inout Response) {
        guard response.status == .seeOther, let location = response.headers[.location] else { return }
        let address = String(location.prefix { $0 != "#" })
        let query = address.split(separator: "?", maxSplits: 1).dropFirst().first.map(String.init)
        guard QueryParameters(query)["done"] != nil else { return }
        let line = cookie.line(Self.mark(of: address), maximumAge: Self.seconds)
        response.headers.append(HTTPField(name: .setCookie, value: line))
    }

    /// The page's address, in characters that a cookie takes. It is no secret, and proves nothing to anybody else.
    private static func mark(of address: String) -> String { ContentHash(hashing: Data(address.utf8)).hex }
}

/// What was wrong with a form that was sent, for the form to be shown again.
struct FormProblem: Sendable {
    /// The answer's status.
    let status: HTTPResponse.Status
    /// The stable word.
    let code: ErrorCode
    /// Further header fields.
    let headers: HTTPFields
    /// What to say above the form.
    let summary: String
    /// What is wrong with each field, by its name.
    let mistakes: [String: String]

    /// Takes what the caller can mend; throws anything else on.
    init(_ error: any Error) throws {
        let (mapped, isFault) = APIError.mapping(error)
        let elsewhere: Set<ErrorCode> = [
            .crossSite, .authenticationRequired, .confirmationRequired, .secondFactorEnrolmentRequired,
        ]
        if isFault || elsewhere.contains(mapped.code) { throw error }
        // Nothing was made: whatever the page that shows the form again writes, the form can be sent again.
        PostgresCommitHook.setAside()
        status = mapped.status
        code = mapped.code
        headers = mapped.headers
        var mistakes: [String: String] = [:]
        for fault in mapped.errors {
            // `/tags/2` belongs to the field `tags`.
            let name = String(fault.pointer.split(separator: "/").first ?? "")
            mistakes[name] = [mistakes[name], fault.detail].compactMap { $0 }.joined(separator: " ")
        }
        self.mistakes = mistakes
        let isAboutFields = mapped.status == .unprocessableContent && !mistakes.isEmpty
        summary =
            isAboutFields
            ? (mistakes.count == 1 ? "One field needs another look." : "\(mistakes.count) fields need another look.")
            : mapped.detail ?? mapped.status.reasonPhrase
    }
}

/// Where a form leads back to. Only addresses of this site: `next` must not send anybody elsewhere.
struct ReturnPath: Equatable, Sendable {
    /// An absolute path, perhaps with a query.
    let text: String

    /// The front page for anything that is no plain path of ours.
    init(_ text: String?) {
        self.text = text.flatMap { Self.isOwn($0) ? $0 : nil } ?? "/"
    }

    /// Browsers take `//host` and `/\host` for another site, and drop control characters before they look.
    private static func isOwn(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count <= 2048, bytes.first == UInt8(ascii: "/") else { return false }
        guard bytes.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }) else { return false }
        return bytes.count == 1 || bytes[1] != UInt8(ascii: "/")
    }
}

/// An address with a query, encoded.
struct PageAddress {
    private let path: String
    private var items: [(name: String, value: String)] = []

    init(_ path: String) {
        self.path = path
    }

    /// With one more parameter, unless `value` is empty.
    func with(_ name: String, _ value: String?) -> PageAddress {
        guard let value, !value.isEmpty else { return self }
        var longer = self
        longer.items.append((name, value))
        return longer
    }

    /// As it stands in a link.
    var text: String {
        guard !items.isEmpty else { return path }
        return path + "?" + items.map { "\($0.name)=\(Self.encoded($0.value))" }.joined(separator: "&")
    }

    /// What needs no encoding in a query either.
    private static let plain = CharacterSet.unreserved.union(CharacterSet(charactersIn: "/:"))

    private static func encoded(_ value: String) -> String {
        value.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    }
}

/// A line of a menu.
struct Choice: Sendable {
    var value: String
    var label: String
    var isSelected = false
}
