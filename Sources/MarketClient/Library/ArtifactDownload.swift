// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import MarketWire
import SheetCore

/// What an installation tells while it runs.
public enum InstallEvent: Sendable, Equatable {
    /// Another process downloads the same file; this one waits and then shares it.
    case waiting
    /// An earlier download goes on from so many bytes.
    case resuming(bytes: Int)
    /// Of the file itself, as often as a piece of it was written; what was there before counts as done.
    case downloading(TransferProgress)
    /// Something to tell people.
    case notice(String)
}

/// Brings one artifact into the library: resumed where an earlier try stopped, verified before it is visible.
struct ArtifactDownload: Sendable {
    let client: MarketClient
    let library: Library
    /// The template's id or slug and the version.
    let key: String
    let version: SemanticVersion
    let hash: ContentHash
    let bytes: Int
    /// An address that came with the version; another is asked for when it does not work.
    var ticket: DownloadTicket?
    /// What the file may be made of, so that only what differs need come.
    var older: OlderFile?
    let slots: TransferSlots
    let objects: ObjectQueue
    let report: @Sendable (InstallEvent) -> Void

    /// Broken connections in a row without a single new byte before it is left for another day.
    static let maximumFailures = 3

    /// Of so many bytes the entity tag is kept while more come, so that it is not lost with the process; of fewer only
    /// when they break off.
    static let tagBytes = 1 << 20

    /// Thrown inside when what is there so far cannot be built on.
    private struct StartOver: Error {}

    /// Makes sure that the library has the artifact, and says whether it had to be fetched.
    func run() async throws -> Bool {
        let lock = try await FileLock.wait(
            for: library.objectLockPath(hash), atMost: Library.downloadLockTimeout, onWait: { report(.waiting) })
        defer { withExtendedLifetime(lock) {} }
        if try library.state(of: hash) == .intact { return false }
        let partial = try PartialFile(path: library.partialPath(hash))
        if partial.count > bytes { try partial.clear() }
        let inherited = partial.count > 0
        if inherited { report(.resuming(bytes: partial.count)) }
        let isMade = try await slots.use { try await complete(partial, ticket, older) }
        if partial.hash != hash && (inherited || isMade) {
            // The earlier part, or what it was made of, may be what is wrong with it: a power cut can leave anything.
            try partial.clear()
            _ = try await slots.use { try await complete(partial, nil, nil) }
        }
        let received = partial.hash
        guard received == hash else {
            discard()
            throw LibraryError.wrongBytes(expected: hash, received: received)
        }
        try await objects.place(partial, as: hash)
        return true
    }

    private func discard() {
        // What stays is found damaged again, or swept when it is old.
        AtomicFile.discard(library.partialPath(hash))
        AtomicFile.discard(library.entityTagPath(hash))
    }

    /// Says whether the file was made of the older one.
    private func complete(
        _ partial: PartialFile, _ ticket: DownloadTicket?, _ older: OlderFile?
    ) async throws -> Bool {
        var ticket = ticket
        var older = partial.count == 0 ? older : nil
        var failures = 0
        var restarts = 0
        while partial.count < bytes {
            let before = partial.count
            do {
                defer { ticket = nil }
                if try await transfer(to: partial, ticket, older) { return true }
                if partial.count < bytes { failures += 1 }
            } catch is UnusableDifference {
                // Whatever it was, the whole file does without.
                older = nil
                try partial.clear()
                continue
            } catch is StartOver {
                try partial.clear()
                restarts += 1
                if restarts > 2 { throw MarketClientError.unreadableAnswer("it cannot keep to its own byte ranges") }
                continue
            } catch let error as MarketClientError {
                if error.code == .downloadExpired, failures < Self.maximumFailures {
                    failures += 1
                    continue
                }
                guard error.isOutage else { throw error }
                failures = partial.count > before ? 1 : failures + 1
                if failures >= Self.maximumFailures { throw error }
                try await Task.sleep(for: .milliseconds(250 << failures))
            }
            if failures >= Self.maximumFailures {
                throw LibraryError.wrongSize(expected: bytes, received: partial.count)
            }
            // Nothing is made of an older file but from its beginning.
            if partial.count > 0 { older = nil }
        }
        return false
    }

    /// Says whether it made the whole file of the older one.
    private func transfer(
        to partial: PartialFile, _ known: DownloadTicket?, _ older: OlderFile?
    ) async throws -> Bool {
        let ticket: DownloadTicket
        if let known {
            ticket = known
        } else {
            ticket = try await client.downloadTicket(for: key, version: version.description)
        }
        guard ticket.sha256 == hash else {
            throw LibraryError.versionChanged(name: key, version: version, known: hash, offered: ticket.sha256)
        }
        guard let url = client.server.resolve(ticket.url) else {
            throw MarketClientError.unreadableAnswer("'\(ticket.url)' is not the address of a download")
        }
        var call = Call.get("")
        call.headers[.accept] = "*/*"
        call.headers[.acceptEncoding] = "identity"
        if partial.count > 0 {
            call.headers[.range] = "bytes=\(partial.count)-"
            if let tag = entityTag() { call.headers[.ifRange] = tag }
        } else if let older {
            call.headers[.acceptEncoding] = DictionaryCompression.coding
            call.setHeader(
                DictionaryCompression.dictionaryField, DictionaryCompression.fieldValue(of: older.hash))
        }
        let response = try await ask(call, url)
        if let older, response.status == 200, response.headers[.contentEncoding] == DictionaryCompression.coding {
            try await make(partial, of: older, from: response)
            return true
        }
        var unkept = try begin(response, partial)
        /// Keeps the tag of what is there of an unfinished file.
        func keepTag() {
            guard let tag = unkept, partial.count > 0, partial.count < bytes else { return }
            AtomicFile.writeInPlace(Data(tag.utf8), in: library.entityTagPath(hash))
            unkept = nil
        }
        do {
            for try await piece in response.body {
                guard partial.count + piece.count <= bytes else {
                    throw LibraryError.wrongSize(expected: bytes, received: partial.count + piece.count)
                }
                try partial.append(piece)
                if partial.count >= Self.tagBytes { keepTag() }
                report(.downloading(TransferProgress(bytes: partial.count, total: bytes)))
            }
            keepTag()
        } catch let error as LibraryError {
            if case .wrongSize = error { discard() } else { keepTag() }
            throw error
        } catch {
            keepTag()
            throw client.requests.failure(error)
        }
        return false
    }

    private func make(
        _ partial: PartialFile, of older: OlderFile, from response: TransportResponse
    ) async throws {
        AtomicFile.discard(library.entityTagPath(hash))
        let total = response.headers[.contentLength].flatMap { Int($0) } ?? bytes
        do {
            try await older.room.use(older.room(for: bytes)) {
                try await partial.append(response.body, of: older, limit: bytes) { received in
                    report(.downloading(TransferProgress(bytes: received, total: max(received, total))))
                }
            }
        } catch is UnusableDifference {
            throw UnusableDifference()
        } catch let error as LibraryError {
            throw error
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            // A broken connection: less than the whole of it is of no use.
            throw UnusableDifference()
        }
    }

    /// A range that the server cannot serve means that the earlier part is of something else.
    private func ask(_ call: Call, _ url: URL) async throws -> TransportResponse {
        do {
            // The signed address is all the permission that is needed: no token, not even to the market itself.
            return try await client.signedIn(with: nil).requests.send(call, to: url)
        } catch MarketClientError.status(416, _) {
            throw StartOver()
        } catch MarketClientError.refused(let problem) where problem.status == 416 {
            throw StartOver()
        }
    }

    /// Checks that the answer's bytes belong where they will be put, and gives their entity tag if it is not kept yet.
    private func begin(_ response: TransportResponse, _ partial: PartialFile) throws -> String? {
        switch response.status {
        case 200:
            if partial.count > 0 { try partial.clear() }
            if let text = response.headers[.contentLength], let length = Int(text), length != bytes {
                throw LibraryError.wrongSize(expected: bytes, received: length)
            }
        case 206:
            let range = response.headers[.contentRange].flatMap(ContentRange.init)
            guard let range, range.first == partial.count, range.total == nil || range.total == bytes else {
                throw StartOver()
            }
        default:
            throw MarketClientError.status(response.status, "a download was expected")
        }
        return unkept(response.headers[.eTag])
    }

    private func entityTag() -> String? {
        FileManager.default.contents(atPath: library.entityTagPath(hash)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// An answer's tag, unless it is kept already; a kept one of other bytes is no more. Only a strong tag proves that two
    /// answers are parts of the same bytes (RFC 9110, section 13.1.5).
    private func unkept(_ tag: String?) -> String? {
        let strong = tag.flatMap { $0.hasPrefix("\"") && $0.count >= 2 && $0.hasSuffix("\"") ? $0 : nil }
        guard let kept = entityTag() else { return strong }
        if kept == strong { return nil }
        AtomicFile.discard(library.entityTagPath(hash))
        return strong
    }
}

/// `Content-Range: bytes FIRST-LAST/TOTAL` (RFC 9110, section 14.4).
struct ContentRange: Equatable {
    let first: Int
    let last: Int
    /// `nil` when the server does not say.
    let total: Int?

    init?(_ text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let halves = parts[1].split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Int(ends[0]), let last = Int(ends[1]), first >= 0, last >= first
        else { return nil }
        if halves[1] == "*" {
            total = nil
        } else {
            guard let total = Int(halves[1]), total > last else { return nil }
            self.total = total
        }
        self.first = first
        self.last = last
    }
}
