// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import Hummingbird
import NIOCore
import SheetCore
import Synchronization

/// What a multipart body says, as a hash that is made while it streams by. Two bodies with the same parts have the
/// same, whatever their boundaries: a client that sends its upload again makes another boundary up.
struct MultipartDigest {
    private var parser: MultipartParser?
    private var hash = SHA256()
    private var partBytes = 0
    private var isWhole = false

    init(boundary: MultipartBoundary, limits: MultipartLimits) {
        parser = MultipartParser(boundary: boundary, limits: limits)
    }

    /// Takes the next bytes; what is no multipart body has no digest.
    mutating func append(_ bytes: ByteBuffer) {
        guard var parser else { return }
        self.parser = nil
        do {
            try parser.append(bytes)
            while let event = try parser.next() { take(event) }
            self.parser = parser
        } catch {
            isWhole = false
        }
    }

    private mutating func take(_ event: MultipartParser.Event) {
        switch event {
        case .part(let head):
            let lines = [head.name, head.fileName ?? "", head.contentType ?? ""]
            for line in lines { update("\(line.utf8.count)\n\(line)\n") }
        case .bytes(let bytes):
            partBytes += bytes.readableBytes
            hash.update(data: bytes.readableBytesView)
        case .partEnd:
            // After the bytes, since nobody knows before how many there will be.
            update("\n\(partBytes)\n")
            partBytes = 0
        case .end:
            isWhole = true
        }
    }

    private mutating func update(_ text: String) { hash.update(data: Data(text.utf8)) }

    /// `nil` until the whole body has come.
    var value: Data? { isWhole && parser != nil ? Data(hash.finalize()) : nil }
}

/// A body that is hashed while somebody else reads it.
final class HashingRequestBody: Sendable {
    private let digest: Mutex<MultipartDigest>

    init(_ digest: MultipartDigest) {
        self.digest = Mutex(digest)
    }

    /// What has been read, when that was all of it.
    var value: Data? { digest.withLock { $0.value } }

    func take(_ bytes: ByteBuffer) { digest.withLock { $0.append(bytes) } }

    /// The same body; its bytes are hashed as they are read.
    func watching(_ body: RequestBody) -> RequestBody {
        RequestBody(
            asyncSequence: body.map { [self] bytes in
                take(bytes)
                return bytes
            })
    }
}
