// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import SheetCore

/// What is signed of one version.
package struct TargetEntry: Sendable, Equatable {
    package var version: VersionID
    package var template: TemplateID
    package var bin: Int
    package var path: String
    package var hash: ContentHash
    package var sizeBytes: Int
    /// JSON: the slug, the hash of the record, and of a version that was withdrawn or taken down `state`, `reason`,
    /// `code`, `replacement`.
    package var custom: String

    package init(
        version: VersionID, template: TemplateID, bin: Int, path: String, hash: ContentHash, sizeBytes: Int,
        custom: String
    ) {
        self.version = version
        self.template = template
        self.bin = bin
        self.path = path
        self.hash = hash
        self.sizeBytes = sizeBytes
        self.custom = custom
    }

    /// As it stands in a bin. Without its `custom` a withdrawn version would look like any other: that is no way out.
    package var target: TrustTarget {
        get throws {
            guard let custom = try TrustJSON(reading: Data(custom.utf8)).object else {
                throw TrustPublishingError.refused("What is to be signed of \(path) cannot be read.")
            }
            return TrustTarget(path: path, info: TrustFileInfo(length: sizeBytes, sha256: hash), custom: custom)
        }
    }
}

/// A version as the catalog has it, with what could be used in its place.
package struct CatalogVersion: Sendable {
    package var id: VersionID
    package var template: TemplateID
    package var slug: String
    package var kind: TemplateKind
    package var number: SemanticVersion
    package var hash: ContentHash
    package var sizeBytes: Int
    package var state: VersionState
    package var reason: String?
    package var code: String?
    /// The path of what is on offer instead.
    package var replacement: String?
    /// What is said of it besides.
    package var record: SignedRecord

    func entry(_ layout: BinLayout) -> TargetEntry {
        let path = TargetPath.of(template, number, kind)
        var custom: [(String, TrustJSON)] = [
            ("slug", .string(slug)), (SignedRecord.member, .string(record.hash.hex)),
        ]
        if state != .published {
            custom.append(("state", .string(state.rawValue)))
            if let reason { custom.append(("reason", .string(reason))) }
            if let code, state == .takenDown { custom.append(("code", .string(code))) }
            if let replacement, replacement != path { custom.append(("replacement", .string(replacement))) }
        }
        return TargetEntry(
            version: id, template: template, bin: layout.bin(of: path), path: path, hash: hash, sizeBytes: sizeBytes,
            custom: String(decoding: TrustJSON(members: custom).text, as: UTF8.self))
    }
}
