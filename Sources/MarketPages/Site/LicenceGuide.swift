// SPDX-License-Identifier: Apache-2.0
import MarketCatalog
import MarketPlatform

/// What licences let people do, in one sentence each. A summary for people, no advice on law.
package enum LicenceGuide {
    /// Those that fit sheets.
    private static let fitting = ["CC-BY-4.0", "CC-BY-SA-4.0", "CC-BY-NC-4.0", "CC-BY-NC-SA-4.0", "CC0-1.0"]
    private static let games = ["LicenseRef-ORC", "LicenseRef-OGL-1.0a"]

    package struct Entry: Sendable {
        package let id: String
        /// What people call it.
        package let title: String
        let anchor: String
        package let meaning: Phrase
        /// The whole text, where SPDX or its authors keep it.
        let source: String?
    }

    package struct Group: Sendable {
        package let title: Phrase
        let anchor: String
        package let entries: [Entry]
    }

    /// The page's address with the entry for that licence.
    static func address(_ id: String) -> String { "/licences#\(id)" }

    /// What people call a licence: `Creative Commons Attribution 4.0`.
    package static func name(_ id: String) -> String {
        if let known = names[id] { return known }
        guard id.hasPrefix("CC-BY") else { return shortName(id) }
        let parts = id.split(separator: "-").dropFirst().map(String.init)
        let terms = parts.prefix { termNames[$0] != nil }.compactMap { termNames[$0] }
        let version = parts.dropFirst(terms.count).joined(separator: " ")
        return "Creative Commons \(terms.joined(separator: "-")) \(version)"
    }

    /// The same where there is little room: `CC BY 4.0`.
    static func shortName(_ id: String) -> String {
        switch id {
        case "CC0-1.0": return "CC0 1.0"
        case "LicenseRef-ORC": return "ORC"
        case "LicenseRef-OGL-1.0a": return "OGL 1.0a"
        default: break
        }
        // What is a number stands apart from its name.
        let words = id.split(separator: "-").map(String.init)
        let text = words.dropFirst().reduce(words.first ?? "") { text, word in
            let isApart = word.first?.isNumber == true || ["or", "only"].contains(word) || text.hasSuffix(" or")
            return text + (isApart || text == "CC" ? " " : "-") + word
        }
        return text
    }

    private static let termNames = [
        "BY": "Attribution", "NC": "NonCommercial", "SA": "ShareAlike", "ND": "NoDerivatives",
    ]

    private static let names = [
        "CC0-1.0": "Creative Commons Zero 1.0", "CC-PDDC": "Creative Commons Public Domain Dedication",
        "LicenseRef-ORC": "ORC Licence", "LicenseRef-OGL-1.0a": "Open Game License 1.0a",
    ]

    /// One sentence, such as stands beside a licence's name.
    static func meaning(_ id: String) -> Phrase {
        if let known = special[id] { return known }
        if id.hasPrefix("CC-BY") { return creativeCommons(id) }
        let family = families.first { id.hasPrefix($0.prefix) }
        return family?.meaning ?? "A licence that SPDX lists; read its text for what it allows."
    }

    /// Every licence that can be chosen, those that fit sheets first.
    package static let groups: [Group] = {
        let others = LicenseCatalog.identifiers.filter { !fitting.contains($0) && !games.contains($0) }
        return [
            Group(title: "Fit for sheets", anchor: "usual", entries: fitting.map(entry)),
            Group(title: "For the rules of games", anchor: "games", entries: games.map(entry)),
            Group(
                title: "More from Creative Commons", anchor: "creative-commons",
                entries: others.filter { $0.hasPrefix("CC-") }.map(entry)),
            Group(
                title: "For software, fonts and data", anchor: "others",
                entries: others.filter { !$0.hasPrefix("CC-") }.map(entry)),
        ]
    }()

    private static func entry(_ id: String) -> Entry {
        Entry(id: id, title: name(id), anchor: id, meaning: meaning(id), source: source(id))
    }

    private static func source(_ id: String) -> String? {
        switch id {
        case "LicenseRef-ORC": "https://azoralaw.com/orclicense/"
        case "LicenseRef-OGL-1.0a": nil
        default: "https://spdx.org/licenses/\(id).html"
        }
    }

    /// `CC-BY-NC-SA-4.0`: from its parts.
    private static func creativeCommons(_ id: String) -> Phrase {
        let parts = Set(id.split(separator: "-").map(String.init))
        let what: Phrase = parts.contains("ND") ? "Share it unchanged" : "Share and change it"
        let purpose: Phrase = parts.contains("NC") ? ", but not to earn money" : ", also to sell"
        let duties: Phrase =
            parts.contains("SA")
            ? "name the author, and give what you make of it under the same licence" : "name the author"
        return "\(what)\(purpose); \(duties)."
    }

    private static let special: [String: Phrase] = [
        "CC0-1.0": "Do with it what you like: its author gives up all rights, as far as the law lets them.",
        "CC-PDDC": "Do with it what you like: it is in the public domain.",
        "LicenseRef-ORC":
            "Use and change the rules and mechanics, also to sell; give your own mechanics back under the ORC Licence.",
        "LicenseRef-OGL-1.0a":
            "Use and change the Open Game Content, also to sell; keep its copyright notice. Product identity stays out.",
        "Unlicense": "Do with it what you like: it is given to the public domain.",
        "0BSD": "Do with it what you like, without naming anybody.",
        "MIT-0": "Do with it what you like, without naming anybody.",
        "WTFPL": "Do with it what you like.",
        "PDDL-1.0": "Do with the data what you like.",
    ]

    private static let families: [(prefix: String, meaning: Phrase)] = [
        (
            "AGPL",
            "Share and change it, also to sell; what you make of it, or run for others, stays under this licence."
        ),
        ("LGPL", "Share and change it, also to sell; your changes to it stay under this licence."),
        ("GPL", "Share and change it, also to sell; what you make of it stays under this licence."),
        ("GFDL", "Share and change it, also to sell; what you make of it stays under this licence."),
        ("OFL", "Use, change and share the font, also in what you sell; not the font alone for money."),
        ("MPL", "Share and change it, also to sell; changed files stay under this licence."),
        ("EUPL", "Share and change it, also to sell; what you make of it stays under this or a compatible licence."),
        ("OSL", "Share and change it, also to sell; what you make of it, or run for others, stays under this licence."),
        ("ODbL", "Use and change the data, also to sell; name its source, and give changed data under this licence."),
        ("OPL", "Share and change it; its authors may have set limits on printed copies."),
        ("OPUBL", "Share and change it, naming the author; its authors may have set limits on printed copies."),
        ("LAL", "Share and change it, also to sell; name the author, and keep what you make of it as free."),
        ("MS-PL", "Share and change it, also to sell; keep the notices, and its source under this licence."),
        ("OGL-UK", "Share and change it, also to sell; name the source."),
        ("ODC-By", "Use and change the data, also to sell; name its source."),
        ("CDLA-Permissive", "Use and change the data, also to sell; pass the licence on with it."),
        ("Apache", "Share and change it, also to sell; keep the notices, and say what you changed."),
        ("AFL", "Share and change it, also to sell; keep the notices, and say what you changed."),
        ("ECL", "Share and change it, also to sell; keep the notices, and say what you changed."),
        ("Artistic", "Share and change it, also to sell; say what you changed."),
        ("BSD", "Share and change it, also to sell; keep the copyright notice."),
        ("BSL", "Share and change it, also to sell; keep the copyright notice."),
        ("FSFAP", "Share and change it, also to sell; keep the copyright notice."),
        ("ISC", "Share and change it, also to sell; keep the copyright notice."),
        ("MIT", "Share and change it, also to sell; keep the copyright notice."),
        ("UPL", "Share and change it, also to sell; keep the copyright notice."),
        ("Zlib", "Share and change it, also to sell; do not claim that you made it."),
    ]
}
