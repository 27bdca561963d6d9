// SPDX-License-Identifier: Apache-2.0
import MarketWire
import SheetCore

extension Installer {
    /// What is installed, or else the newest of the older versions that are here, where a newer one may be made of it.
    func older(than version: VersionDetail, _ known: LibraryRecord?) -> OlderFile? {
        guard let decoder, let known else { return nil }
        let before = [known.current].compactMap { $0 } + known.versions.filter { $0.detail.version < version.version }
        let found = before.first { saved in
            saved.detail.sha256 != version.sha256
                && DictionaryCompression.fits(version.sizeBytes, dictionary: saved.detail.sizeBytes)
                && library.hasObject(saved.detail.sha256, bytes: saved.detail.sizeBytes)
        }
        return found.map {
            OlderFile(
                path: library.objectPath($0.detail.sha256), hash: $0.detail.sha256, bytes: $0.detail.sizeBytes,
                decoder: decoder, room: room)
        }
    }
}
