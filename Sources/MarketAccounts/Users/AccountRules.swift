// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire

/// What an account's parts must look like. Everything that is wrong is said at once.
package enum AccountRules {
    /// What the handles of erased accounts begin with; nobody else can have such a one.
    package static let erasedHandlePrefix = "former-"

    static let handleLengths = 3...32
    static let passwordLengths = 10...256
    static let maximumDisplayName = 80
    static let maximumTokenName = 80
    static let tokenDays = 1...366
    package static let defaultTokenDays = 90
    /// Templates that a token can be limited to.
    static let tokenTemplates = 1...50
    /// What a token for named templates can carry: anything else is not about templates.
    static let limitedScopes: Set<TokenScope> = [.read, .templatesWrite]

    /// Words that would pass for the service, its staff, or a part of its addresses.
    static let reservedHandles: Set<String> = [
        "about", "abuse", "account", "accounts", "admin", "administrator", "admins", "anonymous", "api", "assets",
        "auth",
        "billing", "contact", "deleted", "everyone", "healthz", "help", "hostmaster", "info", "legal", "login",
        "logout",
        "mail", "me", "metrics", "mine", "moderation", "moderator", "moderators", "new", "nobody", "null", "official",
        "owner", "postmaster", "privacy", "readyz", "register", "root", "security", "settings", "sheetmarket", "staff",
        "static", "status", "support", "system", "team", "terms", "trust", "undefined", "webmaster",
    ]

    /// What is wrong with a registration.
    package static func validationErrors(in request: RegisterRequest, emailRequired: Bool = false) -> [ProblemDocument
        .Detail]
    {
        var validationErrors: [ProblemDocument.Detail] = []
        func reject(_ pointer: String, _ detail: String) {
            validationErrors.append(.init(pointer: pointer, detail: detail))
        }
        if !isHandle(request.handle) {
            reject(
                "/handle", "3 to 32 lower-case letters, digits and single hyphens, beginning and ending without one.")
        } else if reservedHandles.contains(request.handle) || request.handle.hasPrefix(erasedHandlePrefix) {
            reject("/handle", "This name is kept for the service itself. Choose another.")
        }
        if let email = request.email {
            if !isUsableEmail(email) { reject("/email", "An e-mail address such as ada@example.org.") }
        } else if emailRequired {
            reject("/email", "This market needs an e-mail address, such as ada@example.org.")
        }
        validationErrors += passwordErrors(request.password, handle: request.handle, email: request.email)
        if let name = request.displayName, !isPlainLine(name, maximum: maximumDisplayName) {
            reject("/displayName", "1 to 80 characters on one line.")
        }
        return validationErrors
    }

    /// What is wrong with a password.
    static func passwordErrors(_ password: String, handle: String, email: String?) -> [ProblemDocument.Detail] {
        if !passwordLengths.contains(password.count) {
            return [
                .init(
                    pointer: "/password",
                    detail: "10 to 256 characters; several words are easier to remember than one with symbols.")
            ]
        }
        if [handle, email].contains(where: { $0?.lowercased() == password.lowercased() }) {
            return [
                .init(pointer: "/password", detail: "The password must not be the name or the e-mail address.")
            ]
        }
        return []
    }

    /// What is wrong with a change of an account.
    package static func validationErrors(in edit: AccountEdit, languages: [String]) -> [ProblemDocument.Detail] {
        var validationErrors: [ProblemDocument.Detail] = []
        if let name = edit.displayName, !isPlainLine(name, maximum: maximumDisplayName) {
            validationErrors.append(.init(pointer: "/displayName", detail: "1 to 80 characters on one line."))
        }
        if let language = edit.language, !languages.contains(language) {
            validationErrors.append(
                .init(pointer: "/language", detail: "One of: \(languages.joined(separator: ", "))."))
        }
        return validationErrors
    }

    /// Whether an account can have this address. The service's own accounts have addresses that can never exist
    /// (RFC 2606); nobody else may take one.
    static func isUsableEmail(_ text: String) -> Bool {
        isEmail(text) && !text.lowercased().hasSuffix(".invalid")
    }

    /// What is wrong with a wish for a token.
    package static func validationErrors(in request: TokenRequest) -> [ProblemDocument.Detail] {
        var validationErrors: [ProblemDocument.Detail] = []
        if !isPlainLine(request.name, maximum: maximumTokenName) {
            validationErrors.append(.init(pointer: "/name", detail: "1 to 80 characters on one line."))
        }
        if request.scopes.isEmpty {
            validationErrors.append(.init(pointer: "/scopes", detail: "At least one of: \(scopeList)."))
        }
        for (index, scope) in request.scopes.enumerated() where !TokenScope.all.contains(scope) {
            validationErrors.append(
                .init(pointer: "/scopes/\(index)", detail: "There is no such scope; there are: \(scopeList)."))
        }
        if let templates = request.templates {
            if !tokenTemplates.contains(templates.count) {
                validationErrors.append(
                    .init(pointer: "/templates", detail: "1 to 50 slugs or ids, or none at all for all templates."))
            }
            for (index, scope) in request.scopes.enumerated() where !limitedScopes.contains(scope) {
                validationErrors.append(
                    .init(
                        pointer: "/scopes/\(index)",
                        detail: "A token for named templates takes the scopes read and templates:write."))
            }
        }
        if let days = request.expiresInDays, !tokenDays.contains(days) {
            validationErrors.append(.init(pointer: "/expiresInDays", detail: "A whole number of days from 1 to 366."))
        }
        return validationErrors
    }

    private static let scopeList = TokenScope.all.map(\.rawValue).joined(separator: ", ")

    /// Whether `text` is a name as accounts have them; reserved ones are.
    package static func isHandle(_ text: String) -> Bool {
        handleLengths.contains(text.utf8.count) && !text.hasPrefix("-") && !text.hasSuffix("-") && !text.contains("--")
            && text.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
    }

    /// Whether `text` can be an address: what HTML's e-mail fields take, with a dot in the domain. Only an e-mail that
    /// arrives proves more.
    package static func isEmail(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard text.utf8.count <= 254, parts.count == 2, (1...64).contains(parts[0].utf8.count) else { return false }
        let marks = Set(".!#$%&'*+/=?^_`{|}~-".utf8)
        func isAlphanumeric(_ byte: UInt8) -> Bool {
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
        }
        let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        return parts[0].utf8.allSatisfy { isAlphanumeric($0) || marks.contains($0) } && labels.count >= 2
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
                    && label.utf8.allSatisfy { isAlphanumeric($0) || $0 == 45 }
            }
    }

    private static func isPlainLine(_ text: String, maximum: Int) -> Bool {
        let hidden: Set<Unicode.GeneralCategory> = [.control, .format, .lineSeparator, .paragraphSeparator, .surrogate]
        return text.count <= maximum && text.contains { !$0.isWhitespace }
            && !text.unicodeScalars.contains { hidden.contains($0.properties.generalCategory) }
    }
}
