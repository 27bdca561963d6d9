// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import SheetLayout

@Suite("JSON that ships")
struct ShippedJSONTests {
    @Test func holdsWhatWasWritten() throws {
        let text = #"{ "a": ["x", "ü", []], "n": 12, "t": {}, "b": [ ] }"#
        let read = try #require(ShippedJSON(Array(text.utf8)))
        #expect(read["t"]?.items.isEmpty == true && read["t"]?.text == nil)
        #expect(read["a"]?.texts == ["x", "ü"])
        #expect(read["a"]?.items.count == 3)
        #expect(read["b"]?.items.isEmpty == true)
        #expect(read.members.map(\.name) == ["a", "b", "n", "t"])
        #expect(read["missing"] == nil)
    }

    @Test(arguments: ["", "{", "[1", #"{"a" 1}"#, #"["open"#])
    func refusesWhatIsNone(_ text: String) {
        #expect(ShippedJSON(Array(text.utf8)) == nil)
    }

    @Test func termsThatShipAreThere() {
        #expect(!RegionTerms.standard.identity.isEmpty)
        #expect(RegionTerms.standard.kind(ofHeading: "Skills") == "skills")
    }
}
