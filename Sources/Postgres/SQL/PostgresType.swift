// SPDX-License-Identifier: Apache-2.0

/// A server type by its OIDs; what a bound value is declared as.
package struct PostgresType: Sendable, Hashable {
    /// The OID of the type itself.
    package let oid: UInt32
    /// The OID of the array over this type, 0 if the server is to infer it.
    package let arrayOID: UInt32

    /// A type by its OIDs, as `pg_type` has them.
    package init(oid: UInt32, arrayOID: UInt32 = 0) {
        self.oid = oid
        self.arrayOID = arrayOID
    }

    /// The server infers the type from where the value stands. Right for text, which may mean an enum, a uuid or
    /// an interval; where nothing can be inferred, cast in the SQL: `\(name)::text`.
    package static let unspecified = PostgresType(oid: 0)
    /// `bool`.
    package static let bool = PostgresType(oid: 16, arrayOID: 1000)
    /// `bytea`.
    package static let bytea = PostgresType(oid: 17, arrayOID: 1001)
    /// `int8`.
    package static let int8 = PostgresType(oid: 20, arrayOID: 1016)
    /// `int2`.
    package static let int2 = PostgresType(oid: 21, arrayOID: 1005)
    /// `int4`.
    package static let int4 = PostgresType(oid: 23, arrayOID: 1007)
    /// `text`.
    package static let text = PostgresType(oid: 25, arrayOID: 1009)
    /// `float4`.
    package static let float4 = PostgresType(oid: 700, arrayOID: 1021)
    /// `float8`.
    package static let float8 = PostgresType(oid: 701, arrayOID: 1022)
    /// `timestamptz`.
    package static let timestamptz = PostgresType(oid: 1184, arrayOID: 1185)
    /// `numeric`.
    package static let numeric = PostgresType(oid: 1700, arrayOID: 1231)
    /// `uuid`.
    package static let uuid = PostgresType(oid: 2950, arrayOID: 2951)
    /// `jsonb`.
    package static let jsonb = PostgresType(oid: 3802, arrayOID: 3807)
}
