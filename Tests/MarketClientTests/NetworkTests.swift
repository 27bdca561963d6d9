// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import sheets

@Suite("Whether there is a network")
struct NetworkTests {
    typealias Interface = Network.Interface

    private static let loopback = Interface(isUp: true, isLoopback: true, hasAddress: true, isLinkLocal: false)
    private static let wire = Interface(isUp: true, isLoopback: false, hasAddress: true, isLinkLocal: false)
    private static let linkLocal = Interface(isUp: true, isLoopback: false, hasAddress: true, isLinkLocal: true)
    private static let bare = Interface(isUp: true, isLoopback: false, hasAddress: false, isLinkLocal: false)
    private static let down = Interface(isUp: false, isLoopback: false, hasAddress: true, isLinkLocal: false)

    @Test(
        "a host is given up only where no interface leads there",
        arguments: [
            ("market.example", [loopback, wire], false), ("market.example", [loopback], true),
            ("market.example", [loopback, bare, down], true), ("market.example", [loopback, linkLocal], true),
            ("2001:db8::1", [loopback], false), ("203.0.113.5", [loopback], true), ("203.0.113.5", [wire], false),
            ("127.0.0.1", [loopback], false), ("localhost", [loopback], false), ("localhost", [bare, down], true),
            ("printer.local", [loopback, linkLocal], false), ("market", [loopback], false),
            ("169.254.3.4", [loopback, linkLocal], false), ("market.test", [loopback], false),
            ("market.example", [], false),
        ] as [(String, [Interface], Bool)])
    func cut(_ host: String, _ interfaces: [Interface], _ isCut: Bool) {
        let hosts = Data("127.0.0.1 localhost\n127.0.0.1\tMarket.test market-2.test\n".utf8)
        #expect(Network.isCut(from: host, by: interfaces, hosts: hosts) == isCut)
        #expect(!Network.isCut(from: host, by: nil, hosts: hosts), "nobody knows")
    }
}
