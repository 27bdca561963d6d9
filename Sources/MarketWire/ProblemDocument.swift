// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The body of every error answer: `application/problem+json` (RFC 9457) with a stable code.
public struct ProblemDocument: Error, Sendable, Codable, Equatable {
    /// The media type of such a body.
    public static let mediaType = "application/problem+json"

    /// One thing that is wrong in a request.
    public struct Detail: Sendable, Codable, Equatable {
        /// A JSON pointer (RFC 6901) into the request, or the name of a parameter.
        public var pointer: String
        /// What is wrong and what would be right.
        public var detail: String

        public init(pointer: String, detail: String) {
            self.pointer = pointer
            self.detail = detail
        }
    }

    /// An address that explains the code.
    public var type: String
    /// A short phrase, the same for every occurrence of the code.
    public var title: String
    /// The HTTP status.
    public var status: Int
    /// What happened this time and what to do about it.
    public var detail: String?
    /// The stable word for programs.
    public var code: ErrorCode
    /// What is wrong in the request, one by one.
    public var errors: [Detail]?
    /// Names the request in the server's logs.
    public var requestId: String?
    /// Names the trace that the request is part of, where the server records one.
    public var traceId: String?
    /// With `second_factor_required`: what the second step is begun with.
    public var ticket: String?
    /// Until when it holds, where it ends by itself.
    public var until: Date?
    /// Why a moderator decided so, as a stable word.
    public var reasonCode: String?

    /// All parts; the type is made of the code.
    public init(
        status: Int, code: ErrorCode, title: String, detail: String? = nil, errors: [Detail]? = nil,
        requestId: String? = nil, traceId: String? = nil, ticket: String? = nil, until: Date? = nil,
        reasonCode: String? = nil
    ) {
        self.ticket = ticket
        self.type = "https://sheetmarket.example/problems/\(code.rawValue)"
        self.title = title
        self.status = status
        self.detail = detail
        self.code = code
        self.errors = errors
        self.requestId = requestId
        self.traceId = traceId
        self.until = until
        self.reasonCode = reasonCode
    }
}

/// A stable word for what went wrong. Open: a newer server may know more words than this client.
public struct ErrorCode: RawRepresentable, Hashable, Sendable, Codable {
    /// The word, in snake case.
    public let rawValue: String

    /// Any word, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Something in the request does not hold; `errors` says what.
    public static let validationFailed = Self(rawValue: "validation_failed")
    /// The request cannot be read at all.
    public static let badRequest = Self(rawValue: "bad_request")
    /// The query has a parameter that the call does not know; `errors` names it and the nearest known one.
    public static let unknownParameter = Self(rawValue: "unknown_parameter")
    /// The body is not well-formed JSON of the expected shape.
    public static let badJSON = Self(rawValue: "bad_json")
    /// The body is not well-formed multipart/form-data (RFC 7578).
    public static let badMultipart = Self(rawValue: "bad_multipart")
    /// An upload has no `metadata` part, and no fields in its place.
    public static let missingMetadata = Self(rawValue: "missing_metadata")
    /// An upload has no `file` part.
    public static let missingFile = Self(rawValue: "missing_file")
    /// An upload's file has no bytes.
    public static let emptyFile = Self(rawValue: "empty_file")
    /// An upload's file does not begin like a PDF.
    public static let notAPDF = Self(rawValue: "not_a_pdf")
    /// A version number does not follow Semantic Versioning.
    public static let badVersion = Self(rawValue: "bad_version")
    /// The version exists, or is on its way, for this template.
    public static let versionExists = Self(rawValue: "version_exists")
    /// The slug is, or was, another template's.
    public static let slugTaken = Self(rawValue: "slug_taken")
    /// No game system has this slug.
    public static let unknownGameSystem = Self(rawValue: "unknown_game_system")
    /// The list cursor was not made by this server for this list.
    public static let badCursor = Self(rawValue: "bad_cursor")
    /// Some of what the change feed would go on with is no longer kept.
    public static let cursorExpired = Self(rawValue: "cursor_expired")
    /// The body is larger than the server takes.
    public static let tooLarge = Self(rawValue: "too_large")
    /// The body's media type is not understood here.
    public static let unsupportedMediaType = Self(rawValue: "unsupported_media_type")
    /// Nothing is at this address.
    public static let notFound = Self(rawValue: "not_found")
    /// The address exists, the method does not.
    public static let methodNotAllowed = Self(rawValue: "method_not_allowed")
    /// Nobody is signed in, and the call needs somebody.
    public static let authenticationRequired = Self(rawValue: "authentication_required")
    /// The token is unknown, malformed or revoked.
    public static let invalidToken = Self(rawValue: "invalid_token")
    /// The token's time is over.
    public static let expiredToken = Self(rawValue: "expired_token")
    /// Signed in, but not allowed to do this.
    public static let forbidden = Self(rawValue: "forbidden")
    /// The token does not carry the scope that the call needs.
    public static let insufficientScope = Self(rawValue: "insufficient_scope")
    /// Handle, e-mail or password is wrong.
    public static let invalidCredentials = Self(rawValue: "invalid_credentials")
    /// The handle is somebody's already.
    public static let handleTaken = Self(rawValue: "handle_taken")
    /// The e-mail address has an account already.
    public static let emailTaken = Self(rawValue: "email_taken")
    /// Too many requests; `Retry-After` says when to come back.
    public static let tooManyRequests = Self(rawValue: "too_many_requests")
    /// The request does not fit the thing's present state.
    public static let conflict = Self(rawValue: "conflict")
    /// Authors neither review their own template nor vote on its reviews.
    public static let ownTemplate = Self(rawValue: "own_template")
    /// Nobody votes on their own review.
    public static let ownReview = Self(rawValue: "own_review")
    /// The caller has an open report on this already.
    public static let alreadyReported = Self(rawValue: "already_reported")
    /// Somebody else has claimed the case, or nobody has.
    public static let caseNotClaimed = Self(rawValue: "case_not_claimed")
    /// The case is decided already.
    public static let caseDecided = Self(rawValue: "case_decided")
    /// The decision was appealed before.
    public static let appealedBefore = Self(rawValue: "appealed_before")
    /// A download address whose time is over.
    public static let downloadExpired = Self(rawValue: "download_expired")
    /// A download address that this server did not sign.
    public static let badSignature = Self(rawValue: "bad_signature")
    /// A moderator took this down.
    public static let takenDown = Self(rawValue: "taken_down")
    /// The password was right; the account's second factor is needed too.
    public static let secondFactorRequired = Self(rawValue: "second_factor_required")
    /// The account's role demands a second factor, and it has none yet.
    public static let secondFactorEnrolmentRequired = Self(rawValue: "second_factor_enrolment_required")
    /// The code is not one that the account's second factor shows now, or was used already.
    public static let invalidCode = Self(rawValue: "invalid_code")
    /// The ticket or link was used already, is too old, or was never one.
    public static let invalidLink = Self(rawValue: "invalid_link")
    /// This asks the holder to show once more that it is them.
    public static let confirmationRequired = Self(rawValue: "confirmation_required")
    /// The password is among those that were leaked elsewhere.
    public static let breachedPassword = Self(rawValue: "breached_password")
    /// The form was not sent from this site's own page.
    public static let crossSite = Self(rawValue: "cross_site")
    /// The asked range is not in the file.
    public static let rangeNotSatisfiable = Self(rawValue: "range_not_satisfiable")
    /// Without this identity nobody could sign in to the account any more.
    public static let lastWayIn = Self(rawValue: "last_way_in")
    /// The caller's account is suspended or banned; `until` and `reasonCode` say more.
    public static let suspended = Self(rawValue: "suspended")
    /// Changes are refused for a moment, since calls cannot be counted.
    public static let limitsUnavailable = Self(rawValue: "limits_unavailable")
    /// The `Idempotency-Key` was sent with another call before.
    public static let idempotencyKeyReused = Self(rawValue: "idempotency_key_reused")
    /// The call with this `Idempotency-Key` is under way.
    public static let idempotencyKeyInUse = Self(rawValue: "idempotency_key_in_use")
    /// The call with this `Idempotency-Key` was made, and its answer is not kept.
    public static let idempotencyAnswerNotKept = Self(rawValue: "idempotency_answer_not_kept")
    /// The thing has changed since the caller read it.
    public static let preconditionFailed = Self(rawValue: "precondition_failed")
    /// The server cannot do this now; trying again may help.
    public static let unavailable = Self(rawValue: "unavailable")
    /// A fault of the server; its log has the details under the request's id.
    public static let internalError = Self(rawValue: "internal_error")
}
