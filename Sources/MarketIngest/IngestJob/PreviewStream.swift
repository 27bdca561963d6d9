// SPDX-License-Identifier: Apache-2.0
import IngestWire
import MarketPlatform
import NIOCore
import SheetCore
import TemplateIngest

/// Stores pictures as they come.
actor PreviewStream {
    private let storage: any Storage
    private var bySize: [[Int]: StoredPreview] = [:]

    init(storage: any Storage) {
        self.storage = storage
    }

    /// In order of page and width; of a very tall page two widths may be one.
    var stored: [StoredPreview] {
        bySize.values.sorted { ($0.page, $0.width) < ($1.page, $1.width) }
    }

    func take(_ picture: PagePreview) async throws {
        let writer = try await storage.makeWriter()
        let object: StoredObject
        do {
            try await writer.write(ByteBuffer(bytes: picture.webp))
        } catch {
            await writer.abandon()
            throw error
        }
        object = try await writer.finish()
        bySize[[picture.page, picture.width]] = StoredPreview(
            page: picture.page, width: picture.width, height: picture.height, object: object)
    }
}
