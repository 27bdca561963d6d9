// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore
import Testing

@Suite struct SemanticVersionTests {
    /// The valid examples of the specification's own regular-expression test set.
    static let valid = [
        "0.0.4", "1.2.3", "10.20.30", "1.1.2-prerelease+meta", "1.1.2+meta", "1.1.2+meta-valid", "1.0.0-alpha",
        "1.0.0-beta", "1.0.0-alpha.beta", "1.0.0-alpha.beta.1", "1.0.0-alpha.1", "1.0.0-alpha0.valid",
        "1.0.0-alpha.0valid", "1.0.0-rc.1+build.1", "2.0.0-rc.1+build.123", "1.2.3-beta", "10.2.3-DEV-SNAPSHOT",
        "1.2.3-SNAPSHOT-123", "1.0.0", "2.0.0", "1.1.7", "2.0.0+build.1848", "2.0.1-alpha.1227",
        "1.0.0-alpha+beta", "1.2.3----RC-SNAPSHOT.12.9.1--.12+788", "1.2.3----R-S.12.9.1--.12+meta",
        "1.2.3----RC-SNAPSHOT.12.9.1--.12", "1.0.0+0.build.1-rc.10000aaa-kk-0.1", "1.0.0-0A.is.legal",
        "18446744073709551615.0.0",
    ]

    /// The invalid ones, and some of our own.
    static let invalid = [
        "", "1", "1.2", "1.2.3-0123", "1.2.3-0123.0123", "1.1.2+.123", "+invalid", "-invalid", "-invalid+invalid",
        "-invalid.01", "alpha", "alpha.beta", "alpha.1", "alpha+beta", "alpha_beta", "alpha.", "alpha..", "beta",
        "1.0.0-alpha_beta", "-alpha.", "1.0.0-alpha..", "1.0.0-alpha..1", "1.0.0-alpha...1", "01.1.1", "1.01.1",
        "1.1.01", "1.2.3.DEV", "1.2-SNAPSHOT", "1.2.31.2.3----RC-SNAPSHOT.12.09.1--..12+788", "1.2-RC-SNAPSHOT",
        "-1.0.3-gamma+b7718", "+justmeta", "9.8.7+meta+meta", "9.8.7-whatever+meta+meta", "v1.0.0", " 1.0.0",
        "1.0.0 ", "1.0.0-", "1.0.0+", "1.0.0-ä", "١.0.0", "18446744073709551616.0.0", "1..0",
        "1.0.0-" + String(repeating: "a", count: 60),
    ]

    @Test("what the specification calls valid is read and written back the same", arguments: valid)
    func reads(text: String) throws {
        let version = try #require(SemanticVersion(text))
        #expect(version.description == text)
        let data = try JSONEncoder().encode([version])
        #expect(try JSONDecoder().decode([SemanticVersion].self, from: data) == [version])
    }

    @Test("what it calls invalid is refused", arguments: invalid)
    func refuses(text: String) throws {
        #expect(SemanticVersion(text) == nil)
        let data = try JSONEncoder().encode([text])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([SemanticVersion].self, from: data) }
    }

    @Test("precedence is that of section 11, whatever the order they come in")
    func precedence() throws {
        let ordered = [
            "0.0.1", "0.1.0", "1.0.0-0", "1.0.0-2", "1.0.0-10", "1.0.0-99999999999999999999",
            "1.0.0-100000000000000000000", "1.0.0-A", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta",
            "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.0+a", "1.0.0+b", "1.0.1",
            "1.2.0", "1.10.0", "2.0.0", "2.1.0", "2.1.1",
        ].compactMap { SemanticVersion($0) }
        #expect(ordered.count == 24)
        for (i, left) in ordered.enumerated() {
            for (j, right) in ordered.enumerated() {
                #expect((left < right) == (i < j), "\(left) \(right)")
                #expect((left == right) == (i == j), "\(left) \(right)")
            }
        }
        #expect(ordered.shuffled().sorted() == ordered)
    }

    @Test("only a hyphen makes a pre-release")
    func prerelease() {
        #expect(SemanticVersion("1.0.0-rc.1")?.isPrerelease == true)
        #expect(SemanticVersion("1.0.0+rc-1")?.isPrerelease == false)
    }
}
