// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import MarketCatalog
import MarketPlatform
import MarketWire
import NIOCore
import Postgres
import SheetCore
import SystemPackage
import TemplateIngest

/// What an importer made of an upload, its bytes in storage: what the submission is about from now on.
package struct ImportedFile: Sendable {
    package let subject: InspectionSubject
    package let kind: TemplateKind
    package let outline: ContentOutline?
    /// What a region preset holds that says by what its pages are known.
    package let preset: RegionPreset?
    /// The artifact, when it is not the uploaded file itself.
    package let artifact: StoredObject?
    package let fileName: String
    /// The upload's metadata, with what it left open taken from the file.
    package let metadata: UploadMetadata

    /// The artifact's hash.
    package var hash: ContentHash { artifact?.hash ?? subject.sha256 }

    /// Stores the artifact, if there is a new one.
    package init(_ inspection: Inspection, of subject: InspectionSubject, storage: any Storage) async throws {
        self.subject = subject
        kind = inspection.kind
        outline = inspection.outline
        preset = inspection.kind == .regionPreset ? inspection.preset : nil
        artifact =
            if let made = inspection.artifact { try await Self.store(made, in: storage) } else { nil }
        fileName = Self.name(inspection.fileName ?? subject.fileName, for: inspection.kind)
        metadata = Self.filled(subject.metadata, from: inspection.metadata)
    }

    /// Whether there is anything to write down.
    package var isPlain: Bool {
        kind == .sheet && artifact == nil && outline == nil && fileName == subject.fileName
            && metadata == subject.metadata
    }

    private static func store(_ made: ArtifactFile, in storage: any Storage) async throws -> StoredObject {
        let file = try FileDescriptor.open(made.path, .readOnly, options: .closeOnExec)
        // It was only read: nothing can be lost by a failing close.
        defer { try? file.close() }
        let writer = try await storage.makeWriter()
        do {
            while true {
                let piece = try [UInt8](unsafeUninitializedCapacity: 1 << 18) { buffer, count in
                    count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
                }
                if piece.isEmpty { break }
                try await writer.write(ByteBuffer(bytes: piece))
            }
        } catch {
            await writer.abandon()
            throw error
        }
        return try await writer.finish()
    }

    /// With the suffix that its kind has; a sheet keeps the uploader's name.
    private static func name(_ name: String, for kind: TemplateKind) -> String {
        let name = name.cleanedFileName()
        let known = kind.hasPages ? ["pdf"] : [kind.fileSuffix, "json"]
        let suffix = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
        if known.contains(suffix) { return name }
        let stem = name.contains(".") ? name.split(separator: ".").dropLast().joined(separator: ".") : name
        return "\(stem.isEmpty ? "template" : stem).\(kind.fileSuffix)"
    }

    private static func filled(_ metadata: UploadMetadata, from file: DraftMetadata) -> UploadMetadata {
        var filled = metadata
        if filled.description ?? "" == "" { filled.description = file.description ?? filled.description }
        if (filled.tags ?? []).isEmpty { filled.tags = file.tags ?? filled.tags }
        if filled.changelog ?? "" == "" { filled.changelog = file.changelog ?? filled.changelog }
        return filled
    }
}
