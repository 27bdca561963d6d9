// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import SheetLayout

@Suite("JSON that ships")
struct ShippedJSONTests {
    @Test func holdsWhatWasWritten() throws {
        let text = #"{ "a": ["x", "ü", []], "n": 12, "t": {}, "b": [ ] }"#
        let read = try #require(ShippedJSON(Array(text.utf8)))
        #expect(read["a"]?.texts == ["x", "ü"])
        #expect(read["a"]?.items.count == 3)
        #expect(read["b"]?.items.isEmpty == true)
        #expect(read.members.map(\.name) == ["a", "b", "n", "t"])
        #expect(read["missing"] == nil)
    }

    @Test(arguments: ["", "{", "[1,]", #"{"a" 1}"#, #"{"a":"\n"}"#, "[true]", "\"open"])
    func refusesWhatItDoesNotKnow(_ text: String) {
        #expect(ShippedJSON(Array(text.utf8)) == nil)
    }

    @Test func termsThatShipAreThere() {
        #expect(!RegionTerms.standard.identity.isEmpty)
        #expect(RegionTerms.standard.kind(ofHeading: "Skills") == "skills")
    }
}
