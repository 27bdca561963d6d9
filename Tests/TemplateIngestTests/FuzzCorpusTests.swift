// SPDX-License-Identifier: Apache-2.0
import Foundation
import FuzzTargets
import Testing

/// What `make fuzz` found once is never found again.
@Suite("The fuzzer's corpus")
struct FuzzCorpusTests {
    private static let corpus = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Fuzz/corpus")

    @Test("each input is borne by its target", arguments: FuzzTarget.all.map(\.name))
    func replay(name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let inputs = try FileManager.default.contentsOfDirectory(
            at: Self.corpus.appendingPathComponent(name), includingPropertiesForKeys: nil)
        #expect(!inputs.isEmpty)
        for input in inputs {
            #expect(target.complaint([UInt8](try Data(contentsOf: input))) == nil, "\(input.lastPathComponent)")
        }
    }

    @Test("every folder of the corpus belongs to a target")
    func folders() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.corpus.path)
        #expect(Set(folders) == Set(FuzzTarget.all.map(\.name)))
    }
}
