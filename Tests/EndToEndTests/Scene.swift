// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import SheetCore
import TestSupport
import Testing

/// What the stories have in common: sheets, metadata, and people with their commands.
enum Scene {
    /// One of the project's own sheets.
    static func sheet(_ name: String) throws -> Data {
        try Data(contentsOf: sheetURL(name))
    }

    static func sheetURL(_ name: String) -> URL {
        BuildProducts.root.appendingPathComponent("examples/sheets/\(name).pdf")
    }

    /// Metadata that holds.
    static func metadata(
        _ name: String, version: String = "1.0.0", gameSystem: String = "dnd5e", language: String = "en"
    ) -> UploadMetadata {
        UploadMetadata(
            name: name, summary: "A sheet for tests.", description: "# \(name)\n\nMade for a test.",
            gameSystem: gameSystem, tags: ["test"], license: "CC-BY-4.0", language: language, version: version,
            changelog: "First.")
    }

    /// Uploads, waits for the reader, approves; returns the published submission.
    @discardableResult static func publish(
        _ name: String, file: Data, as author: TestHTTP, approvedBy moderator: TestHTTP, version: String = "1.0.0",
        language: String = "en"
    ) async throws -> SubmissionStatus {
        let answer = try await author.upload(metadata: metadata(name, version: version, language: language), file: file)
        #expect(answer.status == 202, "\(answer.text)")
        let received = try answer.json(SubmissionStatus.self)
        let waiting = try await author.submission(received.id, reaches: [.awaitingReview, .rejected])
        #expect(waiting.state == .awaitingReview, "\(waiting.findings)")
        let decision = try await moderator.decide(waiting)
        #expect(decision.status == 200, "\(decision.text)")
        return try await author.submission(received.id, reaches: [.published])
    }
}

/// A player's machine: a library folder and the `sheets` command.
struct Player {
    let folder: ScratchFolder
    let server: String
    var token: String?

    init(server: String, token: String? = nil) throws {
        folder = try ScratchFolder("player")
        self.server = server
        self.token = token
    }

    /// The environment of the command.
    var environment: [String: String] {
        var environment = [
            "SHEETS_SERVER": server, "SHEETS_LIBRARY": folder.url.appendingPathComponent("library").path,
            "XDG_CONFIG_HOME": folder.url.appendingPathComponent("config").path, "HOME": folder.url.path,
        ]
        if let token { environment["SHEETS_TOKEN"] = token }
        return environment
    }

    /// Runs `sheets` with `arguments`.
    @discardableResult func sheets(_ arguments: String...) async throws -> Command.Outcome {
        let outcome = try await Command.run(BuildProducts.executable("sheets"), arguments, environment: environment)
        let faults = try JSONOutputs.faults(of: outcome.output, of: arguments)
        #expect(faults.isEmpty)
        return outcome
    }
}

extension Scene {
    /// Pages of `bigSheet()`.
    static let bigSheetPages = 120

    /// A file that takes a while to send and to read: 12 MB, 120 pages.
    static func bigSheet() throws -> Data {
        var builder = PDFDocumentBuilder()
        for page in 1...bigSheetPages {
            builder.addPage(headings: (1...8).map { "Section \(page).\($0)" })
        }
        builder.addBallast(bytes: 12 << 20)
        return builder.build()
    }
}
