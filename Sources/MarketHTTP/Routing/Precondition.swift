// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketWire

/// What must hold of a thing for it to be changed (RFC 9110, section 13.1): `If-Match`, or `If-None-Match: *`. It is
/// looked at in the transaction that changes the thing, once nobody else can.
///
/// The tags of things that can be edited have two parts: the state of what can be edited, and the bytes of the answer,
/// which also tells how often something was downloaded. A condition on a change is about the former: the parts before
/// the first hyphen are compared, strongly.
package struct Precondition: Sendable {
    private enum Wanted {
        case nothing
        /// There must be something.
        case anything
        case states([Substring])
    }

    private let wanted: Wanted
    private let mustBeNew: Bool

    /// Nothing must hold.
    package static let none = Precondition()

    private init() {
        wanted = .nothing
        mustBeNew = false
    }

    /// That a thing is still in the state that its form was made of; `nil` where there must be no such thing yet.
    package init(unchangedSince state: String?) {
        wanted = state.map { Wanted.states([$0[...]]) } ?? .nothing
        mustBeNew = state == nil
    }

    /// What a request wants.
    package init(_ request: Request) {
        mustBeNew = request.headers[.ifNoneMatch]?[...].trimmed == "*"
        guard let field = request.headers[.ifMatch] else {
            wanted = .nothing
            return
        }
        if field[...].trimmed == "*" {
            wanted = .anything
            return
        }
        // Weak tags never match here, and neither does a malformed tag.
        wanted = .states(
            field.split(separator: ",").compactMap { item -> Substring? in
                let item = item.trimmed
                guard item.count >= 2, item.hasPrefix("\""), item.hasSuffix("\"") else { return nil }
                return item.dropFirst().dropLast().prefix { $0 != "-" }
            })
    }

    /// Whether anything must hold.
    package var isSet: Bool {
        if case .nothing = wanted { mustBeNew } else { true }
    }

    /// Throws `precondition_failed` unless the resource in this state satisfies it; `nil` means that there is no such
    /// resource.
    package func check(_ state: String?) throws(APIError) {
        try check(state, exists: state != nil)
    }

    /// The same where a part of the thing is meant, which may be missing.
    package func check(_ state: String?, exists: Bool) throws(APIError) {
        if mustBeNew && exists { throw Self.failed("It exists already.") }
        switch wanted {
        case .nothing: return
        case .anything:
            if !exists { throw Self.failed("It does not exist.") }
        case .states(let states):
            guard let state, states.contains(where: { $0 == state }) else {
                throw Self.failed("It has changed since you read it. Read it again, and send its present ETag.")
            }
        }
    }

    private static func failed(_ detail: String) -> APIError {
        APIError(.preconditionFailed, .preconditionFailed, detail)
    }
}

extension Substring {
    /// Without blanks around it.
    fileprivate var trimmed: Substring {
        var text = drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
