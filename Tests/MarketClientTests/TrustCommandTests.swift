// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketClient
import SheetCore
import Testing

@Suite("Trust from the command line")
struct TrustCommandTests {
    @Test("a root from a file is pinned only if its fingerprint is the one that was told")
    func rootFile() async throws {
        let scratch = try Scratch()
        let key = TrustSigningKey()
        let roles = Dictionary(
            uniqueKeysWithValues: RootRole.roleNames.map {
                ($0, TrustRoleKeys(keyIDs: [key.publicKey.id], threshold: 1))
            })
        let head = TrustHead(version: 1, expires: Date().addingTimeInterval(86_400))
        var metadata = SignedMetadata(RootRole(head: head, keys: [key.publicKey], roles: roles).signed)
        try metadata.sign(with: key)
        let file = "\(scratch.path)/root.json"
        try metadata.file.write(to: URL(fileURLWithPath: file))
        func trust(_ arguments: String...) async throws -> CommandLineRun {
            try await CommandLineRun.start(["trust"] + arguments, in: scratch, server: "http://127.0.0.1:1").end()
        }
        let fingerprint = ContentHash(hashing: metadata.file).hex
        let wrong = try await trust(
            "init", "--root", file, "--fingerprint", String(fingerprint.reversed()))
        #expect(wrong.status == 3 && wrong.errors.contains(fingerprint), "\(wrong.errors)")
        #expect(try await trust("status").status == 1)
        let right = try await trust("init", "--root", file, "--fingerprint", fingerprint.uppercased(), "--json")
        #expect(right.status == 0 && right.output.contains(fingerprint), "\(right.errors)")
        #expect(try await trust("status", "--json").output.contains(fingerprint))
    }

    @Test("a market that signs nothing is told of, not passed over")
    func unsigned() async throws {
        let scratch = try Scratch()
        try await withStub(SampleSheet().market()) { server in
            let run = try await CommandLineRun.start(["trust", "init"], in: scratch, server: server.url).end()
            #expect(run.status == 1 && run.errors.contains("does not sign its catalog"), "\(run.errors)")
        }
    }
}
