// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketAPI
import MarketPages
import MarketPlatform
import Moderation
import ModerationService

extension Admin {
    /// The rules of the risk score.
    struct Rules: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check rules of the risk score, and try them on what was uploaded.",
            subcommands: [Check.self, Compare.self])

        struct Check: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Tell whether a folder of rules will do.",
                discussion: "docs/risk.md describes the files. Those that the folder lacks are taken from the assets.")

            @Argument(help: ArgumentHelp("The folder with risk.json.", valueName: "folder"))
            var folder: String

            @Option(help: ArgumentHelp("The folder with the rules that come with the program.", valueName: "dir"))
            var shipped: String?

            func run() async throws {
                let rules = try Rules.read(folder, shipped: shipped)
                let on = rules.rules.filter { $0.mode == .on }.count
                let shadow = rules.rules.filter { $0.mode == .shadow }.count
                printLine(
                    "The rules \(rules.version) will do: \(on) on, \(shadow) in shadow mode, "
                        + "\(rules.rules.count - on - shadow) off.")
            }
        }

        struct Compare: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Try rules on what was assessed of late, and tell what they would have said.",
                discussion: "Changes nothing. The facts are those of the time of each assessment.")

            @Argument(help: ArgumentHelp("The folder with risk.json.", valueName: "folder"))
            var folder: String

            @Option(help: "How many days back.")
            var days = RiskReview.days

            @Option(help: ArgumentHelp("The folder with the rules that come with the program.", valueName: "dir"))
            var shipped: String?

            @OptionGroup var target: AdminTarget

            func validate() throws {
                guard (1...3660).contains(days) else { throw ValidationError("--days takes 1 to 3660.") }
            }

            func run() async throws {
                let rules = try Rules.read(folder, shipped: shipped)
                let days = self.days
                let comparison = try await target.withNode { node in
                    try await RiskReview(moderation: node.features.moderation).compare(rules, days: days)
                }
                guard comparison.count > 0 else {
                    printLine("Nothing was assessed in \(days) days.")
                    return
                }
                let count = Double(comparison.count)
                printLine(
                    "\(comparison.count) submissions; mean score \(Rules.shown(Double(comparison.before) / count)) as it "
                        + "was, \(Rules.shown(Double(comparison.after) / count)) by \(rules.version).")
                printLine("\(comparison.noLongerTrusted) that were published at once would go to a moderator.")
                for (code, hits) in comparison.hits.sorted(by: { $0.key < $1.key }) where hits.before != hits.after {
                    printLine("  \(code): hit \(hits.before), would hit \(hits.after)")
                }
                for change in comparison.changes {
                    printLine("  \(change.submission)  \(change.before) -> \(change.after)  \(change.name)")
                }
            }
        }

        private static func shown(_ value: Double) -> String { String((value * 10).rounded() / 10) }

        /// Reads a folder; what it lacks from `shipped`, else from the assets found above this program.
        private static func read(_ folder: String, shipped: String?) throws -> RiskRules {
            let executable = URL(fileURLWithPath: Bundle.main.executablePath ?? CommandLine.arguments[0])
            let standard =
                shipped.map { URL(fileURLWithPath: $0) } ?? AssetFolder(named: nil, executable: executable)?.rules
            do {
                return try RulesFolder.read(URL(fileURLWithPath: folder), shipped: standard)
            } catch {
                throw CommandFailure(error.description)
            }
        }
    }
}
