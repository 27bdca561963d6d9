// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketClient
import MarketWire
import SheetCore
import Testing

@Suite("The index that makes long lists fast")
struct LibraryIndexTests {
    private func filled(_ scratch: Scratch, _ market: SampleMarket) async throws {
        try await withStub(market.market()) { server in
            for result in try await server.installer(scratch).install(market.references) { _ = try result.get() }
        }
    }

    @Test("a list from the index is the list from the records, also of odd names, removals and what was changed since")
    func sameList() async throws {
        let scratch = try Scratch()
        let library = scratch.library
        try await filled(scratch, SampleMarket(4))
        func check() throws {
            let expected = try library.contents().records.map(LibraryEntry.init)
            #expect(try library.entries().entries == expected)
            #expect(try library.entries().entries == expected, "from the index")
        }
        try check()
        // Written by another program, as it were.
        var record = try library.find("sheet-1")
        record.template.name = "A % name\nof two\u{1F} lines 100%0A"
        record.deprecation = Deprecation(message: "Old.", since: SampleSheet.time)
        let path = "\(library.root)/templates/\(record.template.id).json"
        try WireJSON.encoder().encode(record).write(to: URL(fileURLWithPath: path), options: .atomic)
        try check()
        #expect(try library.entries().entries.first?.name == record.template.name)
        try await library.uninstall(try library.find("sheet-2"), purge: false)
        try await library.uninstall(try library.find("sheet-3"), purge: true)
        try check()
        #expect(try library.entries().entries.filter(\.isInstalled).count == 2)
    }

    @Test("a damaged index is no index, and a damaged record is told of each time")
    func damage() async throws {
        let scratch = try Scratch()
        let library = scratch.library
        try await filled(scratch, SampleMarket(3))
        let whole = try library.entries().entries
        let index = URL(fileURLWithPath: "\(library.root)/index/list")
        let bytes = try Data(contentsOf: index)
        for spoiled in [Data(), bytes.prefix(bytes.count / 2), Data("sheets-index 9\n".utf8), Data([0, 255, 10, 31])] {
            try spoiled.write(to: index)
            #expect(try library.entries().entries == whole)
        }
        let record = try library.find("sheet-0")
        try Data("{".utf8).write(to: URL(fileURLWithPath: "\(library.root)/templates/\(record.template.id).json"))
        for _ in 0..<2 {
            let (entries, unreadable) = try library.entries()
            #expect(entries.count == 2 && unreadable.count == 1)
        }
    }
}
