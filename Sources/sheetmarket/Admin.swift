// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketAPI
import MarketAccounts
import MarketCommunity
import MarketHTTP
import MarketPages
import MarketWire
import Moderation
import ModerationService
import PostgresCluster
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
            Token.self, User.self, AdminAudit.self, Preset.self, Fingerprints.self, Search.self, Ratings.self,
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
                try await AccountService(accounts: node.features.accounts).administratorToken(handle: handle, expiresInDays: days)
            }
            printLine(token.token)
        }
    }

    /// Accounts.
    struct User: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "List accounts, give roles, disable and enable, take a lost second factor away, export and erase.",
            subcommands: [
                List.self, Role.self, Disable.self, Enable.self, ResetSecondFactor.self, ExportPerson.self,
                ErasePerson.self,
            ])

        /// All accounts.
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

        /// Gives a role.
        struct Role: AsyncParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Give an account a role.")
            @Argument(help: "The account.") var handle: String
            @Argument(help: ArgumentHelp("user, moderator or administrator."), transform: Self.role) var role: UserRole
            @OptionGroup var target: AdminTarget

            func run() async throws {
                try await target.withNode { node in
                    try await AccountService(accounts: node.features.accounts).setRole(role, of: handle, by: .operatorCommand)
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
                    try await AccountService(accounts: node.features.accounts).resetSecondFactor(of: handle, by: .operatorCommand)
                }
                printLine("\(handle) has no second factor now.")
            }
        }

        /// Locks an account out.
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

        /// Lets an account in again.
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

/// On which market a command works.
struct AdminTarget: ParsableArguments {
    @Option(help: ArgumentHelp("The data folder of `sheetmarket up`.", valueName: "dir"))
    var data: String?

    @OptionGroup var options: NodeOptions

    func setDisabled(_ isDisabled: Bool, _ handle: String) async throws {
        try await withNode { node in
            try await AccountService(accounts: node.features.accounts).setDisabled(isDisabled, of: handle, by: .operatorCommand)
        }
    }

    /// Lends a node on the market's database; the private database of a folder is started for it when it does not run.
    func withNode<R: Sendable>(_ body: @Sendable (Node) async throws -> R) async throws -> R {
        guard let data else {
            var configuration = try options.load(requiring: ["DATABASE_URL", "SHEETMARKET_STORAGE"])
            configuration.limits.accounts.staffSecondFactor = configuration.staffSecondFactor != .off
            return try await Self.lend(configuration, body)
        }
        var configuration = try options.load()
        let folder = DataFolder(data)
        guard folder.isInitialized else {
            throw CommandFailure(
                "No market was ever started in \(folder.url.path): run `sheetmarket up --data \(data)` first.")
        }
        configuration.storage = folder.storage
        configuration.limits.accounts.staffSecondFactor = configuration.staffSecondFactor == .required
        configuration.auditKeys = configuration.auditKeys ?? folder.keptAuditKeys
        configuration.secretKeys = configuration.secretKeys ?? folder.keptSecretKeys
        if let running = PostgresCluster.connectionStringOfRunningServer(in: folder.database) {
            configuration.databaseURL = running
            return try await Self.lend(configuration, body)
        }
        let database = PrivateDatabase(folder: folder, logger: .service)
        configuration.databaseURL = try await database.start()
        do {
            let result = try await Self.lend(configuration, body)
            try await database.stop()
            return result
        } catch {
            try? await database.stop()
            throw error
        }
    }

    private static func lend<R: Sendable>(
        _ configuration: ServerConfiguration, _ body: @Sendable (Node) async throws -> R
    ) async throws -> R {
        var configuration = configuration
        configuration.fillDownloadKeys()
        let node = try await Node.open(configuration, logger: .service)
        do {
            let result = try await body(node)
            await node.close()
            return result
        } catch let error as AccountError {
            await node.close()
            throw CommandFailure(error.apiError.detail ?? "\(error)")
        } catch let error as DeskError {
            await node.close()
            let more = error.apiError.errors.map(\.detail).joined(separator: " ")
            throw CommandFailure([error.apiError.detail ?? "\(error)", more].joined(separator: " "))
        } catch {
            await node.close()
            throw error
        }
    }
}
