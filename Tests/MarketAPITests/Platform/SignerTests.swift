// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore
import Testing

@testable import MarketHTTP
@testable import MarketPlatform

@Suite("Signed download addresses")
struct SignerTests {
    private let hash = ContentHash(hashing: Data("a sheet".utf8))
    private let noon = Date(timeIntervalSince1970: 1_900_000_000)
    private let old: (id: String, secret: [UInt8]) = ("k1", Array(repeating: 1, count: 32))
    private let new: (id: String, secret: [UInt8]) = ("k2", Array(repeating: 2, count: 32))

    /// Takes an address apart as the route does.
    private func parse(_ path: String) throws -> SignedAddress {
        let url = try #require(URLComponents(string: path))
        let parts = url.percentEncodedPath.split(separator: "/")
        #expect(parts.count == 3 && parts[0] == "files")
        let query = QueryParameters(url.percentEncodedQuery)
        return SignedAddress(
            hex: String(parts[1]), fileName: try #require(parts[2].removingPercentEncoding),
            keyID: try #require(query["kid"]), expiry: try #require(query["exp"]), signature: try #require(query["sig"])
        )
    }

    @Test(
        "An address holds until it expires",
        arguments: ["sheet.pdf", "Zauberbuch für Ältere.pdf", "50% & more?.pdf", "a/b.pdf"])
    func holds(fileName: String) throws {
        let signer = try DownloadSigner(keys: [old])
        let address = try parse(signer.sign(hash: hash, fileName: fileName, expires: noon))
        #expect(address.fileName == fileName)
        #expect(address.hex == hash.hex)
        try signer.verify(address, now: noon.addingTimeInterval(-1))
        #expect(throws: DownloadAddressError.expired) { try signer.verify(address, now: noon) }
    }

    @Test("Whatever is changed in an address, it no longer holds")
    func forged() throws {
        let signer = try DownloadSigner(keys: [old, new])
        let good = try parse(signer.sign(hash: hash, fileName: "sheet.pdf", expires: noon))
        let before = noon.addingTimeInterval(-1)
        let changes: [(inout SignedAddress) -> Void] = [
            { $0.hex = ContentHash(hashing: Data("another".utf8)).hex },
            { $0.hex = $0.hex.uppercased() },
            { $0.fileName = "other.pdf" },
            { $0.expiry = "1900000001" },
            { $0.expiry = "" },
            { $0.keyID = "k2" },
            { $0.keyID = "k3" },
            { $0.signature = "AA" + $0.signature },
            { $0.signature = "" },
            { $0.signature = String($0.signature.dropLast()) },
            { $0.signature += "=" },
            // The line between two fields cannot be moved.
            { address in
                address.fileName = "\(address.hex)\n\(address.fileName)"
                address.hex = address.expiry
            },
        ]
        for (index, change) in changes.enumerated() {
            var address = good
            change(&address)
            #expect(throws: DownloadAddressError.badSignature, "change \(index)") {
                try signer.verify(address, now: before)
            }
        }
    }

    @Test("The first key signs, all verify: keys can be rotated")
    func rotation() throws {
        let before = try DownloadSigner(keys: [old])
        let during = try DownloadSigner(keys: [new, old])
        let after = try DownloadSigner(keys: [new])
        let earlier = try parse(before.sign(hash: hash, fileName: "a.pdf", expires: noon))
        let later = try parse(during.sign(hash: hash, fileName: "a.pdf", expires: noon))
        let now = noon.addingTimeInterval(-1)
        #expect(later.keyID == "k2")
        try during.verify(earlier, now: now)
        try after.verify(later, now: now)
        #expect(throws: DownloadAddressError.badSignature) { try after.verify(earlier, now: now) }
    }

    @Test("The setting is read, and a bad one is refused without telling its secret")
    func setting() throws {
        let secret = Data(repeating: 9, count: 32).base64EncodedString()
        let signer = try DownloadSigner(
            setting: "a:\(secret), b:\(Data(repeating: 8, count: 40).base64EncodedString())")
        #expect(signer.sign(hash: hash, fileName: "a.pdf", expires: noon).contains("kid=a&"))
        _ = try DownloadSigner(setting: DownloadSigner.makeKeySetting(id: "made"))
        let short = Data(repeating: 3, count: 8).base64EncodedString()
        for bad in ["", "a", "a:", "a:???", "a:\(short)", "a b:\(secret)", "a:\(secret),a:\(secret)", ":\(secret)"] {
            let error = #expect(throws: DownloadKeyError.self, "\(bad)") { try DownloadSigner(setting: bad) }
            #expect(error?.description.contains(secret) == false)
            #expect(error?.description.contains(short) == false)
        }
    }
}
