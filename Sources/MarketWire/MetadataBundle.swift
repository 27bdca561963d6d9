// SPDX-License-Identifier: Apache-2.0

/// `POST /signed-metadata`: which files of signed metadata are wanted, by the names that they have under `/trust`.
public struct MetadataQuery: Sendable, Codable, Equatable {
    /// Most files in one query.
    public static let maximumCount = 100

    /// `<version>.<role>.json` each.
    public var names: [String]

    public init(names: [String]) {
        self.names = names
    }
}

/// The answer to `POST /signed-metadata`. Each file is verified as if it had come by itself.
public struct MetadataBundle: Sendable, Codable, Equatable {
    /// A file of signed metadata, as it would come by itself.
    public struct File: Sendable, Codable, Equatable {
        /// As in the query.
        public var name: String
        /// Its bytes, which are UTF-8.
        public var content: String

        public init(name: String, content: String) {
            self.name = name
            self.content = content
        }
    }

    /// Those that there are, and that there is room for; others are at their own addresses.
    public var files: [File]

    public init(files: [File]) {
        self.files = files
    }
}
