-- Downloads counted once for each client and day, without keeping addresses; docs/operations.md tells what is kept of whom.

-- Unlogged: neither the salt nor the clients ever reach the write-ahead log, an archive of it or a replica. A crash of
-- PostgreSQL empties both, and then a client may count twice on that day.
CREATE UNLOGGED TABLE download_salts (
    day  date CONSTRAINT download_salts_pkey PRIMARY KEY,
    salt bytea NOT NULL CONSTRAINT download_salts_length CHECK (octet_length(salt) = 32)
);
COMMENT ON TABLE download_salts IS 'The day''s secret that clients are hashed with; all nodes share it, and it is gone soon after the day.';

CREATE TABLE download_clients (
    day         date NOT NULL,
    template_id uuid NOT NULL,
    client      bytea NOT NULL,
    CONSTRAINT download_clients_pkey PRIMARY KEY (day, template_id, client)
) PARTITION BY LIST (day);
COMMENT ON TABLE download_clients IS 'Who has downloaded what on a day, as salted hashes. A partition for each day, dropped soon after it.';

CREATE TABLE download_changes (
    day         date NOT NULL,
    template_id uuid NOT NULL,
    downloads   bigint NOT NULL
);
COMMENT ON TABLE download_changes IS 'Counted downloads that are to be added to download_days and templates.downloads: nodes must not wait for each other.';

-- The day's salt; the first who asks begins the day with the one offered.
CREATE FUNCTION begin_download_day(today date, offered bytea) RETURNS bytea LANGUAGE plpgsql AS $$
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
CREATE FUNCTION end_download_days(before date) RETURNS integer LANGUAGE plpgsql AS $$
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
CREATE FUNCTION fold_downloads() RETURNS bigint LANGUAGE plpgsql AS $$
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
CREATE FUNCTION make_download_months(from_day date, months integer) RETURNS integer LANGUAGE plpgsql AS $$
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
SELECT make_download_months((now() AT TIME ZONE 'UTC')::date, 3);
