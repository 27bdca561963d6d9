// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Where a market's static mirror is (`sheetmarket mirror --to`): behind any web server, or in a folder, perhaps on a
/// stick.
public enum MirrorAddress: Hashable, Sendable, CustomStringConvertible {
    /// The folder that a web server offers, wherever in its paths that is.
    case web(ServerAddress)
    /// An absolute path.
    case folder(String)

    /// Reads an `http` or `https` address, a `file` address, or a path; `nil` for other addresses.
    public init?(_ text: String) {
        let text = text.trimmingCharacters(in: .whitespaces)
        if text.hasPrefix("file://") {
            guard let path = URL(string: text)?.standardizedFileURL.path, path.hasPrefix("/") else { return nil }
            self = .folder(path)
        } else if text.contains("://") {
            guard let address = ServerAddress(text) else { return nil }
            self = .web(address)
        } else {
            guard !text.isEmpty else { return nil }
            self = .folder(URL(fileURLWithPath: text).standardizedFileURL.path)
        }
    }

    /// The address or path.
    public var description: String {
        switch self {
        case .web(let address): address.description
        case .folder(let path): path
        }
    }
}
