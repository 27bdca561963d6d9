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
    /// There is no version to go back to.
    case nothingBefore(String, version: SemanticVersion)
    /// A file of what is played cannot be read.
    case unreadableTable(path: String)
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
    /// Signed metadata, or a file, is not to be trusted.
    case untrusted(TrustError)
    /// The market's first root is not the one that was expected.
    case wrongFingerprint(server: String, expected: String, found: String)
    /// Nothing is known by which signed metadata could be verified.
    case noRoot(server: String)
    /// No root is pinned by which a mirror could be verified, and the market itself gives none.
    case unverifiableMirror(String, server: String, reason: String)
    /// What is kept of a market's root is damaged, or half of it is gone.
    case damagedPin(path: String)
    /// The market offers an older version than is installed, and has not withdrawn that.
    case olderOffered(name: String, installed: SemanticVersion, offered: SemanticVersion)
    /// A file of signed metadata is not there.
    case metadataMissing(role: String, source: String)
    /// This machine's clock shows an earlier time than at the last verification.
    case clockWentBack(now: Date, last: Date)
    /// The market says of a version what it has not signed.
    case notAsSigned(name: String)
    /// It was taken down, says the signed metadata, and perhaps what to use instead.
    case takenDown(name: String, reason: String, instead: Replacement?)

    /// Whether bytes were not what they should be.
    public var isVerificationFailure: Bool {
        switch self {
        case .missingFile, .damagedFile, .wrongBytes, .wrongSize, .versionChanged, .unreadableRecord,
            .unreadableTable, .untrusted, .wrongFingerprint, .damagedPin, .olderOffered, .metadataMissing,
            .clockWentBack, .notAsSigned, .takenDown, .unverifiableMirror:
            true
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
        case .nothingBefore(let key, let version):
            return "The library has no version of '\(key)' before \(version)."
        case .unreadableTable(let path):
            return "\(path) cannot be read: it is damaged or of a later format. Put a copy from a backup in its place."
        case .missingFile(let name, let path):
            return "The file of '\(name)' is missing (\(path)); `sheets verify --repair` fetches it again."
        case .damagedFile(let name, let path):
            return "The file of '\(name)' is damaged (\(path)); `sheets verify --repair` fetches it again."
        case .wrongBytes(let expected, let received):
            return "The download is not what the server announced (SHA-256 \(received), not \(expected)); "
                + "it was thrown away. Try again later, or from elsewhere: from a mirror, or the market itself."
        case .wrongSize(let expected, let received):
            return "The download has \(received) bytes where the server announced \(expected); it was thrown away."
        case .versionChanged(let name, let version, let known, let offered):
            return "The server offers other bytes for \(name) \(version) than were installed before "
                + "(SHA-256 \(offered), not \(known)). A version never changes, so this is refused."
        case .busy(let path):
            return "Another process has held the library for too long (\(path)); try again when it is done."
        case .untrusted(let error):
            return "\(error) \(Self.advice(for: error)) Nothing was installed; what is installed goes on opening."
        case .wrongFingerprint(let server, let expected, let found):
            return "The root of \(server) has the fingerprint \(found), not \(expected). Nothing is trusted; ask the "
                + "operator which one is right."
        case .noRoot(let server):
            return "Nothing is known by which \(server) could be verified: `sheets trust init` pins its root."
        case .unverifiableMirror(let mirror, let server, let reason):
            return
                "What \(mirror) has cannot be verified, so nothing is taken from it: no root of \(server) is pinned, and the "
                + "market itself gives none. \(reason) Ask its operator for the root or its fingerprint: `sheets trust init "
                + "--server \(server) --root FILE`, or with --fingerprint HEX and --mirror \(mirror), pins it."
        case .damagedPin(let path):
            return
                "What is kept of the market's root is damaged (\(path)). Nothing was installed. Ask the operator for the "
                + "fingerprint: `sheets trust init --fingerprint` pins the root again. What is installed goes on opening."
        case .olderOffered(let name, let installed, let offered):
            return
                "The market offers \(name) \(offered), which is older than \(installed), and has not withdrawn that: "
                + "nothing was installed. To have the older one, name it: `sheets install \(name)@\(offered)`."
        case .metadataMissing(let role, let source):
            return
                "\(source) has no '\(role)' of its signed catalog, though it had one. Nothing was installed; try again "
                + "later or from elsewhere. What is installed goes on opening."
        case .clockWentBack(let now, let last):
            return
                "This machine's clock says \(TrustDate.text(now)), but it was \(TrustDate.text(last)) when the market "
                + "was verified last. Set the clock. If it was wrong then, `sheets trust init --fingerprint HEX` pins the root "
                + "again, with what `sheets trust status` shows. What is installed goes on opening."
        case .notAsSigned(let name):
            return
                "What the market says of \(name) is not what it has signed; nothing was installed. If it was edited "
                + "just now, try again in a minute, or have it from the market itself."
        case .takenDown(let name, let reason, let instead):
            return "\(name) was taken down by a moderator\(reason) Nothing was installed."
                + (instead.map { " \($0.advice)" } ?? "")
        }
    }

    /// What to do about metadata that is not trusted.
    private static func advice(for error: TrustError) -> String {
        switch error {
        case .expired:
            "If this machine's clock is right, whoever answers holds news back or has not signed for too long: try "
                + "again later, or from elsewhere."
        case .rollback, .notInSnapshot:
            "Whoever answers shows an older state than was here before: try again later, or from elsewhere."
        case .unknownTarget: "A release is signed within half a minute: if it is that new, try again."
        default: "Whoever answers is not the market whose root is pinned, or was broken into: tell its operator."
        }
    }

    /// The same sentence, for Apple's alerts.
    public var errorDescription: String? { description }
}
