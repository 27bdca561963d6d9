// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import SheetCore
import Testing

/// Reviews as this version writes them; later versions must go on reading them.
@Suite struct ReviewJSONTests {
    private static let list = """
        {
          "nextCursor" : null,
          "rating" : {
            "asOf" : "2026-11-21",
            "count" : 1,
            "histogram" : [
              0,
              0,
              0,
              1,
              0
            ],
            "lowerBound" : 2.5,
            "prior" : {
              "asOf" : "2026-11-20",
              "gameSystem" : "dnd5e",
              "mean" : 3.5,
              "variance" : 1.5,
              "weight" : 5
            },
            "rating" : 3.75,
            "weight" : 1
          },
          "reviews" : [
            {
              "author" : "ann",
              "authorName" : "Ann",
              "createdAt" : "2026-11-21T12:00:00.000Z",
              "hasInstalled" : true,
              "helpful" : 2,
              "id" : "0193a0c0-0000-7000-8000-000000000001",
              "reply" : {
                "author" : "nadia",
                "createdAt" : "2026-11-21T12:00:00.000Z",
                "text" : "Thanks.",
                "updatedAt" : "2026-11-21T12:00:00.000Z"
              },
              "stars" : 4,
              "templateId" : "0193a0c0-0000-7000-8000-000000000002",
              "text" : "Good.",
              "unhelpful" : 0,
              "updatedAt" : "2026-11-21T12:00:00.000Z",
              "version" : "1.0.0"
            }
          ]
        }
        """

    @Test("a list of reviews") func reviews() throws {
        let value = try WireJSON.decoder().decode(ReviewList.self, from: Data(Self.list.utf8))
        #expect(value.reviews.first?.reply?.text == "Thanks." && value.rating.prior?.gameSystem == "dnd5e")
        #expect(value.mine == nil && value.reviews.first?.myVote == nil)
        let encoder = WireJSON.encoder()
        encoder.outputFormatting.insert(.prettyPrinted)
        #expect(String(decoding: try encoder.encode(value), as: UTF8.self) == Self.list)
    }

    @Test("a vote that is taken back is null, and may be left out") func votes() throws {
        let encoder = WireJSON.encoder()
        #expect(String(decoding: try encoder.encode(ReviewVote(helpful: nil)), as: UTF8.self) == #"{"helpful":null}"#)
        for text in [#"{"helpful":null}"#, "{}"] {
            let vote = try WireJSON.decoder().decode(ReviewVote.self, from: Data(text.utf8))
            #expect(vote.helpful == nil)
        }
    }

    @Test("a report") func report() throws {
        let text = #"{"reason":"personal_data","subject":{"id":"quest-sheet","kind":"version","version":"1.0.0"}}"#
        let request = try WireJSON.decoder().decode(ReportRequest.self, from: Data(text.utf8))
        #expect(request.reason == .personalData && request.subject.kind == .version && request.text == nil)
        #expect(String(decoding: try WireJSON.encoder().encode(request), as: UTF8.self) == text)
    }
}
