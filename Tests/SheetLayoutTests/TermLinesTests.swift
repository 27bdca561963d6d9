// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import SheetLayout

@Suite("Words that ship as lines")
struct TermLinesTests {
    private func lines(_ text: String) -> [String] {
        var lines: [String] = []
        TermLines.read(Array(text.utf8)) { heading, name, term in
            lines.append([heading, name, String(decoding: term, as: UTF8.self)].joined(separator: "|"))
        }
        return lines
    }

    @Test func eachLineComesWithItsHeading() {
        let text = """
            # remark: of no use
            before: x

            [Dragons & Dungeons]
            names: d&d, über: alles
            terms: hit dice,armour class
            no line of terms
            [Next]
            terms:
            """
        #expect(
            lines(text) == [
                "|before|x", "Dragons & Dungeons|names|d&d", "Dragons & Dungeons|names|über: alles",
                "Dragons & Dungeons|terms|hit dice", "Dragons & Dungeons|terms|armour class",
            ])
    }

    @Test(arguments: ["", "\n\n", "#", "[only a heading]", "[", "]"])
    func textWithoutTermsGivesNone(_ text: String) {
        #expect(lines(text).isEmpty)
    }

    @Test func termsThatShipAreThere() {
        #expect(!RegionTerms.standard.identity.isEmpty)
        #expect(RegionTerms.standard.kind(ofHeading: "Skills") == "skills")
    }
}
