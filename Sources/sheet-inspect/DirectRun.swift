// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import IngestWire
import SheetCore

/// `sheet-inspect FILE`: a child in the sandbox reads, this process waits, judges how the child ended, and prints.
struct DirectRun {
    let options: Invocation.FileOptions

    func run() -> Int32 {
        let file = open(options.path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            return fail("cannot open \(options.path): \(String(cString: strerror(errno)))")
        }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return fail("\(options.path) is not a regular file")
        }
        do throws(SandboxedChild.Failure) {
            if let copy = options.cleanCopy { return try CleanRun(options: options, file: file, copy: copy).run() }
            return try inspect(file)
        } catch {
            return fail(error.message)
        }
    }

    private func fail(_ message: String) -> Int32 {
        Output.write("sheet-inspect: \(message)\n", to: STDERR_FILENO)
        return 66
    }

    private func inspect(_ file: Int32) throws(SandboxedChild.Failure) -> Int32 {
        var request = ReaderRequest(wantsText: options.withText, previewWidths: [], wantsLayout: false)
        request.limits.wallSeconds = options.wallSeconds
        var child = SandboxedChild(request: request, file: file)
        if options.overlay != nil {
            guard OverlayDrawing() != nil else { return fail("libcairo is missing, which draws overlays") }
            child.overlayPage = options.overlayPage - 1
        }
        ReportEncoding.warmUp()
        let answer = try child.read()
        let printed = Output.print(answer.report, isPretty: options.isPretty)
        guard printed == 0, let path = options.overlay else { return printed }
        guard let overlay = answer.overlay else { return fail("page \(options.overlayPage) cannot be drawn") }
        guard overlay.writePNG(to: path) else { return fail("cannot write \(path)") }
        return 0
    }
}

extension Output {
    /// Prints a value as JSON; the exit code.
    static func print(_ value: some Encodable, isPretty: Bool) -> Int32 {
        guard let json = try? ReportEncoding.encoder(isPretty: isPretty).encode(value) else { return 70 }
        return write(Array(json) + [UInt8(ascii: "\n")], to: STDOUT_FILENO) ? 0 : 74
    }
}
