// SPDX-License-Identifier: Apache-2.0

/// How signed metadata names the file of a version: by what never changes, so that no server can hand out one version's
/// bytes as another's.
public enum TargetPath {
    /// Such as `0198c7a2-…/1.2.0.pdf`.
    public static func of(_ template: TemplateID, _ version: SemanticVersion, _ kind: TemplateKind) -> String {
        "\(template)/\(version).\(kind.fileSuffix)"
    }

    /// What a path is of, whatever its suffix; `nil` for what is no such path.
    package static func version(at path: String) -> (id: TemplateID, version: SemanticVersion)? {
        guard let slash = path.firstIndex(of: "/"), let dot = path.lastIndex(of: "."), slash < dot,
            let id = TemplateID(String(path[..<slash])),
            let version = SemanticVersion(String(path[path.index(after: slash)..<dot]))
        else { return nil }
        return (id, version)
    }

    /// Where a repository with consistent snapshots has a file (The Update Framework 1.0, section 6.2).
    public static func stored(_ path: String, _ hash: ContentHash) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "\(hash.hex).\(path)" }
        return "\(path[...slash])\(hash.hex).\(path[path.index(after: slash)...])"
    }
}
