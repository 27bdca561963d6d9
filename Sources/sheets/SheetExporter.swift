// SPDX-License-Identifier: Apache-2.0
import CharacterCore
import ChildProcess
import Foundation
import SheetCore

/// `sheet-export`, which reads and writes PDFs in a sandbox, as a child.
struct SheetExporter {
    static let name = "sheet-export"

    struct Answer {
        let pdf: Data
        /// What could not be written, in sentences.
        let notes: [String]
    }

    let path: String

    /// The program beside this one, or where the system has its programs.
    static func found() throws -> SheetExporter {
        if let given = Environment.variable("SHEETS_EXPORTER") { return SheetExporter(path: given) }
        let own =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        let beside = URL(fileURLWithPath: own).deletingLastPathComponent().path
        let path = Environment.variable("PATH").map { $0.split(separator: ":").map(String.init) } ?? []
        for folder in [beside] + path + ["/usr/bin"] {
            let file = "\(folder)/\(name)"
            if FileManager.default.isExecutableFile(atPath: file) { return SheetExporter(path: file) }
        }
        throw CommandFailure(
            "PDFs are written by another program, \(name), which is not installed here: it comes with the Debian "
                + "package \(name) (sudo apt install ./\(name)_*.deb), and belongs beside sheets or on $PATH.")
    }

    func run(_ request: ExportRequest) throws -> Answer { try answer(to: request.data) }

    private struct Fields: Decodable { let fields: [FormField] }

    /// The fields of a PDF's form, none if it has no form.
    func fields(of pdf: Data) throws -> [FormField] {
        let answer = try answer(to: pdf, "--read-fields")
        guard let fields = try? SheetJSON.decoder().decode(Fields.self, from: answer.pdf).fields else {
            throw CommandFailure("\(Terminal.printable(path)) is of another version than sheets.")
        }
        return fields
    }

    private func answer(to input: Data, _ arguments: String...) throws -> Answer {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        // Named by nothing once it is open: a child that reads late keeps nobody waiting.
        let folder = FileManager.default.temporaryDirectory
        let file = folder.appendingPathComponent("sheets-\(UUID().uuidString)")
        guard
            FileManager.default.createFile(
                atPath: file.path, contents: input, attributes: [.posixPermissions: 0o600])
        else { throw CommandFailure("There is no room in \(Terminal.printable(folder.path)).") }
        defer { try? FileManager.default.removeItem(at: file) }
        process.standardInput = try FileHandle(forReadingFrom: file)
        try FileManager.default.removeItem(at: file)
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        do {
            try process.start()
        } catch {
            throw CommandFailure("\(Terminal.printable(path)) cannot be started.")
        }
        // It writes its few sentences first, and they fit into a pipe.
        let pdf = try output.fileHandleForReading.readToEnd() ?? Data()
        let text = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        let sentences = text.split(separator: "\n").map { Terminal.printable(String($0)) }
        guard process.terminationReason == .exit, process.terminationStatus == 0, !pdf.isEmpty else {
            throw CommandFailure(sentences.last ?? Self.end(of: process))
        }
        return Answer(pdf: pdf, notes: sentences)
    }

    /// Why it ended without a word: the sandbox stops what takes too much.
    private static func end(of process: Process) -> String {
        // Linux's SIGALRM and SIGXCPU, and the status by which a reader says that there was no more memory.
        let (alarm, processorTime, memory): (Int32, Int32, Int32) = (14, 24, 71)
        switch (process.terminationReason, process.terminationStatus) {
        case (.uncaughtSignal, alarm), (.uncaughtSignal, processorTime):
            return "The sheet takes too long to be written."
        case (.exit, memory): return "There is not enough memory for this sheet."
        default: return "\(name) ended before the PDF was written: the sheet's file may be damaged."
        }
    }
}
