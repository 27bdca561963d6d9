// SPDX-License-Identifier: Apache-2.0
import IngestWire
import SheetCore
import SheetLayout

/// What an author could do better: gathered page by page, said at the end. Never a reason to refuse.
struct SheetAdvice {
    private var tiny: (page: Int, share: Double)?
    private var odd: (page: Int, width: Double, height: Double)?
    private var words: [Substring] = []

    /// Letters below this, in points, cannot be read on a tablet without a magnifier.
    private static let smallestType = 5.0
    /// So many words, or so much of a page, in tiny type is more than a copyright line.
    private static let tinyWords = 10
    private static let tinyShare = 0.1
    /// Words kept to tell game systems by.
    private static let maximumWords = 20_000

    /// Sizes of paper and screens, shorter side first, in points.
    private static let usualSizes: [(Double, Double)] = [
        (842, 1191), (595, 842), (420, 595), (298, 420),  // A3 to A6
        (709, 1001), (499, 709), (354, 499), (729, 1032), (516, 729), (363, 516),  // B4 to B6, ISO and JIS
        (612, 792), (612, 1008), (792, 1224), (522, 756), (396, 612),  // letter, legal, tabloid, executive, half letter
        (432, 648), (504, 720), (576, 720), (576, 792), (612, 936),  // 6×9, 7×10, 8×10, 8×11, foolscap
        (216, 360), (288, 432), (360, 504), (360, 576),  // cards: 3×5, 4×6, 5×7, 5×8
        (540, 720), (540, 960), (405, 720), (612, 1088), (768, 1024),  // screens
    ]
    /// A bleed of an eighth of an inch around, and a millimetre.
    private static let sizeTolerance = 20.0

    mutating func look(at page: ReaderReport.Page, _ content: PageContent, text: PageText, unit: Double) {
        if odd == nil, !Self.isUsual(page.width, page.height) { odd = (page.index, page.width, page.height) }
        let count = content.words.count
        let small = content.words.count { $0.fontSize * unit < Self.smallestType && $0.fontSize > 0 }
        if small >= Self.tinyWords || small == count, Double(small) >= Self.tinyShare * Double(count), small > 0 {
            let share = Double(small) / Double(count)
            if share > tiny?.share ?? 0 { tiny = (page.index, share) }
        }
        if words.count < Self.maximumWords { words += text.words }
    }

    /// A bleed adds to a page, nothing takes away from it but a rounded millimetre.
    private static func isUsual(_ width: Double, _ height: Double) -> Bool {
        let (short, long) = (min(width, height), max(width, height))
        return usualSizes.contains { size in
            (-4...sizeTolerance).contains(short - size.0) && (-4...sizeTolerance).contains(long - size.1)
        }
    }

    func findings(pages: [ReaderReport.Page], fonts: [ReaderReport.Font]) -> [Finding] {
        guard !pages.isEmpty else { return [] }
        return [noText(pages), noFormFields(pages), fontsNotEmbedded(fonts), tinyType(), unusualSize(), systems()]
            .compactMap { $0 }
    }

    private func noText(_ pages: [ReaderReport.Page]) -> Finding? {
        guard pages.allSatisfy({ $0.textCharacters == 0 }) else { return nil }
        return Finding(
            .noText,
            .info,
            message: "No page has a text layer: the sheet cannot be searched and its regions have no names. "
                + "Export it from the program it was made with instead of scanning it."
        )
    }

    private func noFormFields(_ pages: [ReaderReport.Page]) -> Finding? {
        guard pages.allSatisfy({ $0.formFields == 0 }) else { return nil }
        return Finding(
            .noFormFields,
            .info,
            message: "The sheet has no form fields to fill in on a screen. Add some if it is not for print alone."
        )
    }

    private func fontsNotEmbedded(_ fonts: [ReaderReport.Font]) -> Finding? {
        let missing = fonts.filter { !$0.isEmbedded }
        guard !missing.isEmpty else { return nil }
        let named = missing.filter { !StandardFonts.holds($0.name) }
        let names = (named.isEmpty ? missing : named).prefix(3).map { $0.name.isEmpty ? "unnamed" : $0.name }
        let list = names.map { String($0.prefix(60)) }.joined(separator: ", ")
        return named.isEmpty
            ? Finding(
                .fontsNotEmbedded,
                .info,
                message: "Standard fonts are not embedded (\(list)): each program shows its own in their place. "
                    + "Embed all fonts to have the sheet look the same everywhere."
            )
            : Finding(
                .fontsNotEmbedded,
                .warning,
                message: "Fonts are not embedded (\(list)): the sheet looks different on every machine. "
                    + "Export it again with all fonts embedded."
            )
    }

    private func tinyType() -> Finding? {
        guard let tiny else { return nil }
        let percent = max(1, Int((tiny.share * 100).rounded()))
        return Finding(
            .tinyType,
            .info,
            page: tiny.page,
            message: "On page \(tiny.page + 1), \(percent) % of the words are set smaller than "
                + "\(Int(Self.smallestType)) points. Set them larger, or they cannot be read on a tablet."
        )
    }

    private func unusualSize() -> Finding? {
        guard let odd else { return nil }
        return Finding(
            .unusualPageSize,
            .info,
            page: odd.page,
            message: "Page \(odd.page + 1) measures \(Int(odd.width.rounded())) × \(Int(odd.height.rounded())) points, "
                + "which is no usual paper size. Use A4 or US Letter if the sheet is to be printed."
        )
    }

    private func systems() -> Finding? {
        let systems = GameSystemWords.standard.systems(in: words)
        guard systems.count > 1 else { return nil }
        return Finding(
            .severalGameSystems,
            .info,
            message: "The sheet speaks of several game systems (\(systems.prefix(4).joined(separator: ", "))). "
                + "Check that the right one is chosen, or split the sheet."
        )
    }
}

/// The fourteen fonts that every reader of PDFs stands in for (PDF 1.7, 9.6.2.2), and their usual aliases.
enum StandardFonts {
    private static let families: Set<String> = [
        "helvetica", "times", "timesroman", "courier", "symbol", "zapfdingbats", "arial", "arialmt", "timesnewroman",
        "timesnewromanps", "timesnewromanpsmt", "couriernew", "couriernewps", "couriernewpsmt",
    ]
    private static let styles = ["bold", "italic", "oblique", "roman", "regular", "mt", "ps"]

    static func holds(_ name: String) -> Bool {
        var rest = name.lowercased().filter { $0.isLetter }
        while !families.contains(rest) {
            guard let style = styles.first(where: rest.hasSuffix) else { return false }
            rest.removeLast(style.count)
        }
        return true
    }
}
