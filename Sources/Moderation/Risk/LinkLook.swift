// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Looks at where links lead.
struct LinkLook {
    let links: [RiskFacts.Link]

    func evidence(for check: RiskRule.Check) -> [RiskEvidence] {
        switch check {
        case .linkCount(let most):
            links.count > most ? [RiskEvidence("\(links.count) links.")] : []
        case .linkDomain(let domains):
            found { link in
                guard let host = Self.host(of: link.target) else { return nil }
                let isListed = domains.contains { host == $0 || host.hasSuffix("." + $0) }
                return isListed ? "A link to \(host)" : nil
            }
        case .linkMismatch:
            found { link in
                guard let host = Self.host(of: link.target), let shown = link.label.flatMap(Self.shownHost),
                    host != shown, !host.hasSuffix("." + shown), !shown.hasSuffix("." + host)
                else { return nil }
                return "A link that says \(shown) and leads to \(host)"
            }
        case .linkRisky: found { Self.risk(of: $0.target) }
        default: []
        }
    }

    private func found(_ judge: (RiskFacts.Link) -> String?) -> [RiskEvidence] {
        links.compactMap { link in
            judge(link).map { RiskEvidence("\($0): \(link.target)", place: link.place, page: link.page) }
        }
    }

    /// The host, in lower case and without `www.`.
    static func host(of target: String) -> String? {
        guard let parts = URLComponents(string: target), let host = parts.host?.lowercased(), !host.isEmpty else {
            return nil
        }
        return host.hasPrefix("www.") ? String(host.dropFirst(4)) : host
    }

    /// The host that a label shows, when it shows an address.
    private static func shownHost(_ label: String) -> String? {
        let label = label.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !label.contains(where: \.isWhitespace), label.contains(".") else { return nil }
        let address = label.contains("://") ? label : "https://\(label)"
        guard let host = host(of: address), let end = host.split(separator: ".").last, host.contains("."),
            end.count >= 2, end.allSatisfy(\.isLetter)
        else { return nil }
        return host
    }

    private static let programs: Set<String> = [
        "exe", "msi", "bat", "cmd", "scr", "ps1", "vbs", "jar", "apk", "dmg", "pkg", "app", "sh", "iso", "lnk",
    ]

    private static func risk(of target: String) -> String? {
        guard let parts = URLComponents(string: target) else { return "A link that is no address" }
        if parts.user != nil, parts.scheme?.lowercased() != "mailto" { return "A link with a name or a password in it" }
        let host = parts.host?.lowercased() ?? ""
        if host.hasPrefix("[") || (!host.isEmpty && host.allSatisfy { $0.isNumber || $0 == "." }) {
            return "A link to a bare address"
        }
        if host.split(separator: ".").contains(where: { $0.hasPrefix("xn--") }) || !host.allSatisfy(\.isASCII) {
            return "A link to a domain in other letters"
        }
        let suffix = parts.path.split(separator: "/").last?.split(separator: ".").last.map { $0.lowercased() } ?? ""
        return programs.contains(suffix) && parts.path.contains(".") ? "A link to a program" : nil
    }

    /// The links in Markdown: `[label](target)`, `<target>` and bare addresses.
    static func markdown(_ text: String, place: RiskFacts.Place) -> [RiskFacts.Link] {
        let labelled = LabelledLinks(text)
        var links = labelled.links.map { RiskFacts.Link(place, target: $0.target, label: $0.label) }
        for match in labelled.rest.matches(of: /(?i)\b(?:https?|ftp):\/\/[^\s<>()\[\]"']{1,2000}/) {
            links.append(.init(place, target: String(match.0)))
        }
        return links
    }
}

extension RiskFacts {
    /// Most links that are kept of a submission.
    package static let maximumLinks = 500

    /// The links in Markdown text: `[label](target)`, `<target>` and bare addresses.
    package static func links(inMarkdown text: String, place: Place) -> [Link] {
        Array(LinkLook.markdown(text, place: place).prefix(maximumLinks))
    }
}
