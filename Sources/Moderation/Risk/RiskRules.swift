// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The rules of the risk score with the words they look for: data, with a version.
package struct RiskRules: Sendable {
    /// What an operator calls these rules; stored with every assessment.
    package let version: String
    /// In the order of the file.
    package let rules: [RiskRule]
    /// What they look for.
    package let vocabulary: RiskVocabulary

    /// The format that is read.
    static let format = "sheetmarket.risk.1"

    private struct RuleFile: Decodable {
        var format: String
        var version: String
        var rules: [[String: RuleValue]]
    }

    /// Reads the three files; throws all that is wrong with them.
    package init(rules: Data, words: Data, publishers: Data) throws(RiskRulesError) {
        let file: RuleFile = try Self.decode(rules, "risk.json")
        vocabulary = try RiskVocabulary(
            words: try Self.decode(words, "prohibited-words.json"),
            publishers: try Self.decode(publishers, "publishers.json"))
        var problems: [String] = []
        if file.format != Self.format { problems.append("risk.json: the format is not \(Self.format)") }
        if file.version.isEmpty || file.version.count > 64 {
            problems.append("risk.json: the version must be 1 to 64 characters")
        }
        var read: [RiskRule] = []
        for (place, raw) in file.rules.enumerated() {
            guard let rule = RiskRule(raw, place: place, &problems) else { continue }
            if read.contains(where: { $0.code == rule.code }) {
                problems.append("rule \(rule.code): there are two of it")
            }
            read.append(rule)
        }
        let notices = Set(vocabulary.notices.map(\.notice.code))
        for rule in read {
            guard case .licenseConflict(let wanted) = rule.check else { continue }
            for code in wanted where !notices.contains(code) {
                problems.append("rule \(rule.code): publishers.json has no notice '\(code)'")
            }
        }
        guard problems.isEmpty else { throw RiskRulesError(problems: problems) }
        version = file.version
        self.rules = read
    }

    private init(version: String, rules: [RiskRule], vocabulary: RiskVocabulary) {
        self.version = version
        self.rules = rules
        self.vocabulary = vocabulary
    }

    /// The same rules, each as `change` leaves it.
    package func changed(_ change: (inout RiskRule) -> Void) -> RiskRules {
        RiskRules(
            version: version,
            rules: rules.map { rule in
                var changed = rule
                change(&changed)
                return changed
            }, vocabulary: vocabulary)
    }

    private static func decode<Value: Decodable>(_ data: Data, _ name: String) throws(RiskRulesError) -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: data)
        } catch let error as DecodingError {
            throw RiskRulesError(problems: ["\(name): \(explain(error))"])
        } catch {
            throw RiskRulesError(problems: ["\(name): it cannot be read"])
        }
    }

    private static func explain(_ error: DecodingError) -> String {
        func at(_ path: [any CodingKey]) -> String {
            path.isEmpty
                ? "" : " at /" + path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: "/")
        }
        return switch error {
        case .keyNotFound(let key, let context): "'\(key.stringValue)' is missing" + at(context.codingPath)
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "the wrong kind of value" + at(context.codingPath)
        case .dataCorrupted(let context):
            context.codingPath.isEmpty ? "it is no JSON" : "a wrong value" + at(context.codingPath)
        @unknown default: "it cannot be read"
        }
    }

    /// What the rules make of a submission. Pure: the same facts, the same answer.
    package func assess(_ facts: RiskFacts) -> RiskAssessment {
        let look = RiskLook(facts, vocabulary)
        let hits = rules.filter { $0.mode != .off }.compactMap { rule -> RiskHit? in
            let evidence = look.evidence(for: rule.check)
            guard !evidence.isEmpty else { return nil }
            let weight = rule.most.map { min($0, rule.weight * evidence.count) } ?? rule.weight
            return RiskHit(code: rule.code, weight: weight, evidence: evidence, isShadow: rule.mode == .shadow)
        }
        return RiskAssessment(rulesVersion: version, hits: hits)
    }
}
