// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketClient
import MarketWire
import SheetCore

struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check what this program needs: its library, the disk, trust, the market, the clock, your sign-in.",
        discussion: "Each line says what is wrong and what to do. Exit status 1 if anything is a problem.")

    @Flag(help: "Leave out what needs the market.")
    var offline = false

    @OptionGroup var market: MarketOptions
    @OptionGroup var mirror: MirrorOptions
    @OptionGroup var libraryOptions: LibraryOptions
    @OptionGroup var output: OutputOptions

    enum State: String, Encodable {
        case ok, warning, problem
    }

    struct Check: Encodable {
        let name: String
        let state: State
        let message: String

        init(_ name: String, _ state: State, _ message: String) {
            self.name = name
            self.state = state
            self.message = message
        }
    }

    private struct Report: Encodable {
        let ok: Bool
        let checks: [Check]
    }

    func run() async throws {
        let library = libraryOptions.open()
        var checks = [Check("program", .ok, "sheets \(MarketClient.version)")]
        checks.append(Self.contents(library))
        checks.append(Self.disk(library))
        if !offline { checks += try await online() }
        let isReached = !checks.contains { $0.name == "server" && $0.state == .problem }
        checks += try await trust(library, isReached: isReached)
        let ok = !checks.contains { $0.state == .problem }
        if output.json {
            try Terminal.json(Report(ok: ok, checks: checks))
        } else {
            for check in checks {
                let mark =
                    switch check.state {
                    case .ok: "ok      "
                    case .warning: "warning "
                    case .problem: "PROBLEM "
                    }
                Terminal.out(Terminal.printable("\(mark) \(check.name): \(check.message)"))
            }
        }
        if !ok { throw ExitStatus.failed }
    }

    private static func contents(_ library: Library) -> Check {
        do {
            let contents = try library.contents()
            if let error = contents.unreadable.first {
                return Check("library", .problem, "\(error) `sheets verify --repair` mends what it can.")
            }
            let count = Readable.count(contents.installed.count, "template")
            let quota = try library.quota().map { "; quota \(Readable.bytes($0))" } ?? ""
            return Check("library", .ok, "\(library.root), \(count) installed\(quota)")
        } catch {
            return Check("library", .problem, "\(error)")
        }
    }

    /// The folder, or the nearest one above it that is there, must be writable and have room.
    private static func disk(_ library: Library) -> Check {
        var folder = URL(fileURLWithPath: library.root)
        while !FileManager.default.fileExists(atPath: folder.path), folder.pathComponents.count > 1 {
            folder.deleteLastPathComponent()
        }
        guard FileManager.default.isWritableFile(atPath: folder.path) else {
            return Check(
                "disk", .warning, "\(folder.path) cannot be written: what is there opens, but nothing can be installed."
            )
        }
        // A file system that does not say how much room it has is no problem by itself.
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder.path)
        guard let free = (attributes?[.systemFreeSize] as? NSNumber)?.intValue else {
            return Check("disk", .ok, "writable")
        }
        let room = "\(Readable.bytes(free)) free"
        return free < 200_000_000
            ? Check("disk", .warning, "only \(room); `sheets clean` frees what is not needed.")
            : Check("disk", .ok, room)
    }

    /// Whose signature counts, whether it still does, and how old what is known is. Whoever was away until a root's end
    /// learns of the one that followed it, from the market or a mirror.
    private func trust(_ library: Library, isReached: Bool) async throws -> [Check] {
        do {
            let client = offline ? try market.client() : try mirror.client(of: market)
            let session = TrustSession(library: library, client: client)
            guard try await session.root != nil else { return [Self.unpinned(library, client.server)] }
            var failure: (any Error)?
            do {
                if !offline, isReached || client.mirror != nil { try await session.refresh() }
            } catch let error where error is LibraryError || error is MarketClientError {
                failure = error
            }
            guard let root = try await session.root else { return [] }
            let name = "fingerprint \(root.fingerprint.prefix(16))…, root version \(root.version)"
            let days = Int((root.expires.timeIntervalSinceNow / 86_400).rounded(.down))
            let advice = "the market must publish a new one, or nothing more can be installed from it."
            if days < 0 {
                return [Check("trust", .problem, "\(name) ended on \(Readable.day(root.expires)): \(advice)")]
            }
            if let failure { throw failure }
            let age = root.lastVerifiedAt.map { Int((Date().timeIntervalSince($0) / 86_400).rounded(.down)) }
            if days < 30 {
                return [Check("trust", .warning, "\(name) ends on \(Readable.day(root.expires)): \(advice)")]
            }
            let known =
                switch age {
                case nil: "nothing was verified by it yet"
                case 0?: "verified today"
                case let age?: "last verified \(Readable.count(age, "day")) ago"
                }
            let text = "\(name), good until \(Readable.day(root.expires)); \(known)"
            // Most markets sign anew within a week.
            return [
                Check("trust", (age ?? 0) > 30 ? .warning : .ok, (age ?? 0) > 30 ? text + "; `sheets update`" : text)
            ]
        } catch let error as LibraryError {
            return [Check("trust", .problem, "\(error)")]
        } catch let error as MarketClientError {
            return [Check("trust", .problem, "\(error)")]
        } catch let error as ValidationError {
            return [Check("trust", .problem, error.message)]
        }
    }

    /// A market of which nobody has pinned a root: what came of it was taken as it said.
    private static func unpinned(_ library: Library, _ server: ServerAddress) -> Check {
        // A library that cannot be read has a line of its own.
        let installed = (try? library.contents().installed) ?? []
        let count = installed.filter { $0.server == server.description && $0.current?.verified == false }.count
        let came = count == 0 ? "" : " (\(Readable.count(count, "template")) of it came unverified)"
        return Check(
            "trust", .ok,
            "no root of \(server) is pinned\(came): the first installation does that, if the market signs its catalog, or "
                + "`sheets trust init`, by a fingerprint that you were told elsewhere.")
    }

    /// Whether a market's version is of a series that this program does not know yet.
    private static func age(_ server: String?) -> Check? {
        guard let server = server.flatMap(SemanticVersion.init),
            let known = SemanticVersion(ServerProbe.knownVersion), server.major > known.major
        else { return nil }
        return Check(
            "program", .problem,
            "sheets \(MarketClient.version) is too old for this market, whose interface is version \(server): this "
                + "program knows \(known). Install a newer one.")
    }

    private func online() async throws -> [Check] {
        let client = try market.client()
        let probe: ServerProbe
        do {
            probe = try await client.probe()
        } catch let error as MarketClientError {
            let text = "\(error)"
            let place = text.hasPrefix("\(client.server)") ? "" : "\(client.server): "
            let advice = text.contains(Network.missing) ? "" : " Is --server right?"
            return [Check("server", .problem, place + text + advice)]
        }
        let version = probe.version.map { ", version \($0)" } ?? ""
        var checks = [
            Check("server", .ok, "\(client.server)\(version), answers in \(Int((probe.seconds * 1000).rounded())) ms")
        ]
        if let tooOld = Self.age(probe.version) { checks.append(tooOld) }
        if let ahead = probe.clockAhead {
            let off = "\(Int(abs(ahead).rounded())) s \(ahead < 0 ? "behind" : "ahead of") the server's"
            checks.append(
                abs(ahead) < 30
                    ? Check("clock", .ok, "right within \(max(1, Int(abs(ahead).rounded(.up)))) s")
                    : Check(
                        "clock", abs(ahead) < 300 ? .warning : .problem,
                        "\(off). Set this machine's clock: links and sign-ins expire by it."))
        }
        if !client.server.isPrivate {
            checks.append(Check("connection", .warning, "not https: anybody on the way can read and change it."))
        }
        checks.append(try await signIn(client))
        return checks
    }

    private func signIn(_ client: MarketClient) async throws -> Check {
        let stored = try Credentials.load().servers[client.server.description]
        guard Environment.variable("SHEETS_TOKEN") != nil || stored != nil else {
            return Check("sign-in", .ok, "none; only publishing and reviews need one")
        }
        do {
            let account = try await client.me()
            let until = stored?.expiresAt.map { ", until \(Readable.day($0))" } ?? ""
            return Check("sign-in", .ok, "\(account.handle)\(until)")
        } catch let error as MarketClientError {
            return Check("sign-in", .problem, "\(error) Sign in again with `sheets login`.")
        }
    }
}
