// SPDX-License-Identifier: Apache-2.0
import Foundation
import NIOCore
import SheetCore

/// A multipart/form-data body (RFC 7578) with a `metadata` and a `file` part, read from disk as it is sent.
struct UploadBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let boundary: String
    let head: ByteBuffer
    let tail: ByteBuffer
    let file: URL
    let fileBytes: Int
    let report: @Sendable (TransferProgress) -> Void

    static let chunkBytes = 64 << 10

    /// Bytes of the whole body.
    var length: Int64 { Int64(head.readableBytes + fileBytes + tail.readableBytes) }

    init(
        metadata: Data, file: URL, fileName: String, fileBytes: Int,
        report: @escaping @Sendable (TransferProgress) -> Void
    ) {
        boundary = "sheets-" + UUID().lowercaseText
        self.file = file
        self.fileBytes = fileBytes
        self.report = report
        var head = ByteBuffer()
        head.writeString("--\(boundary)\r\n")
        head.writeString("Content-Disposition: form-data; name=\"metadata\"\r\n")
        head.writeString("Content-Type: application/json\r\n\r\n")
        head.writeBytes(metadata)
        head.writeString("\r\n--\(boundary)\r\n")
        let name = Self.quoted(fileName)
        head.writeString("Content-Disposition: form-data; name=\"file\"; filename=\"\(name)\"\r\n")
        head.writeString("Content-Type: \(Self.mediaType(of: fileName))\r\n\r\n")
        self.head = head
        tail = ByteBuffer(string: "\r\n--\(boundary)--\r\n")
    }

    private static func mediaType(of fileName: String) -> String {
        switch fileName.lowercased().split(separator: ".").last {
        case "pdf": "application/pdf"
        case "json", "fstemplate": "application/json"
        case "zip", "sheetbundle", "ttrpg": "application/zip"
        default: "application/octet-stream"
        }
    }

    /// A file name as browsers write it (WHATWG HTML, "escape a multipart/form-data name").
    static func quoted(_ name: String) -> String {
        name.replacingOccurrences(of: "\r", with: "%0D").replacingOccurrences(of: "\n", with: "%0A")
            .replacingOccurrences(of: "\"", with: "%22")
    }

    func makeAsyncIterator() -> Iterator { Iterator(body: self) }

    struct Iterator: AsyncIteratorProtocol {
        enum Stage {
            case head
            case file(FileHandle, sent: Int)
            case end
        }

        let body: UploadBody
        var stage = Stage.head

        init(body: UploadBody) {
            self.body = body
        }

        mutating func next() async throws -> ByteBuffer? {
            switch stage {
            case .head:
                let handle = try FileHandle(forReadingFrom: body.file)
                stage = .file(handle, sent: 0)
                body.report(TransferProgress(bytes: 0, total: body.fileBytes))
                return body.head
            case .file(let handle, let sent):
                guard sent < body.fileBytes else {
                    try handle.close()
                    stage = .end
                    return body.tail
                }
                let wanted = Swift.min(UploadBody.chunkBytes, body.fileBytes - sent)
                guard let data = try handle.read(upToCount: wanted), !data.isEmpty else {
                    throw MarketClientError.badRequest(
                        "\(body.file.lastPathComponent) became shorter while it was sent; nothing was uploaded.")
                }
                stage = .file(handle, sent: sent + data.count)
                body.report(TransferProgress(bytes: sent + data.count, total: body.fileBytes))
                return ByteBuffer(bytes: data)
            case .end:
                return nil
            }
        }
    }
}
