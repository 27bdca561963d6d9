// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The files of one backup on this machine.
struct Backup: Sendable {
    static let manifestSumName = "manifest.sha256"
    static let manifestNames = ["manifest.json", manifestSumName]
    /// What says which artifacts and which part of the log it needs.
    static let indexNames = ["objects.txt", "backup_manifest"]

    /// Where it is kept, for the operator.
    let place: String
    let url: URL

    var base: URL { url.appending(path: "base.tar.gz") }
    var log: URL { url.appending(path: "pg_wal.tar.gz") }
    var serverManifest: URL { url.appending(path: Self.indexNames[1]) }
    var keys: URL { url.appending(path: "keys.sealed") }
    var objects: URL { url.appending(path: Self.indexNames[0]) }
    var manifest: URL { url.appending(path: Self.manifestNames[0]) }
    /// The manifest's own sum, as `sha256sum --check` reads it.
    var manifestSum: URL { url.appending(path: Self.manifestSumName) }

    /// Where one of the files is kept, for the operator.
    func place(of file: URL) -> String { "\(place)/\(file.lastPathComponent)" }

    /// The name of a backup that begins now.
    static func name(at date: Date) -> String {
        let text = date.formatted(.iso8601)
        return text.replacing("-", with: "").replacing(":", with: "")
    }
}
