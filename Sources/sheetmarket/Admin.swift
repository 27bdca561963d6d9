// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketAPI
import MarketAccounts
import MarketCommunity
import MarketHTTP
import MarketPages
import MarketWire
import SheetCore

/// What an operator does to a market from the machine it runs on.
struct Admin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Administer a market: accounts, tokens, the audit log, presets, keys.",
        discussion: """
            With --data on a folder of `up`, running or not; otherwise on the database of DATABASE_URL. What is changed is \
            entered in the audit log as the operator's act.
            """,
        subcommands: [
            Token.self, User.self, AdminAudit.self, Preset.self, AdminRegions.self,
            Fingerprints.self, Search.self, Ratings.self,
            Rules.self,
            Cases.self,
            Dump.self, SealingKeys.self,
        ])

    /// A new token of an administrator.
    struct Token: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a new API token of an administrator, making the account when there is none.")

        @Option(help: "The account.")
        var handle = "admin"

        @Option(help: "Days until it expires.")
        var days = 366

        @OptionGroup var target: AdminTarget

        func validate() throws {
            guard (1...3660).contains(days) else { throw ValidationError("--days takes 1 to 3660.") }
        }

        func run() async throws {
            let token = try await target.withNode { node in
                try await AccountService(accounts: node.features.accounts).administratorToken(
                    handle: handle, expiresInDays: days)
            }
            printLine(token.token)
        }
    }

    struct User: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "List accounts, give roles, disable and enable, take a lost second factor away, export and erase.",
            subcommands: [
                List.self, Role.self, Disable.self, Enable.self, ResetSecondFactor.self, ExportPerson.self,
                ErasePerson.self,
            ])

        struct List: AsyncParsableCommand {
            static let configuration = CommandConfiguration(abstract: "List all accounts.")
            @OptionGroup var target: AdminTarget

            func run() async throws {
                try await target.withNode { node in
                    let accounts = AccountService(accounts: node.features.accounts)
                    var last: String?
                    repeat {
                        let page = try await accounts.users(after: last, limit: 100)
                        for user in page {
                            let state = user.disabledAt == nil ? "" : "  disabled"
                            let claim = user.email != nil && user.emailVerifiedAt == nil ? " (not confirmed)" : ""
                            printLine("\(user.handle)  \(user.role.rawValue)  \(user.email ?? "-")\(claim)\(state)")
                        }
                        last = page.count == 100 ? page.last?.handle : nil
                    } while last != nil
                }
            }
        }

        struct Role: AsyncParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Give an account a role.")
            @Argument(help: "The account.") var handle: String
            @Argument(help: ArgumentHelp("user, moderator or administrator."), transform: Self.role) var role: UserRole
            @OptionGroup var target: AdminTarget

            func run() async throws {
                try await target.withNode { node in
                    try await AccountService(accounts: node.features.accounts).setRole(
                        role, of: handle, by: .operatorCommand)
                }
                printLine("\(handle) is \(role.rawValue) now.")
            }

            private static func role(_ text: String) throws -> UserRole {
                guard let role = UserRole(rawValue: text) else {
                    throw ValidationError(
                        "A role is one of \(UserRole.allCases.map(\.rawValue).joined(separator: ", ")).")
                }
                return role
            }
        }

        /// For somebody who lost their second factor and the recovery codes.
        struct ResetSecondFactor: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "reset-second-factor",
                abstract: "Take an account's second factor away, for somebody who lost it.",
                discussion:
                    "Be sure who asks. All browsers of the account are signed out; its password and tokens stay.")
            @Argument(help: "The account.") var handle: String
            @OptionGroup var target: AdminTarget

            func run() async throws {
                try await target.withNode { node in
                    try await AccountService(accounts: node.features.accounts).resetSecondFactor(
                        of: handle, by: .operatorCommand)
                }
                printLine("\(handle) has no second factor now.")
            }
        }

        struct Disable: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Lock an account out, its tokens and sessions too.")
            @Argument(help: "The account.") var handle: String
            @OptionGroup var target: AdminTarget

            func run() async throws {
                try await target.setDisabled(true, handle)
                printLine("\(handle) is disabled.")
            }
        }

        struct Enable: AsyncParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Let a disabled account in again.")
            @Argument(help: "The account.") var handle: String
            @OptionGroup var target: AdminTarget

            func run() async throws {
                try await target.setDisabled(false, handle)
                printLine("\(handle) is enabled.")
            }
        }
    }
}
