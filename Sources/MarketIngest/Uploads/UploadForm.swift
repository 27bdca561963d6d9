// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCatalog
import MarketHTTP
import MarketWire
import NIOCore
import NIOFoundationCompat

/// What an upload's body says: `metadata` as JSON or in single fields, and the file, in any order.
package struct UploadForm {
    /// The metadata; `nil` while none has come.
    package private(set) var metadata: UploadMetadata?
    /// The file, not yet durable; `nil` while none has come.
    package private(set) var file: (stream: UploadStream, name: String)?
    /// Suffixes of files that outside importers want to see.
    private let importableSuffixes: Set<String>

    package init(importableSuffixes: Set<String> = []) {
        self.importableSuffixes = importableSuffixes
    }

    /// Reads the form from the body of a request, the file going to what `begin` makes. Whoever calls abandons the
    /// file's stream when this throws.
    package mutating func read<Source: AsyncIteratorProtocol>(
        _ reader: inout MultipartReader<Source>, begin: () async throws -> UploadStream
    ) async throws {
        while let event = try await reader.next() {
            guard case .part(let head) = event else { continue }
            switch head.name {
            case "file":
                try await readFile(head, from: &reader, begin: begin)
            case "metadata":
                try take(metadataJSON: try await reader.field(head.name))
            default:
                let value = try await reader.field(head.name)
                take(field: head.name, String(buffer: value))
            }
        }
    }

    private mutating func readFile<Source: AsyncIteratorProtocol>(
        _ head: MultipartHead, from reader: inout MultipartReader<Source>, begin: () async throws -> UploadStream
    ) async throws {
        guard file == nil else { throw UploadError.secondFile }
        let stream = try await begin()
        file = (stream, (head.fileName ?? "").cleanedFileName(keeping: importableSuffixes))
        await stream.call(head.fileName ?? "", wanted: importableSuffixes)
        while let event = try await reader.next() {
            guard case .bytes(let bytes) = event else { break }
            try await stream.write(bytes)
        }
        // What a browser sends for a file input that was left alone.
        if head.fileName == "", await stream.isEmpty {
            await stream.abandon()
            file = nil
        }
    }

    private mutating func take(metadataJSON bytes: ByteBuffer) throws {
        do {
            let given = try WireJSON.decoder().decode(UploadMetadata.self, from: Data(buffer: bytes))
            metadata = given
        } catch let error as DecodingError {
            throw UploadError.badMetadata(error.problem)
        }
    }

    /// A field of a browser's form; the empty ones count as absent, unknown ones are ignored.
    private mutating func take(field name: String, _ value: String) {
        guard let member = Self.members[name] else { return }
        var changed = metadata ?? UploadMetadata()
        if !value.isEmpty { member(&changed, value) }
        metadata = changed
    }

    private static let members: [String: @Sendable (inout UploadMetadata, String) -> Void] = [
        "name": { $0.name = $1 },
        "summary": { $0.summary = $1 },
        "description": { $0.description = $1 },
        "gameSystem": { $0.gameSystem = $1 },
        "tags": { metadata, value in
            metadata.tags = value.split(separator: ",").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
                .filter { !$0.isEmpty }
        },
        "license": { $0.license = $1 },
        // The menu beside the choice of the usual ones.
        "otherLicense": { $0.license = $0.license ?? $1 },
        "language": { $0.language = $1 },
        "version": { $0.version = $1 },
        "changelog": { $0.changelog = $1 },
        "channel": { $0.channel = $1 },
        "minimumClientVersion": { $0.minimumClientVersion = $1 },
    ]
}
