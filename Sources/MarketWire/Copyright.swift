// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// `POST /copyright/notices`: all that 17 U.S.C. § 512(c)(3)(A) asks for.
public struct CopyrightNoticeRequest: Sendable, Codable, Equatable {
    /// A template, or one of its versions.
    public var subject: ReportSubject
    /// The sender's name.
    public var name: String
    /// Where to write to.
    public var email: String
    /// Postal address.
    public var address: String
    /// Telephone number.
    public var phone: String
    /// Which work is infringed.
    public var work: String
    /// Why this is it.
    public var explanation: String
    /// The claimant believes in good faith that the use is not allowed by the owner, its agent, or the law.
    public var inGoodFaith: Bool
    /// The notice is accurate, and, under penalty of perjury, by the owner or somebody who may act for them.
    public var underPenaltyOfPerjury: Bool
    /// The name, typed as a signature.
    public var signature: String

    public init(
        subject: ReportSubject, name: String, email: String, address: String, phone: String, work: String,
        explanation: String, inGoodFaith: Bool, underPenaltyOfPerjury: Bool, signature: String
    ) {
        self.subject = subject
        self.name = name
        self.email = email
        self.address = address
        self.phone = phone
        self.work = work
        self.explanation = explanation
        self.inGoodFaith = inGoodFaith
        self.underPenaltyOfPerjury = underPenaltyOfPerjury
        self.signature = signature
    }
}

/// `POST /copyright/notices/{id}/counter-notice`: all that 17 U.S.C. § 512(g)(3) asks for.
public struct CounterNoticeRequest: Sendable, Codable, Equatable {
    /// The sender's name.
    public var name: String
    /// Postal address.
    public var address: String
    /// Telephone number.
    public var phone: String
    /// Why the work was taken down by mistake.
    public var explanation: String
    /// Under penalty of perjury, a good-faith belief that it was taken down by mistake or misidentification.
    public var underPenaltyOfPerjury: Bool
    /// Consents to the court's jurisdiction, and accepts service of process from the claimant.
    public var consentsToJurisdiction: Bool
    /// The name, typed as a signature.
    public var signature: String

    public init(
        name: String, address: String, phone: String, explanation: String, underPenaltyOfPerjury: Bool,
        consentsToJurisdiction: Bool, signature: String
    ) {
        self.name = name
        self.address = address
        self.phone = phone
        self.explanation = explanation
        self.underPenaltyOfPerjury = underPenaltyOfPerjury
        self.consentsToJurisdiction = consentsToJurisdiction
        self.signature = signature
    }
}

/// `POST /copyright/notices/{id}/decision`.
public struct CopyrightDecisionRequest: Sendable, Codable, Equatable {
    /// `accept` or `reject` a new notice; `suit`: the claimant told of an action in court; `withdraw`: took it back.
    public var decision: String
    /// Why, for both sides.
    public var message: String

    public init(decision: String, message: String) {
        self.decision = decision
        self.message = message
    }
}

/// A notice as those see it whom it concerns. Addresses are for moderators, and for the other side once the law hands
/// them over.
public struct CopyrightNotice: Sendable, Codable, Equatable {
    /// Somebody's address.
    public struct Contact: Sendable, Codable, Equatable {
        /// Where to write to.
        public var email: String?
        /// Postal address.
        public var address: String
        /// Telephone number.
        public var phone: String

        public init(email: String?, address: String, phone: String) {
            self.email = email
            self.address = address
            self.phone = phone
        }
    }

    /// The author's answer.
    public struct Counter: Sendable, Codable, Equatable {
        /// The sender's name.
        public var name: String
        /// Why, in the sender's words.
        public var explanation: String
        /// When it came in.
        public var receivedAt: Date
        /// Not before this moment the work is put back, unless the claimant goes to court.
        public var restoreFrom: Date
        /// Not after this moment.
        public var restoreBy: Date
        /// Who sent it; not for moderators who are an author of the work.
        public var contact: Contact?

        public init(
            name: String, explanation: String, receivedAt: Date, restoreFrom: Date, restoreBy: Date, contact: Contact?
        ) {
            self.name = name
            self.explanation = explanation
            self.receivedAt = receivedAt
            self.restoreFrom = restoreFrom
            self.restoreBy = restoreBy
            self.contact = contact
        }
    }

    /// Its identifier.
    public var id: CopyrightNoticeID
    /// What it is about.
    public var subject: ReportSubject
    /// `received`, `taken_down`, `countered`, `suit_filed`, `restored`, `rejected` or `withdrawn`.
    public var state: String
    /// Who claims.
    public var name: String
    /// The work that is said to be copied.
    public var work: String
    /// Why, in the sender's words.
    public var explanation: String
    /// When it came in.
    public var receivedAt: Date
    /// When it came to where it stands.
    public var changedAt: Date
    /// What the moderator said last.
    public var message: String?
    /// The answer of who published it, if there is one.
    public var counter: Counter?
    /// Who sent it; for moderators who are no author of the work, and the claimant.
    public var contact: Contact?

    public init(
        id: CopyrightNoticeID, subject: ReportSubject, state: String, name: String, work: String, explanation: String,
        receivedAt: Date, changedAt: Date, message: String?, counter: Counter?, contact: Contact?
    ) {
        self.id = id
        self.subject = subject
        self.state = state
        self.name = name
        self.work = work
        self.explanation = explanation
        self.receivedAt = receivedAt
        self.changedAt = changedAt
        self.message = message
        self.counter = counter
        self.contact = contact
    }
}

/// `GET /copyright/notices`: newest first.
public struct CopyrightNoticeList: Sendable, Codable, Equatable {
    /// The page's notices.
    public var notices: [CopyrightNotice]
    /// Where the next page begins; `nil` on the last.
    @AlwaysWritten public var nextCursor: String?

    public init(notices: [CopyrightNotice], nextCursor: String?) {
        self.notices = notices
        self.nextCursor = nextCursor
    }
}
