// SPDX-License-Identifier: Apache-2.0

/// The licences that a template may name: SPDX identifiers (spdx.org/licenses) in common use for sheets, fonts, art
/// and texts, and `LicenseRef-` names for the two of role-playing that SPDX does not list.
package enum LicenseCatalog {
    /// The identifiers in their own spelling.
    package static let identifiers: [String] = [
        "0BSD", "AFL-3.0", "AGPL-3.0-only", "AGPL-3.0-or-later", "Apache-2.0", "Artistic-2.0", "BSD-2-Clause",
        "BSD-3-Clause", "BSL-1.0", "CC-BY-1.0", "CC-BY-2.0", "CC-BY-2.5", "CC-BY-3.0", "CC-BY-4.0", "CC-BY-NC-2.0",
        "CC-BY-NC-2.5", "CC-BY-NC-3.0", "CC-BY-NC-4.0", "CC-BY-NC-ND-2.0", "CC-BY-NC-ND-2.5", "CC-BY-NC-ND-3.0",
        "CC-BY-NC-ND-4.0", "CC-BY-NC-SA-2.0", "CC-BY-NC-SA-2.5", "CC-BY-NC-SA-3.0", "CC-BY-NC-SA-4.0",
        "CC-BY-ND-2.0", "CC-BY-ND-2.5", "CC-BY-ND-3.0", "CC-BY-ND-4.0", "CC-BY-SA-1.0", "CC-BY-SA-2.0",
        "CC-BY-SA-2.5", "CC-BY-SA-3.0", "CC-BY-SA-4.0", "CC-PDDC", "CC0-1.0", "CDLA-Permissive-2.0", "ECL-2.0",
        "EUPL-1.2", "FSFAP", "GFDL-1.2-only", "GFDL-1.2-or-later", "GFDL-1.3-only", "GFDL-1.3-or-later",
        "GPL-2.0-only", "GPL-2.0-or-later", "GPL-3.0-only", "GPL-3.0-or-later", "ISC", "LAL-1.3", "LGPL-2.1-only",
        "LGPL-2.1-or-later", "LGPL-3.0-only", "LGPL-3.0-or-later", "MIT", "MIT-0", "MPL-2.0", "MS-PL", "ODbL-1.0",
        "ODC-By-1.0", "OFL-1.0", "OFL-1.1", "OGL-UK-3.0", "OPL-1.0", "OPUBL-1.0", "OSL-3.0", "PDDL-1.0", "Unlicense",
        "UPL-1.0", "WTFPL", "Zlib", "LicenseRef-OGL-1.0a", "LicenseRef-ORC",
    ]

    /// Whether a licence lets others pass on changed copies.
    package static func allowsChangedCopies(_ identifier: String) -> Bool { !identifier.contains("-ND-") }

    private static let byLowercased = Dictionary(
        identifiers.map { ($0.lowercased(), $0) }, uniquingKeysWith: { first, _ in first })

    /// The identifier in its own spelling; matching ignores case, as SPDX says (specification 2.3, annex D.2).
    package static func identifier(_ text: String) -> String? {
        byLowercased[text.lowercased()]
    }
}
