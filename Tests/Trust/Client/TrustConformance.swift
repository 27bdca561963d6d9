// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import MarketClient
import SheetCore

/// The client's verification behind the command line of the TUF project's tuf-conformance (its CLIENT-CLI.md): `init ROOT`,
/// `refresh`, `download`. Besides there is `session`, which takes lines of JSON and stays: `Tests/Trust/conformance.py`
/// drives it. No part of what is shipped.
@main
struct TrustConformance {
    static func main() async {
        do {
            var options = try Options(Array(CommandLine.arguments.dropFirst()))
            guard let command = options.words.first else { throw Usage() }
            if command == "session" {
                try await Conversation(options).run()
            } else {
                if command == "init", options.words.count == 2 { options.values["root"] = options.words[1] }
                let client = try Client(options)
                for request in Request.all(command, options) {
                    if let error = try await client.answer(request).error { throw Refused(reason: error) }
                }
            }
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }
}

private struct Usage: Error, CustomStringConvertible {
    var description: String {
        "usage: trust-conformance --metadata-dir DIR [--metadata-url URL] [--target-name PATH... "
            + "--target-base-url URL --target-dir DIR] [--time SECONDS] init ROOT | refresh | download | session"
    }
}

private struct Refused: Error, CustomStringConvertible {
    let reason: String
    var description: String { reason }
}

/// `--name value` in any order, and the words between.
private struct Options {
    var values: [String: String] = [:]
    /// Each `--target-name`: files are asked for one after another.
    var targets: [String] = []
    var words: [String] = []

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let word = rest.popFirst() {
            if word.hasPrefix("--") {
                guard let value = rest.popFirst() else { throw Usage() }
                values[String(word.dropFirst(2))] = value
                if word == "--target-name" { targets.append(value) }
            } else {
                words.append(word)
            }
        }
    }
}

/// What is asked for; a line in a session.
private struct Request: Decodable {
    var command: String
    var path: String?
    /// Where files are, and where one goes.
    var base: String?
    var to: String?
    var hasHashInName: Bool?
    /// Whether one that is there already will do.
    var isCached: Bool?

    /// What a command line asks for, in order.
    static func all(_ command: String, _ options: Options) -> [Request] {
        guard command == "download", !options.targets.isEmpty else { return [Request(command, nil, options)] }
        return options.targets.map { Request(command, $0, options) }
    }

    private init(_ command: String, _ path: String?, _ options: Options) {
        self.command = command
        self.path = path
        base = options.values["target-base-url"]
        if let folder = options.values["target-dir"], let path {
            let plain = CharacterSet.alphanumerics.union(.init(charactersIn: "-._"))
            let name = path.addingPercentEncoding(withAllowedCharacters: plain)
            to = name.map { "\(folder)/\($0)" }
        }
    }
}

/// What came of it.
private struct Answer: Encodable {
    /// The case of `TrustError` or `LibraryError`, and the sentence.
    var error: String?
    var message: String?
    var length: Int?
    var sha256: String?
    var isUnknown: Bool?
}

/// A session for one run of a client.
private struct Conversation {
    let client: Client

    init(_ options: Options) throws { client = try Client(options) }

    func run() async throws {
        while let line = readLine() {
            let answer = try await client.answer(JSONDecoder().decode(Request.self, from: Data(line.utf8)))
            FileHandle.standardOutput.write(try JSONEncoder().encode(answer) + Data("\n".utf8))
        }
    }
}

/// One run: a library whose trust folder is kept equal to the folder that the suite looks into.
private final class Client: Sendable {
    private let folder: URL
    private let metadata: MetadataFiles
    private let session: TrustSession
    private let root: String?

    init(_ options: Options) throws {
        guard let path = options.values["metadata-dir"] else { throw Usage() }
        folder = URL(filePath: path)
        root = options.values["root"]
        let base = options.values["metadata-url"]
        let library = folder.deletingLastPathComponent().appending(path: ".\(folder.lastPathComponent)-library")
        let metadata = MetadataFiles(folder: folder, library: library)
        self.metadata = metadata
        var limits = TrustLimits()
        func limit(_ name: String, _ place: WritableKeyPath<TrustLimits, Int>) {
            if let value = options.values[name].flatMap(Int.init) { limits[keyPath: place] = value }
        }
        limit("root-limit", \.root)
        limit("timestamp-limit", \.timestamp)
        limit("snapshot-limit", \.snapshot)
        limit("targets-limit", \.targets)
        limit("root-rotations", \.rootRotations)
        limit("delegations", \.delegations)
        let time = options.values["time"].flatMap(Double.init).map { Date(timeIntervalSince1970: $0) }
        session = TrustSession(
            library: Library(root: library.path), server: "conformance",
            source: TrustSource(name: "the suite") { name, limit in
                metadata.note(name)
                return try await Client.fetch(name, of: base, limit)
            }, now: { time ?? Date() }, limits: limits)
        try metadata.take()
    }

    func answer(_ request: Request) async throws -> Answer {
        var answer = Answer()
        do {
            try await run(request, &answer)
        } catch LibraryError.untrusted(.unknownTarget) where request.command == "find" {
            answer.isUnknown = true
        } catch LibraryError.untrusted(let error) {
            answer.error = Self.name(of: error)
            answer.message = "\(error)"
        } catch {
            answer.error = Self.name(of: error)
            answer.message = "\(error)"
        }
        try metadata.give()
        return answer
    }

    private static func name(of error: some Error) -> String {
        String("\(Mirror(reflecting: error).children.first?.label ?? "\(error)")".prefix { $0 != "(" })
    }

    private func run(_ request: Request, _ answer: inout Answer) async throws {
        switch request.command {
        case "init":
            guard let root else { throw Usage() }
            try await session.pin(try Data(contentsOf: URL(filePath: root)))
        case "refresh":
            guard try await session.root != nil else { throw LibraryError.noRoot(server: "conformance") }
            try await session.refreshTargets()
        case "find":
            let target = try await session.find(request.path ?? "")
            answer.length = target.info.length
            answer.sha256 = target.info.sha256?.hex
        case "download":
            guard let path = request.path, let to = request.to else { throw Usage() }
            try await session.refreshTargets()
            let target = try await session.find(path)
            if request.isCached != false, let kept = FileManager.default.contents(atPath: to),
                (try? target.verify(kept)) != nil
            {
                return
            }
            let hasHash = try request.hasHashInName != false && metadata.root().hasConsistentSnapshots
            let name = hasHash ? try Self.storedName(of: target) : path
            guard let bytes = try await Self.fetch(name, of: request.base, target.info.length ?? 0) else {
                throw LibraryError.metadataMissing(role: path, source: "the suite")
            }
            do {
                try target.verify(bytes)
            } catch {
                throw LibraryError.untrusted(error)
            }
            try bytes.write(to: URL(filePath: to))
        default: throw Usage()
        }
    }

    /// As `TargetPath` has it for the market's files, which all have a SHA-256; others may have a SHA-512 alone.
    private static func storedName(of target: TrustTarget) throws -> String {
        guard let digits = target.info.hashes["sha256"] ?? target.info.hashes["sha512"] else {
            throw TrustError.wrongBytes(role: target.path)
        }
        let start = target.path.lastIndex(of: "/").map(target.path.index(after:)) ?? target.path.startIndex
        return "\(target.path[..<start])\(digits).\(target.path[start...])"
    }

    /// As the market's own files are fetched: cut off at a limit.
    private static func fetch(_ name: String, of base: String?, _ limit: Int) async throws -> Data? {
        let allowed = CharacterSet.alphanumerics.intersection(.init(charactersIn: "\u{0}"..."\u{7f}"))
            .union(.init(charactersIn: "-._~/"))
        let isTarget = base?.contains("/targets") == true
        let escaped = name.addingPercentEncoding(
            withAllowedCharacters: isTarget ? allowed : allowed.subtracting(.init(charactersIn: "/")))
        guard let base, let escaped, let url = URL(string: "\(base.hasSuffix("/") ? base : base + "/")\(escaped)")
        else {
            throw Usage()
        }
        let answer = try await AsyncHTTPTransport.shared.send(TransportRequest(method: .get, url: url))
        guard answer.status == 200 else { return nil }
        var bytes = Data()
        for try await piece in answer.body {
            bytes.append(piece)
            if bytes.count > limit { return bytes.prefix(limit + 1) }
        }
        return bytes
    }
}

/// Carries files between the folder that the suite looks into and the library's own.
private final class MetadataFiles: @unchecked Sendable {
    private let folder: URL
    private let library: URL
    private let lock = NSLock()
    private var roles: Set<String> = ["root", "timestamp", "snapshot", "targets"]

    init(folder: URL, library: URL) {
        self.folder = folder
        self.library = library
    }

    private var trust: URL {
        let name = ContentHash(hashing: Data("conformance".utf8)).hex.prefix(16)
        return library.appending(path: "trust/\(name)")
    }

    /// A file that was asked for tells its role.
    func note(_ name: String) {
        var role = name.hasSuffix(".json") ? String(name.dropLast(5)) : name
        if let dot = role.firstIndex(of: "."), !role[..<dot].isEmpty, role[..<dot].allSatisfy(\.isNumber) {
            role = String(role[role.index(after: dot)...])
        }
        lock.withLock { _ = roles.insert(role) }
    }

    private func own(_ role: String) -> URL {
        let isPlain = role.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
        let name = isPlain && role.utf8.count < 64 ? role : "role-" + ContentHash(hashing: Data(role.utf8)).hex
        return trust.appending(path: "\(name).json")
    }

    private func shown(_ role: String) -> URL {
        let allowed = CharacterSet.alphanumerics.intersection(.init(charactersIn: "\u{0}"..."\u{7f}"))
            .union(.init(charactersIn: "-._~"))
        let name = role.addingPercentEncoding(withAllowedCharacters: allowed) ?? role
        return URL(filePath: "\(folder.path)/\(name).json")
    }

    /// The root that is trusted now.
    func root() throws -> RootRole {
        try RootRole(SignedMetadata(reading: try Data(contentsOf: own("root")), role: "root"))
    }

    /// Takes over what the suite left or changed.
    func take() throws {
        let files = FileManager.default
        guard files.fileExists(atPath: shown("root").path) else {
            if files.fileExists(atPath: library.path) { try files.removeItem(at: library) }
            return
        }
        try files.createDirectory(at: trust, withIntermediateDirectories: true)
        for role in ["root", "timestamp", "snapshot", "targets"] where !files.fileExists(atPath: shown(role).path) {
            if files.fileExists(atPath: own(role).path) { try files.removeItem(at: own(role)) }
        }
        for name in try files.contentsOfDirectory(atPath: folder.path) where name.hasSuffix(".json") {
            let role = name.dropLast(5).removingPercentEncoding ?? String(name.dropLast(5))
            try copy(URL(filePath: "\(folder.path)/\(name)"), own(role))
        }
    }

    /// Shows what is trusted now.
    func give() throws {
        for role in lock.withLock({ roles }) where FileManager.default.fileExists(atPath: own(role).path) {
            try copy(own(role), shown(role))
        }
    }

    private func copy(_ source: URL, _ target: URL) throws {
        let bytes = try Data(contentsOf: source)
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        if FileManager.default.contents(atPath: target.path) != bytes { try bytes.write(to: target) }
    }
}
