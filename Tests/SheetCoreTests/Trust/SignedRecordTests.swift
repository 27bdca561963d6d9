// SPDX-License-Identifier: Apache-2.0
import SheetCore
import Testing

struct SignedRecordTests {
    private static func region(_ x: Double, kind: String? = "skills") -> ZoomRegion {
        ZoomRegion(
            id: "skills", name: "Skills", rect: NormalizedRect(x: x, y: 0.25, width: 1.0 / 3, height: 0.5), scale: 2,
            pageIndex: 0, kind: kind)
    }

    private static func record(_ change: (inout SignedRecord) -> Void = { _ in }) -> SignedRecord {
        let notes = ZoomRegion(
            id: "notes", name: "Notes", rect: NormalizedRect(x: 0, y: 0, width: 1, height: 1), scale: 1, pageIndex: 1)
        var record = SignedRecord(
            name: "Blank “dossier”", summary: "A sheet.", description: "Words\nand \"more\".", license: "CC-BY-4.0",
            regions: [(0, region(0.1)), (1, notes)])
        change(&record)
        return record
    }

    /// As securesystemslib's `encode_canonical` and SHA-256 have it. docs/trust.md shows the bytes.
    @Test func othersComeToTheSameHash() {
        #expect(Self.record().hash.hex == "67bf76651077faa08cfaeefee02b8d5f3c9e75e24b3c49ba8b8d6d419d30bc4c")
    }

    @Test func whateverIsForgedChangesTheHash() {
        let forged: [SignedRecord] = [
            Self.record { $0.name += "!" }, Self.record { $0.summary = "" }, Self.record { $0.description += " " },
            Self.record { $0.license = "CC0-1.0" }, Self.record { $0.regions.swapAt(0, 1) },
            Self.record { $0.regions.removeLast() }, Self.record { $0.regions[0].page = 1 },
            Self.record { $0.regions[0].region = Self.region(0.11) },
            Self.record { $0.regions[0].region = Self.region(0.1, kind: nil) },
        ]
        for record in forged { #expect(record.hash != Self.record().hash) }
        #expect(Set(forged.map(\.hash.hex)).count == forged.count)
    }

    /// What a hostile market may send is a hash like any other.
    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300])
    func numbersThatAreNoneDoNoHarm(_ number: Double) {
        #expect(Self.record { $0.regions[0].region = Self.region(number) }.hash != Self.record().hash)
    }
}
