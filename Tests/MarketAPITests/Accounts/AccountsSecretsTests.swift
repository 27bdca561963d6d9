// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Testing

@testable import MarketAccounts

@Suite("Passwords and secrets")
struct AccountsSecretsTests {
    static let cheap = PasswordHash.Parameters(logRounds: 4, blockSize: 8, parallelism: 1)

    @Test("a password's hash is text that holds its parameters, salt and key, and fits that password alone")
    func roundTrip() throws {
        let hash = try PasswordHash(hashing: "correct horse battery", parameters: Self.cheap)
        #expect(hash.text.hasPrefix("$scrypt$ln=4,r=8,p=1$"))
        let read = try #require(PasswordHash(hash.text))
        #expect(read == hash)
        #expect(try read.matches("correct horse battery"))
        #expect(try !read.matches("correct horse batterz"))
        let again = try PasswordHash(hashing: "correct horse battery", parameters: Self.cheap)
        #expect(again.salt != hash.salt && again.key != hash.key)
    }

    @Test("the key is scrypt's: the second test vector of RFC 7914")
    func testVector() throws {
        // RFC 7914, section 12: scrypt("password", "NaCl", N=1024, r=8, p=16), its first 32 bytes.
        let key = "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
        let bytes = stride(from: 0, to: 64, by: 2).compactMap { offset in
            UInt8(key.dropFirst(offset).prefix(2), radix: 16)
        }
        let parameters = PasswordHash.Parameters(logRounds: 10, blockSize: 8, parallelism: 16)
        #expect(try PasswordHash.derive("password", salt: Array("NaCl".utf8), parameters: parameters) == bytes)
    }

    @Test("the same password typed in another normal form fits")
    func normalForms() throws {
        let hash = try PasswordHash(hashing: "caf\u{E9} au lait", parameters: Self.cheap)
        #expect(try hash.matches("cafe\u{301} au lait"))
    }

    @Test(
        "a stored text that is no affordable scrypt hash is none",
        arguments: [
            "", "$scrypt$", "plain", "$argon2id$v=19$m=1$AAAAAAAAAAA$AAAA",
            "$scrypt$ln=40,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "$scrypt$ln=20,r=32,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "$scrypt$ln=-1,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "$scrypt$ln=4,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAA",
            "$scrypt$ln=4,r=8,p=1$!$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        ])
    func unreadable(text: String) {
        #expect(PasswordHash(text) == nil)
    }

    @Test("an account without a password fits nothing, and a hash with other parameters is outdated")
    func hasher() async throws {
        let hasher = PasswordHasher(parameters: Self.cheap)
        #expect(try await !hasher.check("anything", against: nil).matches)
        #expect(try await !hasher.check("", against: "rubbish").matches)
        let stored = try await hasher.hash("correct horse battery")
        #expect(
            try await hasher.check("correct horse battery", against: stored) == .init(matches: true, isOutdated: false))
        let stricter = PasswordHasher(parameters: .init(logRounds: 5, blockSize: 8, parallelism: 1))
        #expect(
            try await stricter.check("correct horse battery", against: stored) == .init(matches: true, isOutdated: true)
        )
    }

    @Test("a flood of sign-ins is refused past the bound, and the rest is served")
    func flood() async throws {
        let hasher = PasswordHasher(parameters: .init(logRounds: 12, blockSize: 8, parallelism: 1))
        let count = PasswordHasher.maximumWaiting * 3
        func sendAll() async -> (served: Int, refused: Int) {
            await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<count {
                    group.addTask {
                        do {
                            _ = try await hasher.hash("correct horse battery")
                            return true
                        } catch {
                            return !(error is PasswordHasher.Flooded)
                        }
                    }
                }
                return await group.reduce(into: (served: 0, refused: 0)) { total, served in
                    if served { total.served += 1 } else { total.refused += 1 }
                }
            }
        }
        var outcomes = await sendAll()
        // On a busy machine they may come so slowly that all are served.
        for _ in 0..<20 where outcomes.refused == 0 { outcomes = await sendAll() }
        #expect(outcomes.served >= PasswordHasher.maximumWaiting && outcomes.refused > 0)
        #expect(try await hasher.check("x", against: try await hasher.hash("x")).matches)
    }

    @Test("a token has its mark, its length and a checksum that every single change breaks")
    func tokens() throws {
        let token = TokenSecret()
        #expect(token.text.hasPrefix("smk_") && token.text.utf8.count == 52)
        #expect(TokenSecret(token.text) == token)
        #expect(TokenSecret().text != token.text)
        let bytes = Array(token.text.utf8)
        for index in bytes.indices {
            var changed = bytes
            changed[index] = changed[index] == UInt8(ascii: "a") ? UInt8(ascii: "b") : UInt8(ascii: "a")
            #expect(TokenSecret(String(decoding: changed, as: UTF8.self)) == nil)
        }
        for wrong in [
            "", "smk_", token.text + "a", String(token.text.dropLast()), "smk_" + String(repeating: "é", count: 24),
        ] {
            #expect(TokenSecret(wrong) == nil)
        }
    }

    @Test("the checksum is CRC-32 in base 62, so that other scanners can compute it")
    func checksum() {
        // CRC-32 of "123456789" is 0xCBF43926 = 3421780262.
        var rest = 3_421_780_262
        var digits = ""
        for _ in 0..<6 {
            digits = String(UnicodeScalar(SecretText.alphabet[rest % 62])) + digits
            rest /= 62
        }
        #expect(TokenSecret.checksum(of: "123456789") == digits)
    }

    @Test("a session's secret is 43 letters and digits")
    func sessions() {
        let secret = SessionSecret()
        #expect(secret.text.utf8.count == 43 && SessionSecret(secret.text) == secret)
        #expect(SessionSecret("short") == nil && SessionSecret(String(repeating: "-", count: 43)) == nil)
    }

    @Test("everything that is wrong with a registration is said at once")
    func registrationFaults() {
        let wrong = RegisterRequest(handle: "Ada!", email: "nowhere", password: "short", displayName: "a\u{0}b")
        #expect(
            AccountRules.validationErrors(in: wrong).map(\.pointer) == [
                "/handle", "/email", "/password", "/displayName",
            ])
        let right = RegisterRequest(handle: "ada-l", email: "ada@example.org", password: "correct horse battery")
        #expect(AccountRules.validationErrors(in: right).isEmpty)
        var reserved = right
        reserved.email = "admin@Accounts.invalid"
        #expect(AccountRules.validationErrors(in: reserved).map(\.pointer) == ["/email"])
        var own = right
        own.password = "ADA@example.org"
        #expect(AccountRules.validationErrors(in: own).map(\.pointer) == ["/password"])
    }

    @Test(
        "names that are too short, too long, odd or reserved are refused",
        arguments: [
            "ab", String(repeating: "a", count: 33), "-ada", "ada-", "a--b", "Ada", "añb", "a b", "admin", "me-",
        ])
    func handles(handle: String) {
        let request = RegisterRequest(handle: handle, email: "ada@example.org", password: "correct horse battery")
        #expect(AccountRules.validationErrors(in: request).map(\.pointer) == ["/handle"])
    }

    @Test("addresses are told from what is none")
    func emails() {
        for address in ["ada@example.org", "a.b+c@sub.example.co", "o'neil@xn--bcher-kva.example"] {
            #expect(AccountRules.isEmail(address), "\(address)")
        }
        for text in [
            "", "ada", "ada@", "@example.org", "ada@localhost", "a b@example.org", "ada@exa mple.org", "ada@-x.org",
            "ada@example..org", "a@b@example.org", "ada@example.org\n", "ada\u{0}@example.org",
            String(repeating: "a", count: 65) + "@example.org",
        ] {
            #expect(!AccountRules.isEmail(text), "\(text)")
        }
    }
}
