// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// What can go wrong with the offline library. The description is a sentence for people, with what to do.
public enum LibraryError: Error, Sendable, Equatable {
    /// The operating system refused something.
    case system(doing: String, path: String, reason: String)
    /// The folder was written by a later version.
    case newerFormat(path: String, format: Int)
    /// A template's record cannot be read.
    case unreadableRecord(path: String, reason: String)
    /// Nothing of that name or id was ever installed here.
    case notInLibrary(String)
    /// The template is known here, but this version of it was never installed.
    case versionNotInLibrary(String, version: SemanticVersion, has: [SemanticVersion])
    /// Templates of several servers share the slug.
    case ambiguous(String, ids: [TemplateID])
    /// Known here, but not installed now.
    case notInstalled(String)
    /// A stored file is gone.
    case missingFile(name: String, path: String)
    /// A stored file is not what it was.
    case damagedFile(name: String, path: String)
    /// The server sent other bytes than it announced; nothing was installed.
    case wrongBytes(expected: ContentHash, received: ContentHash)
    /// The server sent more or fewer bytes than it announced; nothing was installed.
    case wrongSize(expected: Int, received: Int)
    /// A version that was installed once has other bytes on the server now; versions never change.
    case versionChanged(name: String, version: SemanticVersion, known: ContentHash, offered: ContentHash)
    /// The version can only be used by a later version of this program.
    case programTooOld(name: String, version: SemanticVersion, needs: SemanticVersion)
    /// The version is too large for an archive.
    case cannotArchive(name: String)
    /// Another process has held the library for too long.
    case busy(path: String)

    /// Whether bytes were not what they should be.
    public var isVerificationFailure: Bool {
        switch self {
        case .missingFile, .damagedFile, .wrongBytes, .wrongSize, .versionChanged, .unreadableRecord: true
        default: false
        }
    }
}

extension LibraryError: CustomStringConvertible, LocalizedError {
    /// What happened, in a sentence.
    public var description: String {
        switch self {
        case .system(let doing, let path, let reason):
            return "Cannot \(doing) \(path): \(reason)."
        case .newerFormat(let path, let format):
            return "The library in \(path) has format \(format), which a later version wrote; update this program."
        case .unreadableRecord(let path, let reason):
            return "The record \(path) cannot be read: \(reason). Install its template again to mend it."
        case .cannotArchive(let name):
            return "\(name) is too large for an archive."
        case .programTooOld(let name, let version, let needs):
            return "\(name) \(version) needs version \(needs) or later of this program, which is "
                + "\(MarketClient.version). Update the program, or install an earlier version of the template by its "
                + "number; `sheets show \(name)` lists them."
        case .notInLibrary(let key):
            return "'\(key)' was never installed in this library."
        case .versionNotInLibrary(let key, let version, let has):
            let known = has.map(\.description).joined(separator: ", ")
            return "'\(key)' was never installed in version \(version); the library has \(known)."
        case .ambiguous(let key, let ids):
            return "'\(key)' names templates of several servers; use an id: "
                + ids.map(\.description).joined(separator: ", ") + "."
        case .notInstalled(let key):
            return "'\(key)' is not installed; `sheets install \(key)` installs it again, without a network too."
        case .missingFile(let name, let path):
            return "The file of '\(name)' is missing (\(path)); `sheets install \(name)` fetches it again."
        case .damagedFile(let name, let path):
            return "The file of '\(name)' is damaged (\(path)); `sheets install \(name)` fetches it again."
        case .wrongBytes(let expected, let received):
            return "The download is not what the server announced (SHA-256 \(received), not \(expected)); "
                + "it was thrown away."
        case .wrongSize(let expected, let received):
            return "The download has \(received) bytes where the server announced \(expected); it was thrown away."
        case .versionChanged(let name, let version, let known, let offered):
            return "The server offers other bytes for \(name) \(version) than were installed before "
                + "(SHA-256 \(offered), not \(known)). A version never changes, so this is refused."
        case .busy(let path):
            return "Another process has held the library for too long (\(path)); try again when it is done."
        }
    }

    /// The same sentence, for Apple's alerts.
    public var errorDescription: String? { description }
}
