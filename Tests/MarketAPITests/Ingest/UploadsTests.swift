// SPDX-License-Identifier: Apache-2.0
import AsyncHTTPClient
import Foundation
import MarketPages
import MarketWire
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAPI
@testable import MarketCatalog
@testable import MarketHTTP
@testable import MarketIngest
@testable import MarketPlatform

@Suite("Uploads")
struct UploadsTests {
    @Test("an upload is stored, entered with its job, and answered with its submission")
    func happyPath() async throws {
        try await UploadsScene.run { scene in
            let (ada, http) = try await scene.person("ada")
            let file = UploadsScene.file(bytes: 300_000)
            let answer = try await http.upload(
                metadata: UploadsScene.metadata("Night Shift"), file: file, fileName: "C:\\x\\night shift.pdf")
            #expect(answer.status == 202)
            let status = try answer.json(SubmissionStatus.self)
            #expect(answer.headers.first(name: "Location") == "/api/v1/submissions/\(status.id)")
            #expect(status.state == .received)
            #expect(status.templateSlug == "night-shift")
            #expect(status.version == SemanticVersion(1, 0, 0))
            #expect(status.fileName == "night shift.pdf")
            #expect(status.sizeBytes == file.count)
            #expect(status.sha256 == ContentHash(hashing: file))
            #expect(try await scene.storedObjects() == [status.sha256])
            let again = try await http.get("/api/v1/submissions/\(status.id)")
            #expect(try again.json(SubmissionStatus.self) == status)
            let subject = try await scene.features.database.scalar(
                "SELECT subject FROM jobs WHERE state = 'queued' AND kind = 'ingest_upload'", as: UUID.self)
            #expect(subject == status.id.rawValue)
            let owner = try await scene.features.database.scalar(
                "SELECT owner_id FROM templates WHERE latest_version_id IS NULL", as: UserID.self)
            #expect(owner == ada)
        }
    }

    @Test("parts may come in any order, and a browser's form may stand for the metadata")
    func orderAndFields() async throws {
        try await UploadsScene.run { scene in
            let (_, http) = try await scene.person("ada")
            var form = MultipartForm()
            form.add("file", fileName: "a.pdf", contentType: "application/pdf", UploadsScene.file(1))
            form.add("metadata", try WireJSON.encoder().encode(UploadsScene.metadata("After the file")))
            let first = try await http.send(
                .POST, "/api/v1/templates", headers: [("Content-Type", form.contentType)], body: form.finished)
            #expect(first.status == 202, "\(first.text)")

            form = MultipartForm()
            for (name, value) in [
                ("name", "By a browser"), ("summary", "From a form"), ("description", "Two\r\nlines"),
                ("gameSystem", "cairn"), ("tags", "solo, one-page ,"), ("license", "CC0-1.0"), ("language", "en"),
                ("version", "0.1.0"), ("changelog", ""), ("submit", "Upload"),
            ] {
                form.add(name, Data(value.utf8))
            }
            form.add("file", fileName: "b.pdf", UploadsScene.file(2))
            let second = try await http.send(
                .POST, "/api/v1/templates", headers: [("Content-Type", form.contentType)], body: form.finished)
            #expect(second.status == 202, "\(second.text)")
            let id = try second.json(SubmissionStatus.self).id
            let metadata = try await scene.features.database.scalar(
                "SELECT metadata FROM submissions WHERE id = \(id)", as: PostgresJSON<UploadMetadata>.self
            ).value
            #expect(metadata.tags == ["solo", "one-page"])
            #expect(metadata.description == "Two\nlines")
        }
    }

    @Test("templates of one name get numbered slugs, also when they come at once")
    func slugs() async throws {
        try await UploadsScene.run { scene in
            let (ada, _) = try await scene.person("ada")
            let slugs = try await withThrowingTaskGroup(of: String.self) { group in
                for seed in 0..<6 {
                    group.addTask {
                        try await scene.submit("Same name", file: UploadsScene.file(seed), by: ada).templateSlug
                    }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(slugs == ["same-name", "same-name-2", "same-name-3", "same-name-4", "same-name-5", "same-name-6"])
        }
    }

    @Test("a new version takes the rest from its template; a number that is under way is taken")
    func newVersion() async throws {
        try await UploadsScene.run { scene in
            let (_, http) = try await scene.person("ada")
            let first = try await http.upload(metadata: UploadsScene.metadata(), file: UploadsScene.file(1))
                .json(SubmissionStatus.self)
            let path = "/api/v1/templates/night-shift/versions"
            let change = UploadMetadata(summary: "Now with more", version: "1.1.0", changelog: "More.")
            let second = try await http.upload(path, metadata: change, file: UploadsScene.file(2))
            #expect(second.status == 202, "\(second.text)")
            let status = try second.json(SubmissionStatus.self)
            #expect(status.templateId == first.templateId)
            let stored = try await scene.features.database.scalar(
                "SELECT metadata FROM submissions WHERE id = \(status.id)", as: PostgresJSON<UploadMetadata>.self
            ).value
            #expect(stored.name == "Night Shift")
            #expect(stored.summary == "Now with more")
            #expect(stored.tags == ["two-pages"])

            let taken = try await http.upload(
                "/api/v1/templates/\(first.templateId)/versions", metadata: change, file: UploadsScene.file(3))
            #expect(taken.status == 409)
            #expect(taken.problemCode == .versionExists)
            #expect(try await scene.storedObjects().count == 2)
        }
    }

    @Test("a published number is taken for good; one that was refused is free again")
    func numbers() async throws {
        try await UploadsScene.run { scene in
            let (ada, http) = try await scene.person("ada")
            let first = try await scene.submit(by: ada)
            let service = UploadService(ingest: scene.features.ingest)
            try await scene.features.database.execute(
                "UPDATE submissions SET state = 'rejected', page_count = 2 WHERE id = \(first.id)")
            let second = try await scene.submit(target: .newVersion("night-shift"), by: ada)
            try await scene.features.database.withTransaction { connection in
                try await connection.execute(
                    "UPDATE submissions SET state = 'published', page_count = 2 WHERE id = \(second.id)")
                try await Publishing.publish(
                    connection, submission: second.id, template: second.templateId, at: scene.features.now())
            }
            for target in ["night-shift", second.templateId.description] {
                let answer = try await http.upload(
                    "/api/v1/templates/\(target)/versions", metadata: UploadsScene.metadata(),
                    file: UploadsScene.file(9))
                #expect(answer.problemCode == .versionExists)
            }
            let basis = try #require(try await service.open(.newVersion("night-shift"), for: ada))
            #expect(basis.isListed)
        }
    }

    @Test("bytes that are known stay known until the upload that names them again has ended")
    func knownBytes() async throws {
        try await UploadsScene.run { scene in
            let database = scene.features.database
            let object = StoredObject(hash: ContentHash(hashing: Array("known".utf8)), sizeBytes: 5)
            try await ArtifactStore.insert(object, mediaType: "application/json", in: database)
            try await database.withTransaction { connection in
                try await ArtifactStore.insert(object, mediaType: "application/pdf", in: connection)
                // As an import does that lets an upload's own bytes go, on another connection.
                let free = try await database.all(
                    "SELECT media_type FROM artifacts WHERE sha256 = \(object.hash) FOR UPDATE SKIP LOCKED"
                ) { try $0.get(0, as: String.self) }
                #expect(free.isEmpty)
            }
            let types = try await database.all("SELECT media_type FROM artifacts") { try $0.get(0, as: String.self) }
            #expect(types == ["application/json"])
        }
    }

    @Test("two uploads of one number at the same moment: one is taken, the other told")
    func race() async throws {
        try await UploadsScene.run { scene in
            let (ada, _) = try await scene.person("ada")
            _ = try await scene.submit(by: ada)
            let outcomes = try await withThrowingTaskGroup(of: ErrorCode?.self) { group in
                for seed in 1...5 {
                    group.addTask {
                        do {
                            _ = try await scene.submit(
                                version: "2.0.0", target: .newVersion("night-shift"), file: UploadsScene.file(seed),
                                by: ada)
                            return nil
                        } catch {
                            return APIError.mapping(error).error.code
                        }
                    }
                }
                return try await group.reduce(into: [ErrorCode?]()) { $0.append($1) }
            }
            #expect(outcomes.filter { $0 == nil }.count == 1)
            #expect(outcomes.filter { $0 == .versionExists }.count == 4)
        }
    }

    @Test("only the owner uploads versions; what nobody can see does not exist for others")
    func ownership() async throws {
        try await UploadsScene.run { scene in
            let (ada, _) = try await scene.person("ada")
            let (_, eve) = try await scene.person("eve")
            let first = try await scene.submit(by: ada)
            let path = "/api/v1/templates/night-shift/versions"
            let change = UploadMetadata(version: "2.0.0")
            let hidden = try await eve.upload(path, metadata: change, file: UploadsScene.file(5))
            #expect(hidden.status == 404)
            try await scene.features.database.withTransaction { connection in
                try await connection.execute(
                    "UPDATE submissions SET state = 'published', page_count = 2 WHERE id = \(first.id)")
                try await Publishing.publish(
                    connection, submission: first.id, template: first.templateId, at: scene.features.now())
            }
            let listed = try await eve.upload(path, metadata: change, file: UploadsScene.file(5))
            #expect(listed.status == 403)
            #expect(listed.problemCode == .forbidden)
            let nobody = try await scene.http.upload(metadata: UploadsScene.metadata(), file: UploadsScene.file(6))
            #expect(nobody.status == 401)
            let (_, reader) = try await scene.person("rio", scopes: [.read])
            let scope = try await reader.upload(metadata: UploadsScene.metadata(), file: UploadsScene.file(6))
            #expect(scope.problemCode == .insufficientScope)
        }
    }

    @Test("bad uploads get their own problem and leave nothing behind")
    func badUploads() async throws {
        var limits = MarketLimits()
        limits.ingest.uploadBytes = 100_000
        try await UploadsScene.run(limits: limits) { scene in
            let (_, http) = try await scene.person("ada")
            func expect(
                _ status: Int, _ code: ErrorCode, _ metadata: UploadMetadata?, _ file: Data?, _ comment: Comment
            ) async throws {
                var form = MultipartForm()
                if let metadata { form.add("metadata", try WireJSON.encoder().encode(metadata)) }
                if let file { form.add("file", fileName: "a.pdf", file) }
                let answer = try await http.send(
                    .POST, "/api/v1/templates", headers: [("Content-Type", form.contentType)], body: form.finished)
                #expect(answer.status == status, comment)
                #expect(answer.problemCode == code, comment)
                #expect(answer.headers.first(name: "Content-Type") == "application/problem+json", comment)
            }
            let good = UploadsScene.metadata()
            let file = UploadsScene.file()
            var wrong = good
            wrong.version = "1.0"
            try await expect(422, .badVersion, wrong, file, "wrong version")
            wrong = good
            wrong.gameSystem = "chess"
            try await expect(422, .unknownGameSystem, wrong, file, "unknown game system")
            wrong.name = ""
            try await expect(422, .validationFailed, wrong, file, "several flaws")
            try await expect(422, .missingMetadata, nil, file, "no metadata")
            try await expect(422, .missingFile, good, nil, "no file")
            try await expect(422, .emptyFile, good, Data(), "empty file")
            try await expect(422, .notAPDF, good, Data("GIF89a".utf8), "short and no PDF")
            try await expect(422, .notAPDF, good, Data(repeating: 65, count: 50_000), "long and no PDF")
            try await expect(422, .notAPDF, good, Data(repeating: 32, count: 1020) + file, "header too late")
            try await expect(413, .tooLarge, good, UploadsScene.file(bytes: 100_001), "one byte too large")
            try await expect(413, .tooLarge, good, UploadsScene.file(bytes: 3_000_000), "far too large")
            #expect(try await scene.count("submissions") == 0)
            #expect(try await scene.count("templates") == 0)
            #expect(try await scene.count("jobs") == 0)
            #expect(try await scene.storedObjects().isEmpty)
            try await expect2(http, good)
        }
    }

    /// What just fits.
    private func expect2(_ http: TestHTTP, _ metadata: UploadMetadata) async throws {
        let edge = try await http.upload(metadata: metadata, file: UploadsScene.file(bytes: 100_000))
        #expect(edge.status == 202)
        let late = try await http.upload(
            metadata: metadata, file: Data(repeating: 32, count: 1019) + UploadsScene.file(7))
        #expect(late.status == 202)
    }

    @Test("bodies that are no form are told what is wrong with them")
    func badBodies() async throws {
        try await UploadsScene.run { scene in
            let (_, http) = try await scene.person("ada")
            func send(_ type: String?, _ body: String) async throws -> TestHTTP.Answer {
                try await http.send(
                    .POST, "/api/v1/templates", headers: type.map { [("Content-Type", $0)] } ?? [],
                    body: ByteBuffer(string: body))
            }
            let json = try await send("application/json", "{}")
            #expect(json.status == 415)
            #expect(json.problemCode == .unsupportedMediaType)
            #expect(try await send(nil, "x").problemCode == .unsupportedMediaType)
            #expect(try await send("multipart/form-data", "x").problemCode == .badMultipart)
            #expect(try await send("multipart/form-data; boundary=X", "no parts").problemCode == .badMultipart)
            let part = "--X\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n%PDF-1.4 cut"
            let cut = try await send("multipart/form-data; boundary=X", part)
            #expect(cut.status == 400)
            #expect(cut.problemCode == .badMultipart)
            let metadata = "--X\r\nContent-Disposition: form-data; name=\"metadata\"\r\n\r\n{\"tags\": 3}\r\n--X--"
            let badJSON = try await send("multipart/form-data; boundary=X", metadata)
            #expect(badJSON.status == 400)
            #expect(badJSON.problemCode == .badJSON)
            #expect(try badJSON.json(ProblemDocument.self).errors?.first?.pointer == "/tags")
            let twice = part + "\r\n" + part + "\r\n--X--"
            #expect(try await send("multipart/form-data; boundary=X", twice).problemCode == .badMultipart)
            let untouched =
                "--X\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\"\r\n\r\n\r\n"
                + "--X\r\nContent-Disposition: form-data; name=\"version\"\r\n\r\n1.0.0\r\n--X--"
            #expect(try await send("multipart/form-data; boundary=X", untouched).problemCode == .missingFile)
            #expect(try await scene.storedObjects().isEmpty)
        }
    }

    @Test("an upload whose client goes away leaves nothing behind")
    func disconnect() async throws {
        try await UploadsScene.run { scene in
            let (_, http) = try await scene.person("ada")
            let begun = AsyncStream<Void>.makeStream()
            let upload = Task {
                let pieces = AsyncThrowingStream<ByteBuffer, any Error> { continuation in
                    continuation.yield(
                        ByteBuffer(
                            string:
                                "--X\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n%PDF-1.4 "
                        ))
                    for _ in 0..<20 { continuation.yield(ByteBuffer(repeating: 65, count: 50_000)) }
                    begun.continuation.finish()
                }
                _ = try await http.execute(
                    .POST, "/api/v1/templates", headers: [("Content-Type", "multipart/form-data; boundary=X")],
                    body: .stream(pieces, length: .known(Int64(50_000_000))))
            }
            for await _ in begun.stream {}
            try await scene.expectEventually({ try scene.incoming().count == 1 })
            upload.cancel()
            _ = await upload.result
            try await scene.expectEventually({ try scene.incoming().isEmpty })
            #expect(try await scene.storedObjects().isEmpty)
            #expect(try await scene.count("submissions") == 0)
        }
    }
}
