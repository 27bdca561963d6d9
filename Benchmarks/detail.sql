\set n random(1, :count)
SELECT t.id, t.slug, t.name, t.summary, t.game_system, u.handle, t.rating, t.rating_count, t.downloads,
    v.number, v.page_count, t.license, t.language, t.tags, t.updated_at, t.kind,
    v.number, v.state, v.changelog, v.artifact_sha256, v.file_name, v.size_bytes, v.page_count,
    v.published_at, v.state_reason, p.indexes, p.widths, p.heights, p.fields, p.regions,
    v.withdrawn_by, v.channel, v.minimum_client_version, p.sharp,
    t.description, t.created_at, t.deprecation_message, t.deprecated_at, n.id, n.slug, n.name,
    k.rating, k.lower_bound, k.count, k.stars, k.weight, to_char(k.as_of, 'YYYY-MM-DD'), k.prior_scope,
    k.prior_mean, k.prior_variance, k.prior_weight, to_char(k.prior_as_of, 'YYYY-MM-DD')
FROM templates AS t
JOIN users AS u ON u.id = t.owner_id
JOIN versions AS v ON v.id = t.latest_version_id
LEFT JOIN templates AS n ON n.id = t.successor_id
LEFT JOIN template_ratings AS k ON k.template_id = t.id
CROSS JOIN LATERAL (
    SELECT array_agg(s.page_index) AS indexes, array_agg(s.width) AS widths, array_agg(s.height) AS heights,
        array_agg(s.form_fields) AS fields, array_agg(jsonb_array_length(s.regions)) AS regions,
        array_agg(coalesce(s.picture_width, 0)) AS sharp
    FROM submission_pages AS s WHERE s.submission_id = v.submission_id
) AS p
WHERE t.slug = 'bench-' || :n;
