// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAccounts
import MarketCatalog
import MarketHTTP
import MarketPlatform
import MarketWire
import Moderation
import Postgres
import SheetCore

/// Copyright notices: whoever claims, the author who objects, the moderators, and time. `CopyrightClaim` has the rules.
package struct CopyrightService: Sendable {
    /// Longest text of a notice, in characters.
    package static let maximumTextLength = 5000
    /// Longest name, address or phone number.
    package static let maximumLineLength = 500

    package let moderation: ModerationDependencies

    private var database: PostgresClient { moderation.database }

    package init(moderation: ModerationDependencies) {
        self.moderation = moderation
    }

    // MARK: Those whom it concerns

    /// Takes a notice in, from anybody: the law asks for no account.
    package func submit(
        _ request: CopyrightNoticeRequest, by identity: Identity?, language: String? = nil
    ) async throws -> CopyrightNotice {
        let elements = CopyrightNoticeElements(
            name: request.name.cleanedText(), email: request.email.cleanedText(),
            address: request.address.cleanedText(), phone: request.phone.cleanedText(),
            work: request.work.cleanedText(), explanation: request.explanation.cleanedText(),
            inGoodFaith: request.inGoodFaith, underPenaltyOfPerjury: request.underPenaltyOfPerjury,
            signature: request.signature.cleanedText())
        var problems = Self.problems(
            missing: elements.missing,
            lines: [
                "name": elements.name, "email": elements.email, "address": elements.address, "phone": elements.phone,
                "signature": elements.signature,
            ], texts: ["work": elements.work, "explanation": elements.explanation])
        if !elements.email.isEmpty, !AccountRules.isEmail(elements.email) {
            problems.append(.init(pointer: "/email", detail: "An e-mail address, such as ada@example.org."))
        }
        let subject = try await CopyrightStore.subject(request.subject, database)
        if subject == nil {
            problems.append(.init(pointer: "/subject", detail: "A template or a version that is there to be seen."))
        }
        guard problems.isEmpty, let subject else { throw CopyrightError.invalid(problems) }
        let now = moderation.now()
        let id = CopyrightNoticeID.make(at: now)
        let record = try await database.withTransaction { connection in
            try await CopyrightStore.insert(
                id, on: subject.template, subject.version, by: identity?.userID, elements, language: language, at: now,
                connection)
            guard let record = try await CopyrightStore.record(id, connection) else {
                throw CopyrightError.noSuchNotice
            }
            try await CopyrightEmails(record).acknowledge(at: now, in: connection)
            return record
        }
        return record.notice(for: .claimant)
    }

    /// A template's newest versions that are not taken down; there may be none.
    package func versions(of template: TemplateID, limit: Int) async throws -> [SemanticVersion] {
        try await VersionStore.list(.id(template), VersionFilter(), after: nil, limit: limit, database).map(\.version)
    }

    /// A notice as the caller may see it; throws `CopyrightError.noSuchNotice` for others, too.
    package func notice(_ id: CopyrightNoticeID, for identity: Identity) async throws -> CopyrightNotice {
        try await told(id, for: identity).notice
    }

    /// A notice with what its page shows besides.
    package func told(_ id: CopyrightNoticeID, for identity: Identity) async throws -> CopyrightNoticeDetail {
        guard let record = try await CopyrightStore.record(id, database), let side = record.side(of: identity) else {
            throw CopyrightError.noSuchNotice
        }
        return CopyrightNoticeDetail(record, for: side, identity)
    }

    /// The notices that some of somebody's strikes are due to.
    package func notices(behind strikes: [SanctionID], on person: UserID) async throws -> [SanctionID:
        CopyrightNoticeID]
    {
        if strikes.isEmpty { return [:] }
        let found = try await CopyrightStore.notices(behind: strikes, on: person, database)
        return Dictionary(found, uniquingKeysWith: { first, _ in first })
    }

    /// The author objects: after ten business days the work comes back, unless the claimant goes to court.
    package func counter(
        _ id: CopyrightNoticeID, _ request: CounterNoticeRequest, by identity: Identity, requestID: String
    ) async throws -> CopyrightNotice {
        let elements = CounterNoticeElements(
            name: request.name.cleanedText(), address: request.address.cleanedText(),
            phone: request.phone.cleanedText(), explanation: request.explanation.cleanedText(),
            underPenaltyOfPerjury: request.underPenaltyOfPerjury,
            consentsToJurisdiction: request.consentsToJurisdiction, signature: request.signature.cleanedText())
        let problems = Self.problems(
            missing: elements.missing,
            lines: [
                "name": elements.name, "address": elements.address, "phone": elements.phone,
                "signature": elements.signature,
            ], texts: ["explanation": elements.explanation])
        guard problems.isEmpty else { throw CopyrightError.invalid(problems) }
        let record = try await database.withTransaction { connection in
            guard var record = try await CopyrightStore.lock(id, in: connection), record.owner == identity.userID else {
                throw CopyrightError.noSuchNotice
            }
            record.counter = elements
            try await CopyrightStore.insertCounter(elements, on: id, by: identity.userID, in: connection)
            try await advance(&record, .countered, by: AuditActor(identity), requestID: requestID, in: connection)
            return record
        }
        return record.notice(for: .owner)
    }

    // MARK: Moderators and time

    /// The notices, newest first.
    package func list(
        state: CopyrightClaim.State?, before: (at: Date, id: CopyrightNoticeID)?, limit: Int, for identity: Identity
    ) async throws -> [CopyrightNotice] {
        try await toldList(state: state, before: before, limit: limit, for: identity).map(\.notice)
    }

    /// The same with what their page shows besides.
    package func toldList(
        state: CopyrightClaim.State?, before: (at: Date, id: CopyrightNoticeID)?, limit: Int, for identity: Identity
    ) async throws -> [CopyrightNoticeDetail] {
        try await CopyrightStore.records(state: state, before: before, limit: limit, database).map { record in
            CopyrightNoticeDetail(record, for: record.side(of: identity) ?? .party, identity)
        }
    }

    /// How many notices stand where.
    package func counts() async throws -> [CopyrightClaim.State: Int] {
        try await CopyrightStore.counts(database)
    }

    /// A moderator accepts or rejects a notice, or enters that the claimant went to court or took it back.
    package func decide(
        _ id: CopyrightNoticeID, _ request: CopyrightDecisionRequest, by identity: Identity, requestID: String
    ) async throws -> CopyrightNotice {
        let events: [String: CopyrightClaim.Event] = [
            "accept": .accepted, "reject": .rejected, "suit": .suitFiled, "withdraw": .withdrawn,
        ]
        guard let event = events[request.decision] else {
            throw CopyrightError.noSuchDecision
        }
        let message = request.message.cleanedText()
        guard (1...Decision.maximumMessageLength).contains(message.count) else {
            throw CopyrightError.badMessage
        }
        let record = try await database.withTransaction { connection in
            guard var record = try await CopyrightStore.lock(id, in: connection) else {
                throw CopyrightError.noSuchNotice
            }
            guard record.mayDecide(identity) else { throw CopyrightError.isParty }
            record.message = message
            try await advance(&record, event, by: AuditActor(identity), requestID: requestID, in: connection)
            return record
        }
        await Enforcement.committed(moderation)
        return record.notice(for: .moderator)
    }

    /// Puts back what is due; returns how many. Several processes may call it at once.
    @discardableResult
    package func advanceTime() async throws -> Int {
        var count = 0
        for id in try await CopyrightStore.due(at: moderation.now(), database) {
            let isRestored = try await database.withTransaction { connection in
                guard var record = try await CopyrightStore.lock(id, in: connection) else { return false }
                return try await advance(&record, .tick, by: .system, requestID: nil, in: connection)
            }
            if isRestored { count += 1 }
        }
        if count > 0 { await Enforcement.committed(moderation) }
        return count
    }

    /// Carries an event out, with its entry in the audit log; `false` when it changed nothing.
    @discardableResult
    private func advance(
        _ record: inout CopyrightStore.Record, _ event: CopyrightClaim.Event, by actor: AuditActor,
        requestID: String?, in connection: PostgresConnection
    ) async throws -> Bool {
        let now = moderation.now()
        let (claim, actions) = try record.claim.after(event, at: now)
        guard claim != record.claim else { return false }
        record.claim = claim
        record.changedAt = now
        for action in actions {
            switch action {
            case .takeDown: try await takeDown(&record, at: now, in: connection)
            case .restore: try await restore(&record, at: now, in: connection)
            // They are told by the e-mail below and, if they have an account, by `GET /copyright/notices/{id}`.
            case .forwardCounterNotice: break
            }
        }
        try await CopyrightStore.update(record, at: now, in: connection)
        try await CopyrightEmails(record).tell(in: connection)
        // The stored message is what a moderator wrote; the owner's objection and the passing of time have none.
        let reason = event == .tick || event == .countered ? nil : record.message
        try await AuditLog.append(
            connection, actor: actor, action: "copyright.\(event == .tick ? "restored" : event.rawValue)",
            subject: "template:\(record.template)", reason: reason,
            details: ["notice": "\(record.id)", "state": claim.state.rawValue], requestID: requestID, at: now)
        return true
    }

    private func takeDown(
        _ record: inout CopyrightStore.Record, at now: Date, in connection: PostgresConnection
    ) async throws {
        try await Enforcement.takeDown(
            record.subject, decision: nil, notice: record.id, reasonCode: "copyright",
            message: "\(record.elements.name) says that this infringes their copyright.", at: now, in: connection)
        record.hasTakedown = true
        // Repeat infringers (17 U.S.C. § 512(i)) are found by their strikes.
        let strike = Sanction(
            id: .make(at: now), .warning, reasonCode: "copyright",
            message: "A copyright notice against your work was accepted. You can object with a counter-notice.")
        try await Enforcement.impose(strike, on: record.owner, decision: nil, at: now, in: connection)
        record.sanction = strike.id
    }

    private func restore(
        _ record: inout CopyrightStore.Record, at now: Date, in connection: PostgresConnection
    ) async throws {
        try await Enforcement.restore(notice: record.id, at: now, in: connection)
        record.hasTakedown = false
        if let strike = record.sanction {
            _ = try await SanctionStore.lift(strike, decision: nil, at: now, in: connection)
        }
    }

    private static func problems(
        missing: [String], lines: [String: String], texts: [String: String]
    ) -> [ProblemDocument.Detail] {
        let long =
            lines.filter { $0.value.count > maximumLineLength }.map { ($0.key, maximumLineLength) }
            + texts.filter { $0.value.count > maximumTextLength }.map { ($0.key, maximumTextLength) }
        return missing.map { .init(pointer: "/\($0)", detail: "The law asks for this.") }
            + long.sorted { $0.0 < $1.0 }.map { .init(pointer: "/\($0.0)", detail: "At most \($0.1) characters.") }
    }
}

/// A notice as somebody may see it, with what its page shows besides.
package struct CopyrightNoticeDetail: Sendable {
    package var notice: CopyrightNotice
    /// The name of what it is about.
    package var sheet: String
    /// Whether the reader owns that, and so may object.
    package var isOwners: Bool
    /// Whether the reader may decide on it.
    package var mayDecide: Bool

    init(_ record: CopyrightStore.Record, for side: CopyrightStore.Record.Side, _ reader: Identity) {
        notice = record.notice(for: side)
        sheet = record.title
        isOwners = record.owner == reader.userID
        mayDecide = record.mayDecide(reader)
    }
}

extension CopyrightStore.Record {
    /// The name of what it is about.
    package var title: String { version.map { "\(sheet) \($0)" } ?? sheet }

    /// In which role somebody looks at a notice.
    package enum Side {
        case claimant, owner, moderator
        /// A moderator who is an author of the work: the team's list shows it, but nobody's addresses.
        case party
    }

    /// Moderators below administrators decide nothing that they have a part in.
    func mayDecide(_ identity: Identity) -> Bool {
        let parties = authors + [owner, claimant].compactMap(\.self)
        return identity.moderates && (identity.role >= .administrator || !parties.contains(identity.userID))
    }

    package func side(of identity: Identity) -> Side? {
        if mayDecide(identity) { return .moderator }
        if identity.userID == claimant { return .claimant }
        if identity.userID == owner, claim.state != .received, claim.state != .withdrawn { return .owner }
        return identity.moderates ? .party : nil
    }

    /// A counter-notice goes to the claimant with its addresses, as the law has it; the claimant's own stay with the
    /// team.
    package func notice(for side: Side) -> CopyrightNotice {
        var shown: CopyrightNotice.Counter?
        if let counter, let at = claim.counteredAt, let from = claim.restoreFrom, let by = claim.restoreBy {
            shown = .init(
                name: counter.name, explanation: counter.explanation, receivedAt: at, restoreFrom: from, restoreBy: by,
                contact: side == .party ? nil : .init(email: nil, address: counter.address, phone: counter.phone))
        }
        return CopyrightNotice(
            id: id,
            subject: ReportSubject(
                kind: version == nil ? .template : .version, id: template.description, version: version?.description),
            state: claim.state.rawValue, name: elements.name, work: elements.work, explanation: elements.explanation,
            receivedAt: receivedAt, changedAt: changedAt, message: message, counter: shown,
            contact: side == .owner || side == .party
                ? nil : .init(email: elements.email, address: elements.address, phone: elements.phone))
    }
}
