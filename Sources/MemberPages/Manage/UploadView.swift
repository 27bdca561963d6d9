// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketIngest
import MarketPages
import MarketPlatform
import MarketWire
import SheetCore

/// The upload form with what was filled in, and what is wrong with it.
struct UploadView: Sendable {
    /// A number that the version can have, and when it should.
    struct Step: Sendable {
        let number: String
        let what: Phrase
    }

    /// What the script says of a state.
    struct StateWord: Sendable {
        let state: String
        let words: Phrase
    }

    let heading: Phrase
    let isNewVersion: Bool
    let action: String
    let problem: Phrase?
    let mistakes: [String: Phrase]
    let values: [String: String]
    let gameSystems: [Choice]
    /// Those that fit sheets.
    let usualLicences: [EntryChoices.Licences.Licence]
    let otherLicences: [EntryChoices.Licences]
    let isOtherLicence: Bool
    let languages = EntryChoices.languages
    /// The number that the next is counted on from.
    let latest: String?
    let steps: [Step]
    let maximumSize: Phrase
    let maximumBytes: Int
    let stateWords = SubmissionState.allCases.map { StateWord(state: $0.rawValue, words: StateLabel($0).text) }

    /// Which field a problem of the whole belongs to.
    private static let fieldOfCode: [ErrorCode: String] = [
        .missingFile: "file", .emptyFile: "file", .notAPDF: "file", .tooLarge: "file", .badVersion: "version",
        .versionExists: "version", .unknownGameSystem: "gameSystem",
    ]

    init(
        values: UploadMetadata, baseTemplate: BaseTemplate?, next: NextVersions?, problem: FormProblem?,
        systems: [GameSystem], maximumBytes: Int
    ) {
        isNewVersion = baseTemplate != nil
        heading = baseTemplate.map { "New version of \($0.metadata.name ?? "")" } ?? "Upload a sheet"
        action = PageAddress("/upload").with("template", baseTemplate?.id.description).text
        var mistakes = problem?.mistakes ?? [:]
        if let code = problem?.code, mistakes.isEmpty, let field = Self.fieldOfCode[code] {
            mistakes[field] = problem?.summary
            self.problem = "One field needs another look."
        } else {
            self.problem = problem?.summary
        }
        self.mistakes = mistakes
        self.values = [
            "name": values.name ?? "", "summary": values.summary ?? "", "description": values.description ?? "",
            "tags": (values.tags ?? []).joined(separator: ", "), "language": values.language ?? "",
            "version": values.version ?? "", "changelog": values.changelog ?? "",
        ]
        gameSystems = systems.map {
            Choice(value: $0.slug, label: Phrase(verbatim: $0.name), isSelected: $0.slug == values.gameSystem)
        }
        let licences = EntryChoices.licences(chosen: values.license)
        usualLicences = licences.first?.entries ?? []
        otherLicences = Array(licences.dropFirst())
        isOtherLicence = !usualLicences.contains(where: \.isSelected)
        latest = next?.latest?.description
        steps = next.map(Self.steps) ?? []
        maximumSize = DisplayText.size(maximumBytes)
        self.maximumBytes = maximumBytes
    }

    private static func steps(_ next: NextVersions) -> [Step] {
        [
            next.asked.map { Step(number: $0.description, what: "the version that needs changes") },
            next.patch.map {
                Step(
                    number: $0.description,
                    what: next.latest?.isPrerelease == true ? "the finished one" : "a correction")
            },
            next.minor.map { Step(number: $0.description, what: "something new") },
            next.major.map { Step(number: $0.description, what: "what was filled in no longer fits") },
        ].compactMap { $0 }
    }
}
