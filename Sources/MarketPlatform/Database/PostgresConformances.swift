// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Moderation
import Postgres
import SheetCore

// How the market's own values stand in columns: ids as uuid, hashes as bytea, words and version numbers as text.

extension Identifier: PostgresCodable {}

extension SubmissionState: PostgresCodable {}
extension VersionState: PostgresCodable {}
extension ReleaseChannel: PostgresCodable {}
extension Withdrawer: PostgresCodable {}
extension AuthorRole: PostgresCodable {}
extension InvitationState: PostgresCodable {}
extension UserRole: PostgresCodable {}
extension CaseState: PostgresCodable {}
extension DecisionKind: PostgresCodable {}
extension Verdict: PostgresCodable {}
extension CaseKind: PostgresCodable {}
extension CaseSummary.Kind: PostgresCodable {}
extension CaseSummary.Subject: PostgresCodable {}
extension CaseSummary.Due: PostgresCodable {}
extension CaseMessage.Side: PostgresCodable {}
extension TokenScope: PostgresCodable {}
extension Finding.Severity: PostgresCodable {}
extension FindingCode: PostgresCodable {}
extension TemplateKind: PostgresCodable {}
extension ReportSubject.Kind: PostgresCodable {}
extension ReportSubject.Part: PostgresDecodable {}
extension ReportReason: PostgresCodable {}

extension ContentHash: PostgresCodable {
    package static var postgresType: PostgresType { Data.postgresType }

    package func encode(into writer: inout PostgresParameterWriter) {
        writer.data(bytes)
    }

    package static func decode(_ value: PostgresValue) throws -> ContentHash? {
        Data.decode(value).flatMap { ContentHash(bytes: $0) }
    }
}

/// Bound as `bigint`, to be cast to `bit(64)`; read as `bit(64)`.
extension Fingerprint: PostgresCodable {
    package static var postgresType: PostgresType { Int64.postgresType }

    package func encode(into writer: inout PostgresParameterWriter) {
        Int64(bitPattern: bits).encode(into: &writer)
    }

    package static func decode(_ value: PostgresValue) throws -> Fingerprint? {
        UInt64(value.text, radix: 2).map { Fingerprint(bits: $0) }
    }
}

extension SemanticVersion: PostgresCodable {
    package func encode(into writer: inout PostgresParameterWriter) {
        writer.text(description)
    }

    package static func decode(_ value: PostgresValue) throws -> SemanticVersion? {
        SemanticVersion(value.text)
    }
}

extension Slug: PostgresCodable {
    package func encode(into writer: inout PostgresParameterWriter) {
        writer.text(text)
    }

    package static func decode(_ value: PostgresValue) throws -> Slug? {
        Slug(value.text)
    }
}
