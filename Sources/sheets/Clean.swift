// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import MarketClient
import SheetCore

struct Clean: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clean",
        abstract: "Remove leftovers from the library, and keep it within a size. Needs no network.",
        discussion: """
            A quota is kept by every installation, too: the versions used longest ago go first, but never what is \
            installed, pinned, withdrawn from the market, or used by a character.
            """)

    @Option(
        help: ArgumentHelp(
            "Set the quota, such as 500M or 2G (k, M, G: thousands); none takes it away.", valueName: "size|none"))
    var quota: String?

    @Flag(name: .customLong("dry-run"), help: "Only say what would go.")
    var dryRun = false

    @OptionGroup var libraryOptions: LibraryOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let quota, quota != "none", Self.bytes(quota) == nil {
            throw ValidationError("--quota takes a size such as 500M, or none.")
        }
        if quota != nil, dryRun { throw ValidationError("--dry-run changes nothing, not even the quota.") }
    }

    /// Reads `500M`.
    static func bytes(_ text: String) -> Int? {
        var digits = text
        var factor = 1
        if let last = text.last, let unit = ["k": 1000, "K": 1000, "M": 1_000_000, "G": 1_000_000_000][last] {
            digits.removeLast()
            factor = unit
        }
        guard let number = Int(digits), number >= 0 else { return nil }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: factor)
        return overflow ? nil : bytes
    }

    func run() async throws {
        let library = libraryOptions.open()
        if let quota { try await library.setQuota(Self.bytes(quota)) }
        let report = try await library.clean(isTrial: dryRun)
        if output.json { return try Terminal.json(report) }
        let verb = dryRun ? "Would remove" : "Removed"
        for one in report.evicted {
            Terminal.out(Terminal.printable("\(verb) \(one.template)@\(one.version) (\(Readable.bytes(one.bytes)))."))
        }
        for path in report.leftovers { Terminal.out(Terminal.printable("\(verb) the leftover \(path).")) }
        let limit = report.quotaBytes.map { " of \(Readable.bytes($0))" } ?? ", without a quota"
        Terminal.out("The library takes \(Readable.bytes(report.usedBytes))\(limit).")
        if report.isOverQuota {
            Terminal.note(
                "That is over the quota: what is installed, pinned or withdrawn stays. `sheets remove` makes room.")
        }
    }
}
