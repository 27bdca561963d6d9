// SPDX-License-Identifier: Apache-2.0

/// Why migrating stopped. Nothing is half applied: each migration is in a transaction of its own.
public enum PostgresMigrationError: Error, Sendable {
    /// The folder or a file in it cannot be read as UTF-8.
    case unreadable(path: String)
    /// A `.sql` file is not named `<14 digits>_<verb_noun>.sql`.
    case badFileName(String)
    case duplicateVersion(first: String, second: String)
    /// The file is not the one that was applied.
    case checksumChanged(name: String)
    /// The database has a migration that the folder has not: it was migrated by a newer program.
    case unknownApplied(name: String)
    /// The migration is older than the newest applied one.
    case outOfOrder(name: String, newestApplied: String)
    /// The migration ended its transaction by itself, so that it may be half applied.
    case endedTransaction(name: String)
    /// The server refused the migration.
    case failed(name: String, underlying: PostgresError)
}

extension PostgresMigrationError: CustomStringConvertible {
    /// What an operator should read: the migration, what is wrong, and what to do.
    public var description: String {
        switch self {
        case .unreadable(let path):
            "\(path) cannot be read"
        case .badFileName(let name):
            "migration \(name) is not named <14 digits>_<lower_case_words>.sql"
        case .duplicateVersion(let first, let second):
            "migrations \(first) and \(second) have the same version"
        case .checksumChanged(let name):
            "migration \(name) was changed after it had been applied; undo the change and add a new migration"
        case .unknownApplied(let name):
            "the database has migration \(name), which is not in the folder: this program is older than its database"
        case .outOfOrder(let name, let newest):
            "migration \(name) has not been applied, but the later \(newest) has; give it a newer version"
        case .endedTransaction(let name):
            "migration \(name) ended its own transaction; it must contain no COMMIT or ROLLBACK"
        case .failed(let name, let underlying):
            "migration \(name) failed and was rolled back: \(underlying.message)"
                + (underlying.code.map { " (SQLSTATE \($0))" } ?? "")
        }
    }
}
