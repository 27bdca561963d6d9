// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// A multipart/form-data body (RFC 7578) with a `metadata` and a `file` part, read from disk as it is sent.
struct UploadBody: Sendable {
    /// The value of `Content-Type`.
    let contentType: String
    let head: Data
    let tail: Data
    let file: URL
    let fileBytes: Int
    let report: @Sendable (TransferProgress) -> Void

    static let chunkBytes = 64 << 10

    /// Bytes of the whole body.
    var length: Int64 { Int64(head.count + fileBytes + tail.count) }

    init(
        metadata: Data, file: URL, fileName: String, fileBytes: Int,
        report: @escaping @Sendable (TransferProgress) -> Void
    ) {
        let form = MultipartForm()
        contentType = form.contentType
        self.file = file
        self.fileBytes = fileBytes
        self.report = report
        head =
            form.head("metadata", mediaType: "application/json", isFirst: true) + metadata
            + form.head("file", fileName: fileName, mediaType: Self.mediaType(of: fileName))
        tail = form.end
    }

    private static func mediaType(of fileName: String) -> String {
        switch fileName.lowercased().split(separator: ".").last {
        case "pdf": "application/pdf"
        case "json", "fstemplate": "application/json"
        case "zip", "sheetbundle", "ttrpg": "application/zip"
        default: "application/octet-stream"
        }
    }

    /// The bytes, read anew by each iteration.
    var bytes: ByteStream {
        ByteStream {
            var reader = Reader(body: self)
            return {
                do {
                    return try reader.next()
                } catch let error where !(error is MarketClientError) {
                    // No fault of the network: sending again would not mend it.
                    throw MarketClientError.badRequest(
                        "\(file.path) can no longer be read: it was moved, or its disk fails.")
                }
            }
        }
    }

    private struct Reader {
        enum Stage {
            case head
            case file(FileHandle, sent: Int)
            case end
        }

        let body: UploadBody
        var stage = Stage.head

        mutating func next() throws -> Data? {
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
                let wanted = min(UploadBody.chunkBytes, body.fileBytes - sent)
                guard let data = try handle.read(upToCount: wanted), !data.isEmpty else {
                    throw MarketClientError.badRequest(
                        "\(body.file.lastPathComponent) became shorter while it was sent.")
                }
                stage = .file(handle, sent: sent + data.count)
                body.report(TransferProgress(bytes: sent + data.count, total: body.fileBytes))
                return data
            case .end:
                return nil
            }
        }
    }
}
