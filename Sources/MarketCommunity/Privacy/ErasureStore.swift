// SPDX-License-Identifier: Apache-2.0
import Postgres
import SheetCore

/// SQL of erasure that is no one module's: rows of whatever table refers to a person.
enum ErasureStore {
    /// Tables whose rows stay although they are a person's: a complaint is about somebody else.
    private static let spared = ["reports"]

    /// Deletes rows that belong to the person alone, in every table that has such.
    static func deleteOwnRows(of user: UserID, in connection: PostgresConnection) async throws {
        try await connection.execute("SELECT delete_person_rows(\(user), \(spared)::text[])")
    }
}
