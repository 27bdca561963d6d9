// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import MarketAPI
import MarketAccounts
import MarketPages

extension Admin {
    /// The keys of what stands sealed in the database.
    struct SealingKeys: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "keys", abstract: "Show which of SHEETMARKET_SECRET_KEYS is needed, and move to the first.",
            subcommands: [Status.self, Reseal.self])

        struct Status: AsyncParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Show what each key sealed.")

            @OptionGroup var target: AdminTarget

            func run() async throws {
                SealingKeys.show(try await target.withNode { try await SealingKeys.rotation($0).report() })
            }
        }

        struct Reseal: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Seal with the first key whatever others sealed, so that they can be dropped.",
                discussion: """
                    Run it when all nodes have the new key in front. It works beside them and can be run any number of \
                    times. Exits with 1 when something cannot be opened with any of the keys.
                    """)

            @OptionGroup var target: AdminTarget

            func run() async throws {
                let report = try await target.withNode { try await SealingKeys.rotation($0).reseal() }
                printLine("\(report.resealed) sealed anew with \(report.sealingKey).")
                SealingKeys.show(report)
                guard report.lost == 0 else {
                    throw CommandFailure(
                        "\(report.lost) cannot be opened: their key is not in SHEETMARKET_SECRET_KEYS.")
                }
            }
        }

        private static func rotation(_ node: Node) throws -> SecretRotation {
            guard let rotation = SecretRotation(platform: node.features.platform, columns: Features.sealedColumns)
            else {
                throw CommandFailure("SHEETMARKET_SECRET_KEYS is not set.")
            }
            return rotation
        }

        private static func show(_ report: SecretRotation.Report) {
            for holding in report.holdings { printLine("\(holding.name)  \(holding.key)  \(holding.count)") }
            if report.accountsWithOldCodes > 0 {
                printLine(
                    "\(report.accountsWithOldCodes) accounts have recovery codes of an older release: those work only with "
                        + "the key of their time, until their holders make new ones.")
            }
            let needed = report.stillNeeded.joined(separator: ", ")
            printLine(
                needed.isEmpty
                    ? "Nothing else than \(report.sealingKey) is needed."
                    : "Still needed besides \(report.sealingKey): \(needed). `sheetmarket admin keys reseal` moves it.")
        }
    }
}
