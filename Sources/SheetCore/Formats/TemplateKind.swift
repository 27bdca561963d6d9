// SPDX-License-Identifier: Apache-2.0

/// What a template is, as a stable word. Open: a newer market may know more kinds than this client.
public struct TemplateKind: RawRepresentable, Hashable, Sendable, Codable {
    /// The word, in snake case.
    public let rawValue: String

    /// A character sheet as a PDF, with pages and zoom regions.
    public static let sheet = Self(rawValue: "sheet")
    /// A library of skill templates (`.fstemplate`).
    public static let skillLibrary = Self(rawValue: "skill_library")
    /// Zoom regions for a layout that others have drawn.
    public static let regionPreset = Self(rawValue: "region_preset")
    /// Words and phrase structures.
    public static let vocabulary = Self(rawValue: "vocabulary")

    /// All that this version knows.
    public static let known: [TemplateKind] = [.sheet, .skillLibrary, .regionPreset, .vocabulary]

    /// Any word, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Whether its artifact is a PDF with pages; the others are JSON.
    public var hasPages: Bool { self == .sheet }

    /// The artifact's media type.
    public var mediaType: String { hasPages ? "application/pdf" : "application/json" }

    /// The suffix that people and programs expect of its file, without the dot.
    public var fileSuffix: String {
        switch self {
        case .sheet: "pdf"
        case .skillLibrary: "fstemplate"
        default: "json"
        }
    }

    /// For people, in the singular.
    public var title: String {
        switch self {
        case .sheet: "Character sheet"
        case .skillLibrary: "Skill library"
        case .regionPreset: "Zoom-region preset"
        case .vocabulary: "Vocabulary pack"
        default: rawValue.replacing("_", with: " ")
        }
    }
}
