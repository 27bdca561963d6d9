// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// Addresses of the API that both ends agree on.
public enum Paths {
    /// Where the API begins.
    public static let base = "/api/v1"

    /// A person's picture.
    public static func picture(_ hash: ContentHash) -> String { "/pictures/\(hash.hex).webp" }

    /// A template by id or slug.
    public static func template(_ key: String) -> String { "\(base)/templates/\(key)" }

    /// A version of a template; `latest` works too.
    public static func version(_ template: String, _ version: String) -> String {
        "\(base)/templates/\(template)/versions/\(version)"
    }

    /// A page's picture, of the width that is nearest from above.
    public static func preview(_ template: String, _ version: String, page: Int) -> String {
        "\(self.version(template, version))/pages/\(page)/preview"
    }

    /// A version's readable rendering, for kinds without pages.
    public static func outline(_ template: String, _ version: String) -> String {
        "\(self.version(template, version))/outline"
    }

    /// The signed download of a version.
    public static func download(_ template: String, _ version: String) -> String {
        "\(self.version(template, version))/download"
    }

    /// An upload's state.
    public static func submission(_ id: String) -> String { "\(base)/submissions/\(id)" }

    /// A moderator's case.
    public static func moderationCase(_ id: String) -> String { "\(base)/moderation/cases/\(id)" }

    /// A picture of what differs between two pages, under the case that is about one of them.
    public static func difference(_ caseID: String, sha256: String) -> String {
        "\(moderationCase(caseID))/differences/\(sha256)"
    }
}
