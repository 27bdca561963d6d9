// SPDX-License-Identifier: Apache-2.0

extension PostgresClient {
    /// The statements that give the role what sessions must begin with and, over the pooler, do not; none where there is no
    /// pooler, whose sessions are set when they are made.
    package func missingRoleSettings() async throws -> [String] {
        guard direct !== engine else { return [] }
        let timeouts = engine.configuration.timeouts
        return try await all(
            """
            SELECT format('ALTER ROLE %I SET %s = %L', current_user, name, value)
            FROM (VALUES ('TimeZone', 'UTC'), ('DateStyle', 'ISO'), ('extra_float_digits', '1'), ('bytea_output', 'hex'),
                ('standard_conforming_strings', 'on')) AS wanted (name, value)
            WHERE NOT CASE name
                WHEN 'TimeZone' THEN current_setting(name) IN ('UTC', 'Etc/UTC')
                WHEN 'extra_float_digits' THEN current_setting(name)::integer >= 1
                ELSE starts_with(current_setting(name), value) END
            UNION ALL
            SELECT format('ALTER ROLE %I SET %s = %L', current_user, name, value)
            FROM unnest(\(Array(timeouts.keys))::text[], \(Array(timeouts.values))::text[]) AS wanted (name, value)
            WHERE current_setting(name) = '0'
            ORDER BY 1
            """
        ) { try $0.get(0, as: String.self) }
    }
}
