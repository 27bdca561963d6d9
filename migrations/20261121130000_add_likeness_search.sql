-- Searching by likeness: what is looked up when nothing has the words exactly, as with typing errors.

-- Loads pg_trgm, so that its setting below is known and anybody may use it.
SELECT word_similarity('', '');

-- The operator <% finds candidates through templates_name_trigrams; its usual threshold of 0.6 forgives too little
-- ("dungons" reaches 0.54, "leger" for "ledger" 0.44), hence the function's own setting. The first word finds them, the
-- others must agree.
CREATE FUNCTION templates_resembling(words text[], most integer) RETURNS TABLE (id uuid, likeness integer)
    LANGUAGE sql STABLE PARALLEL SAFE
    SET pg_trgm.word_similarity_threshold = 0.4
    AS $$
        WITH system_names AS MATERIALIZED (
            SELECT slug, market_text(lower(concat_ws(' ', name, array_to_string(aliases, ' ')))) AS names FROM game_systems
        ), candidates AS (
            SELECT t.id, t.name, t.game_system FROM templates AS t
            WHERE t.latest_version_id IS NOT NULL AND words[1] <% market_text(lower(t.name))
            UNION
            SELECT t.id, t.name, t.game_system FROM templates AS t
            WHERE t.latest_version_id IS NOT NULL
                AND t.game_system = ANY (ARRAY(SELECT slug FROM system_names WHERE words[1] <% names))
        )
        SELECT candidate.id, (score.mean * 1000000)::integer AS likeness
        FROM candidates AS candidate
        JOIN system_names AS system ON system.slug = candidate.game_system
        CROSS JOIN LATERAL (
            SELECT min(one.likeness) AS least, avg(one.likeness) AS mean
            FROM (
                SELECT greatest(word_similarity(word, market_text(lower(candidate.name))),
                    word_similarity(word, system.names)) AS likeness
                FROM unnest(words) AS word
            ) AS one
        ) AS score
        WHERE score.least >= 0.4
        ORDER BY likeness DESC, candidate.id DESC
        LIMIT most
    $$;
COMMENT ON FUNCTION templates_resembling IS 'Templates on offer of whose name or game system some part resembles each of the words (folded by market_text, lower case).';
