-- Catalog: counting downloads, and what is trending.

-- The day's salt; the first who asks begins the day with the one offered.
CREATE OR REPLACE FUNCTION begin_download_day(today date, offered bytea) RETURNS bytea LANGUAGE plpgsql AS $$
DECLARE
    known bytea;
BEGIN
    SELECT s.salt INTO known FROM download_salts AS s WHERE s.day = today;
    IF FOUND THEN RETURN known; END IF;
    PERFORM pg_advisory_xact_lock(5640012);
    IF to_regclass('download_clients_' || to_char(today, 'YYYYMMDD')) IS NULL THEN
        EXECUTE format('CREATE UNLOGGED TABLE %I PARTITION OF download_clients FOR VALUES IN (%L)',
            'download_clients_' || to_char(today, 'YYYYMMDD'), today);
    END IF;
    INSERT INTO download_salts (day, salt) VALUES (today, offered) ON CONFLICT (day) DO NOTHING;
    SELECT s.salt INTO known FROM download_salts AS s WHERE s.day = today;
    RETURN known;
END $$;

-- Forgets who downloaded on the days before.
CREATE OR REPLACE FUNCTION end_download_days(before date) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    over regclass;
    ended integer := 0;
BEGIN
    PERFORM pg_advisory_xact_lock(5640012);
    SET LOCAL lock_timeout = '2s';
    FOR over IN
        SELECT c.oid::regclass FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'download_clients'::regclass AND to_date(right(c.relname, 8), 'YYYYMMDD') < before
    LOOP
        EXECUTE format('DROP TABLE %s', over);
        ended := ended + 1;
    END LOOP;
    DELETE FROM download_salts AS s WHERE s.day < before;
    RETURN ended;
END $$;

-- Adds what was counted to the days and the totals; whoever comes while another does leaves it to them.
CREATE OR REPLACE FUNCTION aggregate_downloads() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    folded bigint;
BEGIN
    IF NOT pg_try_advisory_xact_lock(5640013) THEN RETURN 0; END IF;
    WITH taken AS (DELETE FROM download_changes RETURNING *), days AS (
        SELECT c.day, c.template_id, sum(c.downloads)::bigint AS downloads FROM taken AS c GROUP BY 1, 2
    ), kept AS (
        INSERT INTO download_days AS d (day, template_id, downloads)
            SELECT n.day, n.template_id, n.downloads FROM days AS n ORDER BY 1, 2
        ON CONFLICT (day, template_id) DO UPDATE SET downloads = d.downloads + excluded.downloads
    ), totals AS (
        SELECT n.template_id, sum(n.downloads)::bigint AS downloads FROM days AS n GROUP BY 1
    ), locked AS (
        SELECT t.id, n.downloads FROM templates AS t JOIN totals AS n ON n.template_id = t.id
        ORDER BY t.id FOR NO KEY UPDATE OF t
    )
    UPDATE templates AS t SET downloads = t.downloads + l.downloads FROM locked AS l WHERE t.id = l.id;
    GET DIAGNOSTICS folded = ROW_COUNT;
    RETURN folded;
END $$;

-- Partitions of download_days for so many months from a day on; what the default partition has of them moves over.
CREATE OR REPLACE FUNCTION make_download_months(from_day date, months integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    first date;
    next date;
    name text;
    made integer := 0;
BEGIN
    PERFORM pg_advisory_xact_lock(5640014);
    FOR n IN 0 .. months - 1 LOOP
        first := date_trunc('month', from_day)::date + make_interval(months => n);
        next := first + interval '1 month';
        name := 'download_days_' || to_char(first, 'YYYY_MM');
        CONTINUE WHEN to_regclass(name) IS NOT NULL;
        LOCK TABLE download_days IN ACCESS EXCLUSIVE MODE;
        EXECUTE format('CREATE TABLE %I (LIKE download_days INCLUDING DEFAULTS)', name);
        EXECUTE format('WITH moved AS (DELETE FROM download_days_other WHERE day >= %L AND day < %L RETURNING template_id, day, downloads)
            INSERT INTO %I (template_id, day, downloads) SELECT template_id, day, downloads FROM moved', first, next, name);
        EXECUTE format('ALTER TABLE download_days ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name, first, next);
        made := made + 1;
    END LOOP;
    RETURN made;
END $$;

-- The first months; the daily maintenance makes those to come.
SELECT make_download_months((now() AT TIME ZONE 'UTC')::date, 3);

-- Trending ------------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION trending_score(template uuid) RETURNS double precision
    LANGUAGE sql STABLE
    AS $$
        -- In logarithms, since the powers themselves grow without end; the last half year holds all that counts.
        SELECT coalesce(ln(sum(d.downloads * power(2::double precision, (d.day - newest.day) / 7::double precision))) / ln(2::double precision)
                + (newest.day - date '2020-01-01') / 7::double precision, 0)
        FROM (SELECT max(day) AS day FROM download_days WHERE template_id = template) AS newest
        JOIN download_days AS d ON d.template_id = template AND d.day > newest.day - 182
        GROUP BY newest.day
    $$;

-- Who was downloaded since then; the others keep their score, which is what makes it fade beside the new ones.
CREATE OR REPLACE FUNCTION recompute_trending(since date) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    changed bigint;
BEGIN
    WITH scores AS (
        SELECT s.id, coalesce(trending_score(s.id), 0) AS score
        FROM (SELECT DISTINCT template_id AS id FROM download_days WHERE day >= since) AS s
    ), locked AS (
        SELECT t.id, s.score FROM templates AS t JOIN scores AS s ON s.id = t.id WHERE t.trending <> s.score
        ORDER BY t.id FOR NO KEY UPDATE OF t
    )
    UPDATE templates AS t SET trending = l.score FROM locked AS l WHERE t.id = l.id;
    GET DIAGNOSTICS changed = ROW_COUNT;
    RETURN changed;
END $$;
