// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketHTTP
import MarketWire

extension UploadError: APIErrorConvertible {
    package var apiError: APIError {
        switch self {
        case .tooLarge(let limit):
            APIError(
                .contentTooLarge, .tooLarge, "The file is larger than \(limit) bytes, the most that is taken here.")
        case .emptyFile:
            APIError(.unprocessableContent, .emptyFile, "The file has no bytes. Choose another, or save it again.")
        case .unknownFormat:
            APIError(
                .unprocessableContent, .notAPDF,
                "The file does not begin like a PDF ('%PDF-' is missing from its first "
                    + "\(UploadStream.headerBytes) bytes), nor like a ZIP archive or JSON, the other formats that "
                    + "are taken.")
        case .secondFile:
            APIError(.unprocessableContent, .badMultipart, "One file at a time: there are two parts 'file'.")
        case .badMetadata(let problem):
            APIError(.badRequest, .badJSON, "The part 'metadata' does not fit.", errors: [problem])
        case .missingMetadata:
            APIError(
                .unprocessableContent, .missingMetadata,
                "The part 'metadata' (JSON) is missing, and so are the single fields that could stand for it.")
        case .missingFile:
            APIError(.unprocessableContent, .missingFile, "The part 'file' is missing: choose a PDF.")
        case .hasEnded: APIError(.conflict, .conflict, "The upload has ended.")
        case .storageFull: .unavailable("There is no room for more files at the moment.")
        case .fileRemoved: .unavailable("The file was swept away while it came in; send it again.")
        case .versionExists(let version):
            APIError(
                .conflict, .versionExists,
                "Version \(version) of this template exists, or is on its way. Choose another number.",
                errors: [.init(pointer: "/version", detail: "This number is taken.")])
        case .changesEntry(let members):
            APIError(
                .forbidden, .forbidden,
                "Contributors upload versions that leave the entry as it is; its owner or a maintainer can change it.",
                errors: members)
        case .nameUsedTooOften:
            APIError(.conflict, .conflict, "Very many templates have this name; choose another.")
        case .slugTakenMeanwhile:
            APIError(.conflict, .conflict, "Somebody takes this name just now; send the upload again.")
        }
    }
}
