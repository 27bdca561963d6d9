// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import SheetCore
import Testing

/// What earlier servers and clients wrote must go on being read, and what we write must not change by accident.
@Suite struct OldJSONTests {
    /// Reads a fixture, and checks that writing the value gives the fixture back.
    private func stable<Value: Codable & Equatable>(_ fixture: String, as type: Value.Type = Value.self) throws -> Value
    {
        let value = try WireJSON.decoder().decode(Value.self, from: Data(fixture.utf8))
        let encoder = WireJSON.encoder()
        encoder.outputFormatting.insert(.prettyPrinted)
        #expect(String(decoding: try encoder.encode(value), as: UTF8.self) == fixture)
        return value
    }

    @Test("a template in full") func templateDetail() throws {
        let new: TemplateDetail = try stable(Fixtures.templateDetailWithChannel)
        #expect(new.deprecation?.successor?.slug == "better-sheet")
        #expect(new.latest.channel == .beta && new.latest.minimumClientVersion == SemanticVersion(0, 2, 0))
        let detail = try WireJSON.decoder().decode(
            TemplateDetail.self, from: Data(Fixtures.templateDetailWithKind.utf8))
        #expect(detail.latest.channel == .stable && detail.deprecation == nil)
        let old = try WireJSON.decoder().decode(TemplateDetail.self, from: Data(Fixtures.templateDetail.utf8))
        #expect(old == detail && old.summary.kind == .sheet)
        #expect(detail.summary.slug == "quest-sheet")
        #expect(detail.latest.version == SemanticVersion(1, 0, 0))
        #expect(detail.latest.pages.first?.formFields == 3)
    }

    @Test("the last page of a list says that there is no next") func templateList() throws {
        let list: TemplateList = try stable(Fixtures.emptyList)
        #expect(list.nextCursor == nil)
        #expect(try WireJSON.decoder().decode(TemplateList.self, from: Data(#"{"templates":[]}"#.utf8)) == list)
    }

    @Test("lists that had no pages once are read from earlier servers, and say now that there is no next")
    func unpagedLists() throws {
        func check<List: Codable & Equatable>(_ list: List, _ old: String) throws {
            #expect(try WireJSON.decoder().decode(List.self, from: Data(old.utf8)) == list)
            let new = String(decoding: try WireJSON.encoder().encode(list), as: UTF8.self)
            #expect(new.contains("\"nextCursor\":null"), "\(new)")
        }
        try check(TokenList(tokens: []), #"{"tokens":[]}"#)
        try check(SessionList(sessions: []), #"{"sessions":[]}"#)
        try check(VersionList(versions: []), #"{"versions":[]}"#)
        try check(InvitationList(invitations: []), #"{"invitations":[]}"#)
        try check(WebhookList(webhooks: []), #"{"webhooks":[]}"#)
        try check(SanctionList(sanctions: [], strikes: 0), #"{"sanctions":[],"strikes":0}"#)
    }

    @Test("a submission with findings and a decision") func submission() throws {
        let status: SubmissionStatus = try stable(Fixtures.submissionWithKind)
        let old = try WireJSON.decoder().decode(SubmissionStatus.self, from: Data(Fixtures.submission.utf8))
        #expect(old == status && old.kind == .sheet)
        #expect(status.state == .changesRequested)
        #expect(status.findings.first?.code == .javascript)
        #expect(status.decision?.decision == .requestChanges)
    }

    @Test("a problem document") func problem() throws {
        let problem: ProblemDocument = try stable(Fixtures.problem)
        #expect(problem.code == .validationFailed)
        #expect(problem.errors?.first?.pointer == "/version")
    }

    @Test("an update report and its query") func updates() throws {
        let report: UpdateReport = try stable(Fixtures.updates)
        #expect(report.updates.map(\.state) == [.yanked, nil])
    }

    @Test("a moderator's decision") func decision() throws {
        let request: DecisionRequest = try stable(Fixtures.decision)
        #expect(request.decision == .requestChanges)
    }

    @Test("words that a newer server knows are kept, not refused") func openWords() throws {
        let code = try WireJSON.decoder().decode([ErrorCode].self, from: Data(#"["of_tomorrow"]"#.utf8))
        #expect(code == [ErrorCode(rawValue: "of_tomorrow")])
        let scope = try WireJSON.decoder().decode([TokenScope].self, from: Data(#"["of_tomorrow"]"#.utf8))
        #expect(scope.first?.rawValue == "of_tomorrow")
        let finding = #"{"code":"of_tomorrow","severity":"info","message":"m","new":1}"#
        let read = try WireJSON.decoder().decode(Finding.self, from: Data(finding.utf8))
        #expect(read.code.rawValue == "of_tomorrow" && !read.removable && read.page == nil)
    }

    @Test("members that a newer server adds are passed over") func unknownMembers() throws {
        let json = #"{"gameSystems":[{"slug":"a","name":"A","aliases":[],"templateCount":1,"new":{}}],"new":1}"#
        let list = try WireJSON.decoder().decode(GameSystemList.self, from: Data(json.utf8))
        #expect(list.gameSystems.first?.publisher == nil)
    }

    @Test("an upload's metadata may have any part missing") func metadata() throws {
        #expect(try WireJSON.decoder().decode(UploadMetadata.self, from: Data("{}".utf8)) == UploadMetadata())
        let version: UploadMetadata = try stable("{\n  \"changelog\" : \"News.\",\n  \"version\" : \"1.1.0\"\n}")
        #expect(version.version == "1.1.0")
    }

    @Test("a request for a token goes with or without a login") func tokenRequest() throws {
        let old = #"{"name":"ci","scopes":["read","templates:write"]}"#
        let request = try WireJSON.decoder().decode(TokenRequest.self, from: Data(old.utf8))
        #expect(request.login == nil && request.expiresInDays == nil)
        #expect(request.scopes == [.read, .templatesWrite])
        #expect(String(decoding: try WireJSON.encoder().encode(request), as: UTF8.self) == old)
    }
}

@Suite struct WireTimeTests {
    @Test(
        "times are read with and without fractions and in other zones",
        arguments: [
            ("2026-01-31T12:00:00Z", 1_769_860_800.0), ("2026-01-31T12:00:00.000Z", 1_769_860_800),
            ("2026-01-31T12:00:00.250Z", 1_769_860_800.25), ("2026-01-31T13:00:00+01:00", 1_769_860_800),
            ("2026-01-31T13:00:00.5+01:00", 1_769_860_800.5),
        ])
    func reads(text: String, seconds: Double) throws {
        let date = try #require(WireJSON.date(text))
        #expect(abs(date.timeIntervalSince1970 - seconds) < 0.001)
    }

    @Test("times are written in UTC with milliseconds and read back the same")
    func writes() {
        let date = Date(timeIntervalSince1970: 1_769_860_800.125)
        #expect(WireJSON.time(Date(timeIntervalSince1970: 0)) == "1970-01-01T00:00:00.000Z")
        #expect(WireJSON.time(date) == "2026-01-31T12:00:00.125Z")
        #expect(WireJSON.date(WireJSON.time(date)) == date)
    }

    @Test("every day from 1583 to 9999 is written as Foundation writes it, and read back")
    func calendar() {
        // Before 1582 Foundation counts by the Julian calendar, RFC 3339 does not.
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        // A step that is no whole number of days meets every day of the year and every hour.
        for day in stride(from: -141_000.0, to: 2_932_896, by: 97.377) {
            let date = Date(timeIntervalSince1970: (day * 86_400 * 4).rounded() / 4)
            #expect(WireJSON.time(date) == date.formatted(style))
            #expect(WireJSON.date(WireJSON.time(date)) == date)
        }
    }

    @Test(
        "what is not a time is refused",
        arguments: [
            "", "yesterday", "2026-01-31", "12:00:00.125", "2026-13-01T00:00:00Z",
        ])
    func refuses(text: String) {
        #expect(WireJSON.date(text) == nil)
    }
}
