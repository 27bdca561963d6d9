// SPDX-License-Identifier: Apache-2.0
import NIOPosix
import Synchronization

/// Makes and checks password hashes on threads of its own, so that a flood of sign-ins delays sign-ins alone.
package final class PasswordHasher: Sendable {
    /// More is waiting than can be done in a sensible time.
    struct Flooded: Error, Equatable {}

    /// What a check found.
    package struct Check: Equatable, Sendable {
        /// Whether the password is the account's.
        package var matches: Bool
        /// Whether the stored hash was made with other parameters than those of today.
        var isOutdated: Bool
    }

    /// Threads that hash.
    static let threads = 2
    /// Most that wait or run at once; the rest is told to come back.
    static let maximumWaiting = 64

    private let pool: NIOThreadPool
    private let parameters: PasswordHash.Parameters
    private let standIn: PasswordHash
    private let waiting = Atomic<Int>(0)

    /// Hashes with the parameters of today.
    package convenience init() {
        self.init(parameters: .current)
    }

    package init(parameters: PasswordHash.Parameters) {
        self.parameters = parameters
        standIn = PasswordHash(standInWith: parameters)
        pool = NIOThreadPool(numberOfThreads: Self.threads)
        pool.start()
    }

    deinit {
        pool.shutdownGracefully { _ in }
    }

    /// The text to store for `password`.
    package func hash(_ password: String) async throws -> String {
        let parameters = parameters
        return try await run { try PasswordHash(hashing: password, parameters: parameters).text }
    }

    /// Checks `password` against a stored text; an account without one costs the same time and fits nothing.
    package func check(_ password: String, against stored: String?) async throws -> Check {
        let known = stored.flatMap { PasswordHash($0) }
        let hash = known ?? standIn
        let matches = try await run { try hash.matches(password) }
        return Check(matches: matches && known != nil, isOutdated: hash.parameters != parameters)
    }

    /// Whether the password was leaked, as far as this market knows.
    func isBreached(_ password: String, file: LeakedPasswordFile?) async throws -> Bool {
        try await run { try BreachedPasswords.contain(password, or: file) }
    }

    private func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        let ahead = waiting.wrappingAdd(1, ordering: .relaxed).oldValue
        defer { waiting.wrappingSubtract(1, ordering: .relaxed) }
        guard ahead < Self.maximumWaiting else { throw Flooded() }
        return try await pool.runIfActive(body)
    }
}
