// SPDX-License-Identifier: Apache-2.0
import CSpoof
import Foundation
import Moderation

/// How submissions are judged before a moderator sees them.
package struct RiskPolicy: Sendable {
    /// The rules in force; without any, nothing is assessed and everything goes to a moderator.
    package var rules: RiskRules?
    /// Rules that are tried beside them, and decide nothing.
    package var shadow: RiskRules?
    /// What an author needs for an update to be published without a moderator.
    package var terms = TrustedPath.Terms()
    /// Draws the share that is audited; a number from 0 up to 1.
    package var draw: @Sendable () -> Double = { Double.random(in: 0..<1) }

    package init() {}

    package init(rules: RiskRules, shadow: RiskRules? = nil, terms: TrustedPath.Terms = TrustedPath.Terms()) {
        self.rules = rules
        self.shadow = shadow
        self.terms = terms
    }
}

/// A folder with files of rules.
package enum RulesFolder {
    private static let names = ["risk.json", "prohibited-words.json", "publishers.json"]

    /// Reads `risk.json`, `prohibited-words.json` and `publishers.json` of `folder`, and what it does not have from
    /// `shipped`. Throws `RiskRulesError`.
    package static func read(_ folder: URL, shipped: URL? = nil) throws(RiskRulesError) -> RiskRules {
        var files: [Data] = []
        var found = false
        for name in names {
            var file = folder.appending(path: name)
            if FileManager.default.fileExists(atPath: file.path) {
                found = true
            } else if let shipped {
                file = shipped.appending(path: name)
            }
            do {
                files.append(try Data(contentsOf: file))
            } catch {
                throw RiskRulesError(problems: ["\(file.path) cannot be read: \(error.localizedDescription)"])
            }
        }
        guard found else {
            throw RiskRulesError(problems: ["\(folder.path) has none of \(names.joined(separator: ", "))"])
        }
        do {
            return try RiskRules(rules: files[0], words: files[1], publishers: files[2])
        } catch {
            throw RiskRulesError(problems: error.problems.map { "\(folder.path): \($0)" })
        }
    }
}

extension RiskFacts.Name {
    /// Longest text that is compared, in bytes of UTF-8.
    private static let maximumBytes = 400

    /// A name as the rules compare it.
    package init(_ kind: RiskFacts.NameKind, _ text: String) {
        let text = String(text.prefix(120))
        // Capitals look like other letters than small ones do: "I" like "l", "i" like none.
        let forms = [text, text.lowercased()].compactMap(Self.skeleton)
        self.init(
            kind, text, skeletons: forms.first == forms.last ? Array(forms.prefix(1)) : forms,
            isSuspicious: Self.isSuspicious(text))
    }

    private static func skeleton(_ text: String) -> String? {
        let letters = Array(text.filter { !$0.isWhitespace }.utf8)
        guard !letters.isEmpty, letters.count <= maximumBytes else { return nil }
        let capacity = 16 * letters.count + 64
        let skeleton = letters.withUnsafeBytes { bytes in
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer -> String? in
                let length = spoof_skeleton(
                    bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, buffer.baseAddress, capacity)
                guard length >= 0 else { return nil }
                return String(decoding: UnsafeRawBufferPointer(buffer).prefix(Int(length)), as: UTF8.self)
            }
        }
        return skeleton?.lowercased()
    }

    private static func isSuspicious(_ text: String) -> Bool {
        let letters = Array(text.utf8)
        return letters.withUnsafeBytes { bytes in
            spoof_is_suspicious(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
        }
    }
}
