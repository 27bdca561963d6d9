// SPDX-License-Identifier: Apache-2.0
import CCleaning
import Glibc
import IngestWire
import SheetCore

/// Makes the clean copy of a file, and says what was taken out in words for people.
enum FileCleaning {
    /// Loads what makes copies, before the sandbox; what failed, if anything did.
    static func prepare() -> String? {
        pdf_load_cleaning().map { String(cString: $0) }
    }

    /// The copy is `nil` when the report names a failure.
    static func copy(
        of content: UnsafeRawBufferPointer,
        maximumBytes: Int
    ) throws -> (CleaningReport, copy: [UInt8]?) {
        var copy = pdf_clean_copy()
        let status = pdf_make_clean_copy(
            content.baseAddress?.assumingMemoryBound(to: UInt8.self),
            content.count,
            maximumBytes,
            &copy
        )
        defer { free(copy.bytes) }
        switch status {
        case pdf_cleaning_ok:
            return (
                CleaningReport(removed: removals(copy), removedIcons: icons(copy)),
                Array(UnsafeBufferPointer(start: copy.bytes, count: copy.length))
            )
        case pdf_cleaning_no_memory: throw OutOfMemory()
        case pdf_cleaning_encrypted: return failure("The file needs a password.")
        case pdf_cleaning_too_complex: return failure("The file is built of far more objects than a sheet can need.")
        case pdf_cleaning_too_large: return failure("The copy would be larger than a file may be.")
        default: return failure("The file is too damaged to be written anew.")
        }
    }

    private static func failure(_ reason: String) -> (CleaningReport, copy: [UInt8]?) {
        (CleaningReport(removed: [], failure: reason), nil)
    }

    private static let kinds: [(pdf_removed_kind, FindingCode, String)] = [
        (pdf_removed_scripts, .javascript, "scripts"),
        (pdf_removed_launches, .launchAction, "actions that start programs"),
        (pdf_removed_external_actions, .externalAction, "actions that reach for other files or addresses"),
        (pdf_removed_external_content, .externalAction, "content that lies in other files"),
        (pdf_removed_embedded_files, .embeddedFiles, "embedded files"),
        (pdf_removed_icons, .embeddedFiles, "icons of embedded files and media on pages"),
        (pdf_removed_media, .embeddedFiles, "embedded media"),
        (pdf_removed_films, .embeddedMedia, "films on pages"),
        (pdf_removed_xfa, .xfa, "XFA forms beside the ordinary form"),
        (pdf_removed_private_metadata, .privateMetadata, "metadata that names folders"),
        (pdf_removed_application_data, .privateMetadata, "private data of the program it was made with"),
        (pdf_removed_signatures, .cleaned, "signatures that a changed file would break"),
        (pdf_removed_encryption, .cleaned, "encryption with an empty password"),
    ]

    private static func removals(_ copy: pdf_clean_copy) -> [Removal] {
        kinds.compactMap { kind, code, what in
            let count = count(of: kind, in: copy)
            return count > 0 ? Removal(code: code, what: what, count: count) : nil
        }
    }

    private static func icons(_ copy: pdf_clean_copy) -> Int {
        count(of: pdf_removed_icons, in: copy)
    }

    private static func count(of kind: pdf_removed_kind, in copy: pdf_clean_copy) -> Int {
        withUnsafeBytes(of: copy.removed) { Int($0.bindMemory(to: UInt32.self)[Int(kind.rawValue)]) }
    }
}
