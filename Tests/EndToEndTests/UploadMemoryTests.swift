// SPDX-License-Identifier: Apache-2.0
import AsyncHTTPClient
import Foundation
import MarketWire
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

@Suite("The server's memory")
struct UploadMemoryTests {
    @Test("an upload of 100 MB raises the server's resident memory by less than 32 MB")
    func largeUpload() async throws {
        let folder = try ScratchFolder("memory")
        let market = try await RunningMarket(data: folder.url, environment: ["SHEETMARKET_MAX_UPLOAD_BYTES": "120MB"])
        let metadata = UploadMetadata(
            name: "A large one", summary: "Mostly noise", gameSystem: "cairn", license: "CC0-1.0", language: "en",
            version: "1.0.0")
        // One small upload first: what a first use of anything costs is no part of the measure.
        let small = try await market.administrator.upload(metadata: metadata, file: Data("%PDF-1.7\nnot much".utf8))
        #expect(small.status == 202, "\(small.text)")

        let before = try residentKilobytes(market.processID, "VmRSS")
        // Makes the kernel forget the peak so far (proc(5), clear_refs).
        try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/\(market.processID)/clear_refs"))
        let answer = try await market.administrator.execute(
            .POST, "\(Paths.base)/templates", headers: [("Content-Type", "multipart/form-data; boundary=X")],
            body: .stream(try largeForm(metadata), length: .unknown))
        #expect(answer.status == .accepted)
        let peak = try residentKilobytes(market.processID, "VmHWM")
        #expect(peak - before < 32 << 10, "from \(before) kB to \(peak) kB")
        #expect(await market.stop() == 0)
    }

    /// A form whose file has 100 MB, made piece by piece as it is sent.
    private func largeForm(
        _ metadata: UploadMetadata
    ) throws -> AsyncThrowingStream<ByteBuffer, any Error> {
        let json = String(decoding: try WireJSON.encoder().encode(metadata), as: UTF8.self)
        let head =
            "--X\r\nContent-Disposition: form-data; name=\"metadata\"\r\n\r\n\(json)\r\n"
            + "--X\r\nContent-Disposition: form-data; name=\"file\"; filename=\"large.pdf\"\r\n\r\n%PDF-1.7\n"
        let noise = ByteBuffer(bytes: (0..<100_000).map { _ in UInt8.random(in: 0...255) })
        return AsyncThrowingStream { continuation in
            // All pieces of noise are one buffer: this queue holds a thousand references.
            continuation.yield(ByteBuffer(string: head))
            for _ in 0..<1000 { continuation.yield(noise) }
            continuation.yield(ByteBuffer(string: "\r\n--X--\r\n"))
            continuation.finish()
        }
    }

    private func residentKilobytes(_ process: Int32, _ field: String) throws -> Int {
        let status = try String(contentsOf: URL(fileURLWithPath: "/proc/\(process)/status"), encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("\(field):") })
        return try #require(line.split(separator: " ").dropLast().last.flatMap { Int($0.filter(\.isNumber)) })
    }
}
