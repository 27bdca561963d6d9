// SPDX-License-Identifier: Apache-2.0

/// Why migrating stopped. Nothing is half applied: each migration is in a transaction of its own.
package enum PostgresMigrationError: Error, Sendable {
    /// The folder or a file in it cannot be read as UTF-8.
    case unreadable(path: String)
    /// A `.sql` file is not named `<14 digits>_<verb_noun>.sql`, or `<3 digits>_<noun>.sql` in `repeatable/`.
    case badFileName(String, digits: Int)
    case duplicateVersion(first: String, second: String)
    /// The file is not the one that was applied.
    case checksumChanged(name: String)
    /// The database has a migration that the folder has not: it was migrated by a newer program.
    case unknownApplied(name: String)
    /// The database was made by other migrations than the folder's: it lacks the folder's first, and has others.
    case foreignHistory(oldestApplied: String, first: String)
    /// The database had this state of a repeatable file and has another one since: it was migrated by a newer program.
    case superseded(name: String)
    /// The migration is older than the newest applied one.
    case outOfOrder(name: String, newestApplied: String)
    /// The migration ended its transaction by itself, so that it may be half applied.
    case endedTransaction(name: String)
    /// A migration outside a transaction left an index behind that was given up half way.
    case invalidIndex(name: String, index: String)
    /// The server refused the migration.
    case failed(name: String, underlying: PostgresError)
}

extension PostgresMigrationError {
    /// Whether others held a lock for too long, or waited for one of this migration's: nothing was done.
    var isOfLocks: Bool {
        guard case .failed(_, let underlying) = self else { return false }
        return underlying.code == .lockNotAvailable || underlying.code == .deadlockDetected
    }
}

extension PostgresMigrationError: CustomStringConvertible {
    /// What an operator should read: the migration, what is wrong, and what to do.
    package var description: String {
        switch self {
        case .unreadable(let path):
            "\(path) cannot be read"
        case .badFileName(let name, let digits):
            "migration \(name) is not named <\(digits) digits>_<lower_case_words>.sql"
        case .duplicateVersion(let first, let second):
            "migrations \(first) and \(second) have the same version"
        case .checksumChanged(let name):
            "migration \(name) was changed after it had been applied; undo the change and add a new migration"
        case .unknownApplied(let name):
            "the database has migration \(name), which is not in the folder: this program is older than its database"
        case .foreignHistory(let oldest, let first):
            "the database was made by migrations that this program does not have: its first is \(oldest), this program's is "
                + "\(first). It cannot be brought up to date, and nothing was changed. Run the program that made it, or "
                + "give this one an empty database (another DATABASE_URL, or another data folder for `sheetmarket up`)"
        case .superseded(let name):
            "the database had this state of repeatable/\(name) and has another one since: this program is older than its "
                + "database; to go back on purpose, change the file, be it a comment"
        case .outOfOrder(let name, let newest):
            "migration \(name) has not been applied, but the later \(newest) has; give it a newer version"
        case .endedTransaction(let name):
            "migration \(name) ended its own transaction; it must contain no COMMIT or ROLLBACK"
        case .invalidIndex(let name, let index):
            "migration \(name) found the index \(index) given up half way: run DROP INDEX CONCURRENTLY \(index), then migrate again"
        case .failed(let name, let underlying):
            "migration \(name) failed and was rolled back: \(underlying.message)"
                + (underlying.code.map { " (SQLSTATE \($0))" } ?? "")
        }
    }
}
