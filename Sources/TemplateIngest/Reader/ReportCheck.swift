// SPDX-License-Identifier: Apache-2.0
import IngestWire
import SheetCore

/// Treats a reader's report as hostile: whoever took the reader over wrote it.
package struct ReportCheck {
    /// What is wrong with a report.
    struct Violation: Error, Equatable {
        let what: String
    }

    let limits: ReaderLimits
    let identity: FileIdentity

    private static let maximumFindings = 200
    private static let maximumMessageBytes = 600
    /// Far more than a page can hold.
    private static let maximumCount = 10_000_000

    /// The report, if nothing about it is impossible.
    func check(_ report: ReaderReport) throws(Violation) -> CheckedReport {
        try require(report.sha256 == identity.sha256 && report.bytes == identity.bytes, "another file's report")
        try require((0...Int(Int32.max)).contains(report.pageCount), "an impossible page count")
        try require(report.pages.count <= min(report.pageCount, limits.pages), "more pages than counted")
        let isRefused = report.findings.contains { $0.severity == .blocker }
        try require((report.verdict == .refused) == isRefused, "a verdict that its findings do not bear out")
        if report.verdict == .accepted {
            try require(
                report.pageCount > 0 && report.pages.count == report.pageCount,
                "an accepted file without its pages"
            )
        }
        try require(report.findings.count <= Self.maximumFindings, "too many findings")
        for finding in report.findings { try check(finding, pageCount: report.pageCount) }
        try checkFacts(of: report)
        var last = -1
        var ids: Set<String> = []
        for page in report.pages {
            try require(page.index > last && page.index < report.pageCount, "pages out of order")
            last = page.index
            try check(page)
            for region in page.regions {
                try check(region, page: page.index)
                try require(ids.insert(region.id).inserted, "two regions with one id")
            }
        }
        return CheckedReport(checked: report)
    }

    private func check(_ finding: Finding, pageCount: Int) throws(Violation) {
        let code = finding.code.rawValue.utf8
        try require(
            (1...40).contains(code.count) && code.allSatisfy { (97...122).contains($0) || $0 == 95 },
            "a finding with a malformed code"
        )
        try require(
            finding.message.utf8.count <= Self.maximumMessageBytes && Self.isPlain(finding.message),
            "a finding with a malformed message"
        )
        if let page = finding.page { try require((0..<pageCount).contains(page), "a finding on no page") }
    }

    private func checkFacts(of report: ReaderReport) throws(Violation) {
        if let version = report.pdfVersion {
            try require(
                (3...8).contains(version.utf8.count)
                    && version.utf8.allSatisfy { (48...57).contains($0) || $0 == UInt8(ascii: ".") },
                "a malformed version"
            )
        }
        for name in [report.producer, report.creator] {
            if let name { try require(!name.isEmpty && Self.isName(name), "malformed metadata") }
        }
        if let fonts = report.fonts {
            try require(
                fonts.count <= ReaderReport.maximumFonts
                    && fonts.allSatisfy { Self.isName($0.name) && Self.isKind($0.type) },
                "malformed fonts"
            )
        }
    }

    private func checkFacts(of page: ReaderReport.Page) throws(Violation) {
        if let links = page.links { try require((0...Self.maximumCount).contains(links), "impossible counts") }
        if let targets = page.linkTargets {
            try require(
                targets.count <= ReaderReport.maximumLinkTargets && targets.allSatisfy(Self.isLinkTarget),
                "malformed links"
            )
        }
        for hash in [page.lookHash, page.textHash] {
            if let hash { try require(Fingerprint(hash) != nil, "a malformed fingerprint") }
        }
        if let anchors = page.anchors {
            try require(
                anchors.count <= ReaderReport.maximumAnchors
                    && anchors.allSatisfy {
                        !$0.word.isEmpty && $0.word.utf8.count <= ReaderReport.maximumAnchorBytes
                            && Self.isPlain($0.word) && $0.x.isFinite && abs($0.x) <= 1e6 && $0.y.isFinite
                            && abs($0.y) <= 1e6
                    },
                "malformed anchors"
            )
        }
        if let fields = page.fields {
            try require(fields.count <= ReaderReport.maximumFieldsPerPage, "too many fields")
            for field in fields {
                try require(
                    Self.isName(field.name) && Self.isKind(field.type) && field.box.count == 4
                        && field.box.allSatisfy { $0.isFinite && abs($0) <= 1e6 },
                    "a malformed field"
                )
            }
        }
    }

    private static func isName(_ text: String) -> Bool {
        text.utf8.count <= ReaderReport.maximumNameBytes && isPlain(text)
    }

    private static func isKind(_ text: String) -> Bool {
        (1...20).contains(text.utf8.count)
            && text.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "_") }
    }

    private static func isLinkTarget(_ text: String) -> Bool {
        text.utf8.count <= ReaderReport.maximumLinkTargetBytes && text.utf8.allSatisfy { (33..<127).contains($0) }
            && ["http:", "https:", "mailto:"].contains { text.lowercased().hasPrefix($0) }
    }

    private func check(_ page: ReaderReport.Page) throws(Violation) {
        try checkFacts(of: page)
        for side in [page.width, page.height] {
            try require(side.isFinite && side >= 1 && side <= limits.pageSidePoints, "a page of impossible size")
        }
        try require([0, 90, 180, 270].contains(page.rotation), "an impossible rotation")
        try require(
            (0...Self.maximumCount).contains(page.textCharacters) && (0...Self.maximumCount).contains(page.formFields),
            "impossible counts"
        )
        try require(page.regions.count <= limits.regionsPerPage, "too many regions")
        if let text = page.text {
            try require(
                text.utf8.count <= limits.textBytesPerPage && Self.isPlain(text, withLines: true),
                "malformed text"
            )
        }
    }

    private func check(_ region: ZoomRegion, page: Int) throws(Violation) {
        try require(region.rect.isValid && region.pageIndex == page, "a region that is not on its page")
        try require(
            region.scale.isFinite && ZoomRegion.scales.contains(region.scale) && region.confidence.isFinite
                && (0...1).contains(region.confidence) && region.source == .detected,
            "a region with impossible numbers"
        )
        try require(
            !region.name.isEmpty && region.name.count <= ZoomRegion.maximumNameLength
                && region.name.utf8.count <= 4 * ZoomRegion.maximumNameLength && Self.isPlain(region.name)
                && Slug(region.id) != nil,
            "a region with a malformed name"
        )
    }

    private func require(_ isTrue: Bool, _ otherwise: String) throws(Violation) {
        guard isTrue else { throw Violation(what: otherwise) }
    }

    /// Without characters that hide, reorder or control.
    private static func isPlain(_ text: String, withLines: Bool = false) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control: withLines && scalar == "\n"
            case .format, .surrogate, .privateUse, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
    }
}
