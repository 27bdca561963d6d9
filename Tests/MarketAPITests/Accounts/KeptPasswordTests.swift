// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import TestSupport
import Testing

@testable import MemberPages

@Suite("A password that is kept while another field is mended")
struct KeptPasswordTests {
    @Test("opens for a quarter of an hour, to whoever has the key, and shows nothing")
    func sealed() throws {
        let kept = KeptPassword(secrets: try SecretBox(setting: SecretBox.makeKeySetting(id: "a")))
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let sealed = try #require(try kept.sealed(" two  words ", at: now))
        #expect(!sealed.contains("words"))
        #expect(kept.opened(sealed, at: now + 899) == " two  words ")
        #expect(kept.opened(sealed, at: now + 900) == nil)
        #expect(kept.opened(String(sealed.dropLast(4)), at: now) == nil)
        #expect(kept.opened(nil, at: now) == nil)
        #expect(try kept.sealed("", at: now) == nil)
        let other = KeptPassword(secrets: try SecretBox(setting: SecretBox.makeKeySetting(id: "a")))
        #expect(other.opened(sealed, at: now) == nil)
        #expect(try KeptPassword(secrets: nil).sealed("four plain words do", at: now) == nil)
    }
}
