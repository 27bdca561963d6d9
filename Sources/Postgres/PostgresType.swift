// SPDX-License-Identifier: Apache-2.0

/// A server type by its OIDs; what a bound value is declared as.
public struct PostgresType: Sendable, Hashable {
    public let oid: UInt32
    /// The OID of the array over this type, 0 if the server is to infer it.
    public let arrayOID: UInt32

    public init(oid: UInt32, arrayOID: UInt32 = 0) {
        self.oid = oid
        self.arrayOID = arrayOID
    }

    /// The server infers the type from where the value stands. Right for text, which may mean an enum, a uuid or
    /// an interval; where nothing can be inferred, cast in the SQL: `\(name)::text`.
    public static let unspecified = PostgresType(oid: 0)
    public static let bool = PostgresType(oid: 16, arrayOID: 1000)
    public static let bytea = PostgresType(oid: 17, arrayOID: 1001)
    public static let int8 = PostgresType(oid: 20, arrayOID: 1016)
    public static let int2 = PostgresType(oid: 21, arrayOID: 1005)
    public static let int4 = PostgresType(oid: 23, arrayOID: 1007)
    public static let text = PostgresType(oid: 25, arrayOID: 1009)
    public static let float4 = PostgresType(oid: 700, arrayOID: 1021)
    public static let float8 = PostgresType(oid: 701, arrayOID: 1022)
    public static let timestamptz = PostgresType(oid: 1184, arrayOID: 1185)
    public static let numeric = PostgresType(oid: 1700, arrayOID: 1231)
    public static let uuid = PostgresType(oid: 2950, arrayOID: 2951)
    public static let jsonb = PostgresType(oid: 3802, arrayOID: 3807)
}
