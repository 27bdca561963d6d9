// SPDX-License-Identifier: Apache-2.0
import DictionaryCoding
import Foundation
import MarketClient

/// What makes new versions of old ones here.
struct ZstandardDecoder: DictionaryDecoder {
    func begin(dictionary path: String) throws -> any DictionaryDecoding { try FrameDecoder(dictionary: path) }
}

extension FrameDecoder: DictionaryDecoding {}

extension Installer {
    /// An installer as this program uses it.
    init(_ client: MarketClient, _ library: Library) {
        self.init(client: client, library: library, decoder: ZstandardDecoder())
    }
}
