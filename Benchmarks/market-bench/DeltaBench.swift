// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import DictionaryCoding
import Foundation
import SheetCore

/// How much of a file is left when what a client has already is taken out of it.
struct Delta: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a file of an older one; prints JSON with bytes and milliseconds.")

    @Argument(help: "The older file.")
    var old: String

    @Argument(help: "The newer file.")
    var new: String

    func run() throws {
        let base = try Data(contentsOf: URL(fileURLWithPath: old))
        let file = try Data(contentsOf: URL(fileURLWithPath: new))
        let start = ContinuousClock.now
        guard let frame = try DictionaryEncoder.encode(file, dictionary: base, limit: file.count + 1000) else {
            throw ValidationError("It only grows.")
        }
        let encoded = ContinuousClock.now
        let decoder = try FrameDecoder(dictionary: old)
        var made = Data()
        try decoder.decode(frame) { made.append($0) }
        guard made == file else { throw ValidationError("It does not come out as it was.") }
        let report = [
            "file": Double(file.count), "delta": Double(frame.count + 40),
            "encodeMilliseconds": (encoded - start) / .milliseconds(1),
            "decodeMilliseconds": (ContinuousClock.now - encoded) / .milliseconds(1),
        ]
        print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
    }
}
