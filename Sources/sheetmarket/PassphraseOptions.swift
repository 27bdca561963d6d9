// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation

/// Where the passphrase of the sealed keys comes from.
struct PassphraseOptions: ParsableArguments {
    private static let shortest = 12

    @Option(
        help: ArgumentHelp(
            "A file whose first line is the passphrase of the keys; without it a terminal is asked.", valueName: "file"),
        completion: .file())
    var passphraseFile: String?

    @Flag(help: "Leave the keys out: they are kept elsewhere.")
    var withoutKeys = false

    func validate() throws {
        if withoutKeys && passphraseFile != nil {
            throw ValidationError("--without-keys and --passphrase-file exclude each other.")
        }
    }

    /// The passphrase; `nil` where keys are left out. A new one is asked for twice.
    func passphrase(isNew: Bool) throws -> String? {
        if withoutKeys { return nil }
        let given: String
        if let passphraseFile {
            do {
                given = try String(contentsOf: URL(filePath: passphraseFile), encoding: .utf8)
            } catch {
                throw CommandFailure("\(passphraseFile) cannot be read: \(error.localizedDescription)")
            }
        } else if isatty(STDIN_FILENO) == 1 {
            given = Self.ask("Passphrase of the keys: ")
            if isNew, Self.ask("The same again: ") != given { throw CommandFailure("These are two passphrases.") }
        } else {
            throw CommandFailure(
                "Name the passphrase of the keys with --passphrase-file FILE, or leave them out with --without-keys.")
        }
        let line = given.split(separator: "\n").first.map { $0.trimmingCharacters(in: .whitespaces) } ?? ""
        guard line.count >= Self.shortest else {
            throw CommandFailure("A passphrase has \(Self.shortest) characters or more.")
        }
        return line
    }

    private static func ask(_ question: String) -> String { getpass(question).map { String(cString: $0) } ?? "" }
}
