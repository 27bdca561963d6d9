// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketWire
import SheetCore

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

// What can be edited of each thing. Two states are the same when everything in them is.

extension TemplateDetail {
    /// What the entry says, whatever version of it is on offer.
    package var editState: String {
        EntityTag.state(
            [
                summary.id.description, summary.slug, summary.name, summary.summary, description, summary.gameSystem,
                summary.author, summary.license, summary.language, deprecation?.message ?? "",
                deprecation?.successor?.id.description ?? "", deprecation == nil ? "" : "deprecated",
            ] + summary.tags)
    }
}

extension VersionDetail {
    /// To whom it is offered, or why no more; not what was uploaded, which stays.
    package var editState: String {
        EntityTag.state([
            sha256.hex, version.description, state.rawValue, yankReason ?? "", yankedBy?.rawValue ?? "",
            channel.rawValue,
        ])
    }
}

extension Review {
    /// What it says, with its reply.
    package var editState: String {
        EntityTag.state([
            id.description, String(stars), text, version.description, String(updatedAt.timeIntervalSince1970),
            reply == nil ? "" : "replied", reply?.author ?? "", reply?.text ?? "",
            reply.map { String($0.updatedAt.timeIntervalSince1970) } ?? "",
        ])
    }
}

extension Webhook {
    /// What its owner says, and whether it is sent anything; not how that goes.
    package var editState: String {
        EntityTag.state(
            [id.description, url, description, isEnabled ? "enabled" : "", disabledReason ?? ""]
                + events.map(\.rawValue))
    }
}
