// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The way of a copyright notice and its counter-notice, with the dates of 17 U.S.C. § 512(c)(3) and (g), and with what
/// Articles 16, 17 and 20 of Regulation (EU) 2022/2065 ask: a receipt, a decision with its reasons, a way to object.
///
///     received     accepted → taken_down      rejected → rejected      withdrawn → withdrawn
///     taken_down   countered → countered                              withdrawn → restored
///     countered    suit told of → suit_filed  time is over → restored withdrawn → restored
///     suit_filed   withdrawn → restored
///     rejected, withdrawn, restored           nothing
package struct CopyrightClaim: Hashable, Sendable {
    /// Where it stands.
    package enum State: String, Sendable, Codable, CaseIterable {
        /// All that a notice needs is there; a moderator has to look at it.
        case received
        /// The work is down, and its author was told how to object.
        case takenDown = "taken_down"
        /// The author objected; the claimant was told, and may go to court.
        case countered
        /// The claimant did: the work stays down.
        case suitFiled = "suit_filed"
        /// The work is back.
        case restored
        /// A moderator saw that there is nothing in it.
        case rejected
        /// The claimant withdrew it before anything happened.
        case withdrawn
    }

    /// What happens to it.
    package enum Event: String, Sendable, CaseIterable {
        case accepted, rejected, countered, withdrawn
        /// The claimant tells of an action in court.
        case suitFiled = "suit_filed"
        /// Time goes by.
        case tick
    }

    /// What has to be done because of it.
    package enum Action: Hashable, Sendable {
        /// Take the work down, and tell its author why and how to object.
        case takeDown
        /// Put it back.
        case restore
        /// Send the counter-notice to the claimant, with the date of restoring.
        case forwardCounterNotice
    }

    /// Why that cannot happen now.
    package struct Refusal: Error, Hashable, Sendable {
        /// Where the claim stands.
        package let state: State
        /// What was to happen.
        package let event: Event

        package init(state: State, event: Event) {
            self.state = state
            self.event = event
        }
    }

    /// Where it stands.
    package var state: State
    /// When the counter-notice came in.
    package var counteredAt: Date?

    /// A claim as it is stored.
    package init(state: State = .received, counteredAt: Date? = nil) {
        self.state = state
        self.counteredAt = counteredAt
    }

    /// Not before this moment the work is put back: ten whole business days after the counter-notice.
    package var restoreFrom: Date? { counteredAt.map { BusinessCalendar.date(10, businessDaysAfter: $0) } }
    /// Not after this moment: fourteen.
    package var restoreBy: Date? { counteredAt.map { BusinessCalendar.date(14, businessDaysAfter: $0) } }

    /// What a moderator can enter now; the author's objection and time are not theirs.
    package func decisions(at now: Date) -> [Event] {
        [Event.accepted, .rejected, .suitFiled, .withdrawn].filter { (try? after($0, at: now)) != nil }
    }

    /// Where `event` leads at `now`. Time alone never refuses: it changes nothing until its moment.
    package func after(_ event: Event, at now: Date) throws(Refusal) -> (claim: CopyrightClaim, actions: [Action]) {
        var next = self
        switch (state, event) {
        case (.received, .accepted):
            next.state = .takenDown
            return (next, [.takeDown])
        case (.received, .rejected): next.state = .rejected
        case (.received, .withdrawn): next.state = .withdrawn
        case (.takenDown, .countered):
            next.state = .countered
            next.counteredAt = now
            return (next, [.forwardCounterNotice])
        case (.takenDown, .withdrawn), (.countered, .withdrawn), (.suitFiled, .withdrawn):
            next.state = .restored
            return (next, [.restore])
        case (.countered, .suitFiled): next.state = .suitFiled
        case (.countered, .tick):
            guard let restoreFrom, now >= restoreFrom else { return (self, []) }
            next.state = .restored
            return (next, [.restore])
        case (_, .tick): return (self, [])
        default: throw Refusal(state: state, event: event)
        }
        return (next, [])
    }
}

/// What a notice has to say, 17 U.S.C. § 512(c)(3)(A) and Article 16(2) of Regulation (EU) 2022/2065.
package struct CopyrightNoticeElements: Hashable, Sendable {
    package var name: String
    package var email: String
    package var address: String
    package var phone: String
    /// Which work is infringed.
    package var work: String
    /// Why this is it, for whoever has to see it.
    package var explanation: String
    /// The claimant believes in good faith that the use is not allowed.
    package var inGoodFaith: Bool
    /// Accurate, and, under penalty of perjury, by the owner or on their behalf.
    package var underPenaltyOfPerjury: Bool
    /// The name, typed as a signature.
    package var signature: String

    package init(
        name: String, email: String, address: String, phone: String, work: String, explanation: String,
        inGoodFaith: Bool, underPenaltyOfPerjury: Bool, signature: String
    ) {
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

    /// The members that are missing.
    package var missing: [String] {
        let texts: KeyValuePairs = [
            "name": name, "email": email, "address": address, "phone": phone, "work": work, "explanation": explanation,
        ]
        var missing = texts.filter(\.value.isEmpty).map(\.key)
        if !inGoodFaith { missing.append("inGoodFaith") }
        if !underPenaltyOfPerjury { missing.append("underPenaltyOfPerjury") }
        if signature.isEmpty { missing.append("signature") }
        return missing
    }
}

/// What a counter-notice has to say, 17 U.S.C. § 512(g)(3).
package struct CounterNoticeElements: Hashable, Sendable {
    package var name: String
    package var address: String
    package var phone: String
    /// Why it was a mistake.
    package var explanation: String
    /// Under penalty of perjury, a good-faith belief that it was removed by mistake or misidentification.
    package var underPenaltyOfPerjury: Bool
    /// Consents to the jurisdiction of the court, and accepts service of process from the claimant.
    package var consentsToJurisdiction: Bool
    /// The name, typed as a signature.
    package var signature: String

    package init(
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

    /// The members that are missing.
    package var missing: [String] {
        let texts: KeyValuePairs = ["name": name, "address": address, "phone": phone, "explanation": explanation]
        var missing = texts.filter(\.value.isEmpty).map(\.key)
        if !underPenaltyOfPerjury { missing.append("underPenaltyOfPerjury") }
        if !consentsToJurisdiction { missing.append("consentsToJurisdiction") }
        if signature.isEmpty { missing.append("signature") }
        return missing
    }
}
