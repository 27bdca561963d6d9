\set n random(1, :count)
SELECT t.id, t.slug, t.name, t.summary, t.game_system, u.handle, t.rating, t.rating_count, t.downloads,
    v.number, t.page_count, t.license, t.language, t.tags, t.updated_at,
    v.number, v.state, v.changelog, v.artifact_sha256, v.file_name, v.size_bytes, v.page_count,
    v.published_at, v.state_reason, p.indexes, p.widths, p.heights, p.fields, p.regions,
    t.description, t.created_at
FROM templates AS t
JOIN users AS u ON u.id = t.owner_id
JOIN versions AS v ON v.id = t.latest_version_id
CROSS JOIN LATERAL (
    SELECT array_agg(s.page_index) AS indexes, array_agg(s.width) AS widths, array_agg(s.height) AS heights,
        array_agg(s.form_fields) AS fields, array_agg(jsonb_array_length(s.regions)) AS regions
    FROM submission_pages AS s WHERE s.submission_id = v.submission_id
) AS p
WHERE t.slug = 'bench-' || :n;
