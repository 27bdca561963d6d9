// SPDX-License-Identifier: Apache-2.0
import SheetCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A character with all that belongs to it.
public struct ArchivedCharacter: Sendable, Hashable {
    public var content: SheetContent
    /// Pictures by their hashes: the portrait, and what lies on pages.
    public var images: [ContentHash: Data]
    /// The template's file, where it may be carried.
    public var template: Data?
    /// Files of a newer program, by their paths below the character's folder.
    public var others: [String: Data]
    /// Of a newer program in the archive that it came from: files outside of characters' folders by their paths, members
    /// of the manifest, and those of its entry there.
    public var surroundings = Surroundings()

    public struct Surroundings: Sendable, Hashable, Codable {
        public var files: [String: Data] = [:]
        public var manifest: [String: JSONValue] = [:]
        public var entry: [String: JSONValue] = [:]

        public init() {}

        public var isEmpty: Bool { files.isEmpty && manifest.isEmpty && entry.isEmpty }
    }

    public init(
        _ content: SheetContent, images: [ContentHash: Data] = [:], template: Data? = nil, others: [String: Data] = [:]
    ) {
        self.content = content
        self.images = images
        self.template = template
        self.others = others
    }
}
