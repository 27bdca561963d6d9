-- Written by scripts/make-schema-fixture: the database of the release before, as UpgradeTests migrate it.
--
-- PostgreSQL database dump
--

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: pg_trgm; Type: EXTENSION; Schema: -; Owner: -
--

CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;

--
-- Name: EXTENSION pg_trgm; Type: COMMENT; Schema: -; Owner: -
--

--
-- Name: unaccent; Type: EXTENSION; Schema: -; Owner: -
--

CREATE EXTENSION IF NOT EXISTS unaccent WITH SCHEMA public;

--
-- Name: EXTENSION unaccent; Type: COMMENT; Schema: -; Owner: -
--

--
-- Name: aggregate_downloads(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.aggregate_downloads() RETURNS bigint
    LANGUAGE plpgsql
    AS $$
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

--
-- Name: aggregate_facet_changes(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.aggregate_facet_changes() RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
    folded bigint;
BEGIN
    IF NOT pg_try_advisory_xact_lock(5640002) THEN RETURN 0; END IF;
    WITH taken AS (DELETE FROM facet_changes RETURNING *), sums AS (
        SELECT game_system, facet, value, sum(change) AS change FROM taken GROUP BY 1, 2, 3 HAVING sum(change) <> 0
    )
    INSERT INTO facet_counts AS f SELECT * FROM sums
    ON CONFLICT (game_system, facet, value) DO UPDATE SET count = f.count + excluded.count;
    GET DIAGNOSTICS folded = ROW_COUNT;
    DELETE FROM facet_counts WHERE count <= 0;
    RETURN folded;
END $$;

--
-- Name: apply_takedowns(uuid[], uuid[], uuid[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.apply_takedowns(templates uuid[], versions uuid[], reviews uuid[]) RETURNS void
    LANGUAGE plpgsql
    AS $_$
BEGIN
    UPDATE templates AS t
    SET taken_down_at = o.taken_down_at, takedown_code = o.reason_code, takedown_message = o.message
    FROM unnest($1) AS n (id)
    LEFT JOIN LATERAL (
        SELECT * FROM open_takedown_items AS i WHERE i.item_kind = 'template' AND i.item_id = n.id
        ORDER BY i.taken_down_at, i.takedown_id LIMIT 1
    ) AS o ON true
    WHERE t.id = n.id AND (t.taken_down_at, t.takedown_code, t.takedown_message)
        IS DISTINCT FROM (o.taken_down_at, o.reason_code, o.message);
    UPDATE versions AS v
    SET state = CASE WHEN o.item_id IS NULL THEN coalesce(v.former_state, 'published') ELSE 'taken_down' END,
        state_reason = CASE WHEN o.item_id IS NULL THEN v.former_reason ELSE o.message END,
        taken_down_at = o.taken_down_at, takedown_code = o.reason_code,
        former_state = CASE WHEN o.item_id IS NULL THEN NULL WHEN v.state = 'taken_down' THEN v.former_state ELSE v.state END,
        former_reason = CASE WHEN o.item_id IS NULL THEN NULL WHEN v.state = 'taken_down' THEN v.former_reason ELSE v.state_reason END
    FROM unnest($2) AS n (id)
    LEFT JOIN LATERAL (
        SELECT * FROM open_takedown_items AS i WHERE i.item_kind = 'version' AND i.item_id = n.id
        ORDER BY i.taken_down_at, i.takedown_id LIMIT 1
    ) AS o ON true
    WHERE v.id = n.id AND (o.item_id IS NOT NULL OR v.state = 'taken_down');
    UPDATE reviews AS r
    SET hidden_at = o.taken_down_at, hidden_reason = o.message
    FROM unnest($3) AS n (id)
    LEFT JOIN LATERAL (
        SELECT * FROM open_takedown_items AS i WHERE i.item_kind = 'review' AND i.item_id = n.id
        ORDER BY i.taken_down_at, i.takedown_id LIMIT 1
    ) AS o ON true
    WHERE r.id = n.id AND (r.hidden_at, r.hidden_reason) IS DISTINCT FROM (o.taken_down_at, o.message);
END $_$;

--
-- Name: artifacts_are_content_addressed(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.artifacts_are_content_addressed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'an artifact is its bytes' USING ERRCODE = 'restrict_violation';
END $$;

--
-- Name: attach_listing_triggers(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.attach_listing_triggers() RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    CREATE TRIGGER listing_words_came_or_went AFTER INSERT OR DELETE ON listing_words FOR EACH ROW EXECUTE FUNCTION words_changed();
    CREATE TRIGGER listing_words_changed AFTER UPDATE OF words ON listing_words
        FOR EACH ROW WHEN (OLD.words <> NEW.words) EXECUTE FUNCTION words_changed();
    CREATE TRIGGER listings_came_or_went AFTER INSERT OR DELETE ON listings FOR EACH ROW EXECUTE FUNCTION facets_changed();
    CREATE TRIGGER listings_changed AFTER UPDATE OF filters ON listings
        FOR EACH ROW WHEN (OLD.filters <> NEW.filters) EXECUTE FUNCTION facets_changed();
END $$;

--
-- Name: audit_checkpoints_are_immutable(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.audit_checkpoints_are_immutable() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'checkpoints of the audit log are never changed or removed' USING ERRCODE = 'restrict_violation';
END $$;

--
-- Name: audit_entries_allow_erasure_only(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.audit_entries_allow_erasure_only() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF (NEW.sequence, NEW.at, NEW.actor_id, NEW.action, NEW.subject, NEW.request_id, NEW.token_id, NEW.format, NEW.previous_hash, NEW.hash)
            IS NOT DISTINCT FROM
            (OLD.sequence, OLD.at, OLD.actor_id, OLD.action, OLD.subject, OLD.request_id, OLD.token_id, OLD.format, OLD.previous_hash, OLD.hash)
        AND ((NEW.actor, NEW.actor_salt, NEW.actor_hash) IS NOT DISTINCT FROM (OLD.actor, OLD.actor_salt, OLD.actor_hash)
            OR (OLD.format = 2 AND OLD.actor IS NOT NULL AND NEW.actor IS NULL AND NEW.actor_salt IS NULL AND NEW.actor_hash = OLD.actor_hash))
        AND ((NEW.reason, NEW.details, NEW.words_salt, NEW.words_hash) IS NOT DISTINCT FROM (OLD.reason, OLD.details, OLD.words_salt, OLD.words_hash)
            OR (OLD.details IS NOT NULL AND NEW.details IS NULL AND NEW.reason IS NULL AND NEW.words_salt IS NULL
                AND NEW.words_hash = CASE OLD.format WHEN 2 THEN OLD.words_hash ELSE sha256(convert_to(OLD.details, 'UTF8')) END))
    THEN RETURN NEW; END IF;
    RAISE EXCEPTION 'audit entries are never changed or removed' USING ERRCODE = 'restrict_violation';
END $$;

--
-- Name: audit_entries_are_immutable(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.audit_entries_are_immutable() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'audit entries are never changed or removed' USING ERRCODE = 'restrict_violation';
END $$;

--
-- Name: begin_download_day(date, bytea); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.begin_download_day(today date, offered bytea) RETURNS bytea
    LANGUAGE plpgsql
    AS $$
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

--
-- Name: case_queue_time(timestamp with time zone, integer, double precision, bigint); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.case_queue_time(due_at timestamp with time zone, risk integer, reports double precision, reach bigint) RETURNS timestamp with time zone
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
        SELECT due_at - make_interval(secs => 3600.0 * (0.48 * least(greatest(risk, 0), 100) + 6.0 * least(greatest(reports, 0), 10.0)
            + 4.0 * log(1.0 + greatest(reach, 0)::double precision)))
    $$;

--
-- Name: cases_set_queue_time(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.cases_set_queue_time() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.submission_id IS NOT NULL AND NEW.respondent_id IS NULL THEN
            SELECT coalesce(NEW.template_id, s.template_id), s.uploader_id INTO NEW.template_id, NEW.respondent_id
            FROM submissions AS s WHERE s.id = NEW.submission_id;
        END IF;
        NEW.subject_id := coalesce(NEW.subject_id, NEW.submission_id);
        NEW.due_at := coalesce(NEW.due_at, NEW.opened_at + interval '72 hours');
        IF NEW.excluded_moderators = '{}' AND NEW.respondent_id IS NOT NULL THEN NEW.excluded_moderators := ARRAY[NEW.respondent_id]; END IF;
    END IF;
    NEW.queue_at := case_queue_time(NEW.due_at, NEW.risk, NEW.report_weight, NEW.reach);
    RETURN NEW;
END $$;

--
-- Name: changes_enqueue_deliveries(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.changes_enqueue_deliveries() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM webhooks) THEN RETURN NULL; END IF;
    PERFORM enqueue_webhook_deliveries('template.taken_down', template_collaborators(NEW.template_id), jsonb_strip_nulls(jsonb_build_object(
        'templateId', NEW.template_id, 'slug', NEW.slug, 'code', NEW.code)));
    RETURN NULL;
END $$;

--
-- Name: count_mail(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.count_mail() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    UPDATE outbox_totals SET sent = sent + (NEW.state = 'sent')::int, abandoned = abandoned + (NEW.state = 'dead')::int,
        dropped = dropped + (NEW.state = 'dropped')::int,
        failed = failed + (NEW.state = 'dead' OR NEW.state = 'waiting')::int
    WHERE outbox = 'mail';
    RETURN NULL;
END $$;

--
-- Name: count_webhook_attempt(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.count_webhook_attempt() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    UPDATE outbox_totals SET sent = sent + (NEW.status IS NOT NULL AND NEW.status BETWEEN 200 AND 299)::int,
        failed = failed + (NEW.status IS NULL OR NEW.status NOT BETWEEN 200 AND 299)::int
    WHERE outbox = 'webhooks';
    RETURN NULL;
END $$;

--
-- Name: count_webhook_end(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.count_webhook_end() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    UPDATE outbox_totals SET abandoned = abandoned + 1 WHERE outbox = 'webhooks';
    RETURN NULL;
END $$;

--
-- Name: credentials_changed(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.credentials_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    -- When something was last used changes nothing of what it is good for.
    IF TG_OP = 'UPDATE' AND to_jsonb(OLD) - '{last_used_at,last_seen_at}'::text[] = to_jsonb(NEW) - '{last_used_at,last_seen_at}'::text[] THEN
        RETURN NULL;
    END IF;
    PERFORM pg_notify('credentials', '');
    RETURN NULL;
END $$;

--
-- Name: current_ratings(date); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.current_ratings(day date) RETURNS TABLE(template_id uuid, stars integer[], count integer, weight double precision, rating double precision, lower_bound double precision, prior_scope text, prior_mean double precision, prior_variance double precision, prior_weight double precision, prior_as_of date)
    LANGUAGE sql STABLE
    AS $_$
        SELECT s.template_id, s.stars, s.count, s.weight, m.rating,
            greatest(0, m.rating - 1.645 * sqrt(
                (p.weight * (p.variance + power(p.mean - m.rating, 2))
                    + greatest(0, s.squares - 2 * m.rating * s.total + power(m.rating, 2) * s.weight))
                / power(p.weight + s.weight, 2))),
            p.game_system, p.mean, p.variance, p.weight, p.as_of
        FROM (
            SELECT r.template_id, count(*)::integer AS count,
                ARRAY[count(*) FILTER (WHERE r.stars = 1), count(*) FILTER (WHERE r.stars = 2), count(*) FILTER (WHERE r.stars = 3),
                    count(*) FILTER (WHERE r.stars = 4), count(*) FILTER (WHERE r.stars = 5)]::integer[] AS stars,
                sum(rating_weight(r.updated_at, $1)) AS weight,
                sum(rating_weight(r.updated_at, $1) * r.stars) AS total,
                sum(rating_weight(r.updated_at, $1) * r.stars * r.stars) AS squares
            FROM visible_reviews AS r GROUP BY r.template_id
        ) AS s
        JOIN templates AS t ON t.id = s.template_id
        CROSS JOIN LATERAL (
            SELECT q.game_system, q.mean, q.variance, q.weight, q.as_of FROM rating_priors AS q
            WHERE q.game_system IN (t.game_system, '') ORDER BY q.game_system DESC LIMIT 1
        ) AS p
        CROSS JOIN LATERAL (SELECT (p.weight * p.mean + s.total) / (p.weight + s.weight) AS rating) AS m
    $_$;

--
-- Name: delete_artifact(bytea); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.delete_artifact(hash bytea) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    DELETE FROM artifacts AS a WHERE a.sha256 = hash;
EXCEPTION WHEN foreign_key_violation THEN
    NULL;
END $$;

--
-- Name: FUNCTION delete_artifact(hash bytea); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.delete_artifact(hash bytea) IS 'Lets the garbage collection remove bytes that nothing else names; does nothing while something does.';

--
-- Name: delete_person_rows(uuid, text[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.delete_person_rows(person uuid, spared text[]) RETURNS void
    LANGUAGE plpgsql
    AS $_$
DECLARE
    place record;
BEGIN
    FOR place IN SELECT p.table_name AS name, p.column_name AS part FROM personal_data_columns AS p
        WHERE p.goes_with_person AND p.table_name::text <> ALL (spared) ORDER BY p.table_name::text, p.column_name
    LOOP
        EXECUTE format('DELETE FROM %s WHERE %I = $1', place.name, place.part) USING person;
    END LOOP;
END $_$;

--
-- Name: download_magnitude(bigint); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.download_magnitude(downloads bigint) RETURNS integer
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$ SELECT floor(ln((downloads + 1)::double precision))::integer $$;

--
-- Name: FUNCTION download_magnitude(downloads bigint); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.download_magnitude(downloads bigint) IS 'How often downloads have grown by e: what relevance makes of them.';

--
-- Name: end_download_days(date); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.end_download_days(before date) RETURNS integer
    LANGUAGE plpgsql
    AS $$
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

--
-- Name: enqueue_webhook_deliveries(text, uuid[], jsonb); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.enqueue_webhook_deliveries(event text, people uuid[], data jsonb) RETURNS void
    LANGUAGE sql
    AS $_$
    INSERT INTO webhook_deliveries (id, webhook_id, event, body)
    SELECT new_uuid(), w.id, $1,
        json_build_object('type', $1, 'timestamp', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'data', $3)::text
    FROM webhooks AS w JOIN users AS u ON u.id = w.user_id
    WHERE w.disabled_at IS NULL AND $1 = ANY (w.events) AND u.disabled_at IS NULL
        AND ((w.covers = 'all' AND u.role = 'administrator') OR (w.covers = 'own' AND w.user_id = ANY ($2)))
$_$;

--
-- Name: erase_audit_entries(uuid, text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.erase_audit_entries(person uuid, handle text, email text) RETURNS TABLE(sequence bigint, lost_actor boolean, lost_words boolean)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $_$
BEGIN
    RETURN QUERY
        WITH found AS (
            SELECT e.sequence,
                e.format = 2 AND e.actor IS NOT NULL AND e.actor_id IS NOT DISTINCT FROM erase_audit_entries.person AS by_person,
                e.details IS NOT NULL AND e.action <> 'audit.erased' AND (
                    e.subject = 'user:' || erase_audit_entries.person::text
                    -- A handle is letters, digits and hyphens: as a word of its own.
                    OR concat_ws(' ', e.reason, e.details) ~* ('(^|[^a-z0-9-])' || erase_audit_entries.handle || '($|[^a-z0-9-])')
                    OR strpos(lower(concat_ws(' ', e.reason, e.details)), lower(erase_audit_entries.email)) > 0
                ) AS names_person
            FROM audit_entries AS e
        ), erased AS (
            UPDATE audit_entries AS e SET
                actor = CASE WHEN f.by_person THEN NULL ELSE e.actor END,
                actor_salt = CASE WHEN f.by_person THEN NULL ELSE e.actor_salt END,
                reason = CASE WHEN f.names_person THEN NULL ELSE e.reason END,
                words_hash = CASE WHEN f.names_person AND e.format = 1 THEN sha256(convert_to(e.details, 'UTF8')) ELSE e.words_hash END,
                details = CASE WHEN f.names_person THEN NULL ELSE e.details END,
                words_salt = CASE WHEN f.names_person THEN NULL ELSE e.words_salt END
            FROM found AS f WHERE f.sequence = e.sequence AND (f.by_person OR f.names_person)
            RETURNING e.sequence, f.by_person, f.names_person
        )
        SELECT * FROM erased ORDER BY 1;
END $_$;

--
-- Name: facets_changed(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.facets_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        INSERT INTO facet_changes SELECT s, substr(f, 2, 1), substr(f, 4), -1
            FROM unnest(tsvector_to_array(OLD.filters)) AS f, unnest(ARRAY['', OLD.game_system]) AS s WHERE f ~ '^=[scltkrp]:';
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO facet_changes SELECT s, substr(f, 2, 1), substr(f, 4), 1
            FROM unnest(tsvector_to_array(NEW.filters)) AS f, unnest(ARRAY['', NEW.game_system]) AS s WHERE f ~ '^=[scltkrp]:';
    END IF;
    RETURN NULL;
END $$;

--
-- Name: index_listings(regclass, regclass, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.index_listings(listings regclass, words regclass, suffix text) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    sort record;
BEGIN
    -- An index alone answers only for pages that were vacuumed since they changed.
    EXECUTE format('ALTER TABLE %s SET (autovacuum_vacuum_scale_factor = 0.005)', listings);
    EXECUTE format('COMMENT ON COLUMN %s.bloom_low IS %L', listings, 'listing_bloom_filter() of the filters, part 0.');
    EXECUTE format('COMMENT ON COLUMN %s.bloom_high IS %L', listings, 'listing_bloom_filter() of the filters, part 1.');
    EXECUTE format('ALTER TABLE %s ADD CONSTRAINT listings_pkey%s PRIMARY KEY (id)', listings, suffix);
    FOR sort IN VALUES ('updated', 'updated_at DESC, id DESC'), ('newest', 'published_at DESC, id DESC'),
        ('downloads', 'downloads DESC, id DESC'), ('rating', 'rating_lower DESC, id DESC'),
        ('trending', 'trending DESC, id DESC'), ('name', 'name_key, id')
    LOOP
        EXECUTE format('CREATE INDEX listings_by_%s%s ON %s (%s) INCLUDE (bloom_low, bloom_high, rating, page_count)',
            sort.column1, suffix, listings, sort.column2);
        EXECUTE format('CREATE INDEX listings_of_system_by_%s%s ON %s (game_system, %s) INCLUDE (bloom_low, bloom_high, rating, page_count)',
            sort.column1, suffix, listings, sort.column2);
    END LOOP;
    EXECUTE format('CREATE INDEX listings_of_author_by_updated%s ON %s (lower(author), updated_at DESC, id DESC)', suffix, listings);
    EXECUTE format('CREATE INDEX listings_by_same_name%s ON %s (hashtext(name_key), downloads DESC, id DESC)', suffix, listings);
    EXECUTE format('CREATE INDEX listings_by_filters%s ON %s USING gin (filters) WITH (fastupdate = off)', suffix, listings);
    EXECUTE format('ALTER TABLE %s ADD CONSTRAINT listing_words_pkey%s PRIMARY KEY (id)', words, suffix);
    EXECUTE format('CREATE INDEX listing_words_by_word%s ON %s USING gin (words) WITH (fastupdate = off)', suffix, words);
    EXECUTE format('CREATE INDEX listing_words_by_updated%s ON %s (updated_at)', suffix, words);
    EXECUTE format('CREATE INDEX listing_words_by_published%s ON %s (published_at)', suffix, words);
END $$;

--
-- Name: listing_bloom_filter(text[], integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.listing_bloom_filter(lexemes text[], part integer) RETURNS bigint
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $_$
        SELECT coalesce(bit_or(1::bigint << (hashtextextended(l, 2 * $2 + n) & 63)::integer), 0)
        FROM unnest($1) AS l, generate_series(0, 1) AS n
        WHERE substr(l, 2, 1) IN ('s', 't', 'c', 'l', 'k')
    $_$;

--
-- Name: FUNCTION listing_bloom_filter(lexemes text[], part integer); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.listing_bloom_filter(lexemes text[], part integer) IS 'A superimposed code (Bloom 1970) of filters: two bits in each of the parts 0 and 1 for each lexeme. Who has not all the bits of what is asked for does not fit; of who has them, one in some hundred does not either.';

--
-- Name: listing_facets(tsvector); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.listing_facets(filters tsvector) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $_$ SELECT ARRAY(SELECT f FROM unnest(tsvector_to_array($1)) AS f WHERE substr(f, 2, 1) IN ('s', 't', 'c', 'l')) $_$;

--
-- Name: listing_filters(text, text[], text, text, text, text, double precision, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.listing_filters(game_system text, tags text[], license text, language text, kind text, handle text, rating double precision, page_count integer) RETURNS tsvector
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
        SELECT array_to_tsvector(
            ARRAY['=s:' || $1, '=c:' || lower($3), '=k:' || $5, '=a:' || lower($6), '=r:' || floor($7 * 2), '=p:' || least($8, 17)]
            || ARRAY(SELECT '=t:' || tag FROM unnest($2) AS tag)
            -- zh-Hant-TW is found as zh and as zh-hant, too (RFC 4647, section 3.3.1).
            || ARRAY(SELECT '=l:' || array_to_string((string_to_array(lower($4), '-'))[1:n], '-') FROM generate_series(1, 8) AS n))
    $_$;

--
-- Name: FUNCTION listing_filters(game_system text, tags text[], license text, language text, kind text, handle text, rating double precision, page_count integer); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.listing_filters(game_system text, tags text[], license text, language text, kind text, handle text, rating double precision, page_count integer) IS 'What lists are filtered by, as lexemes that no word can be: s system, c licence, l language, k kind, a author, r half stars, p pages, t tag.';

--
-- Name: make_download_months(date, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.make_download_months(from_day date, months integer) RETURNS integer
    LANGUAGE plpgsql
    AS $$
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

--
-- Name: market_text(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.market_text(value text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$ SELECT public.unaccent('public.unaccent'::regdictionary, value) $$;

--
-- Name: FUNCTION market_text(value text); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.market_text(value text) IS 'Text with its accents taken off. Declared immutable: the dictionary changes only with PostgreSQL itself.';

--
-- Name: names_changed(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.names_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_TABLE_NAME = 'users' THEN
        INSERT INTO stale_listings SELECT t.id FROM templates AS t WHERE t.owner_id = NEW.id AND t.latest_version_id IS NOT NULL;
    ELSE
        INSERT INTO stale_listings SELECT l.id FROM listings AS l WHERE l.game_system = NEW.slug;
    END IF;
    RETURN NULL;
END $$;

--
-- Name: new_uuid(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.new_uuid() RETURNS uuid
    LANGUAGE sql
    AS $$
    SELECT encode(set_bit(set_bit(
        overlay(uuid_send(gen_random_uuid()) PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
        52, 1), 53, 1), 'hex')::uuid
$$;

--
-- Name: notify_authors(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.notify_authors() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM pg_notify('catalog', coalesce(NEW.template_id, OLD.template_id)::text);
    RETURN NULL;
END $$;

--
-- Name: notify_catalog(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.notify_catalog() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM pg_notify('catalog', NEW.id::text);
    RETURN NULL;
END $$;

--
-- Name: notify_game_systems(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.notify_game_systems() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM pg_notify('catalog', '');
    RETURN NULL;
END $$;

--
-- Name: notify_jobs(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.notify_jobs() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM pg_notify('jobs', '');
    RETURN NULL;
END $$;

--
-- Name: notify_regions(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.notify_regions() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM pg_notify('catalog', NEW.submission_id::text);
    RETURN NULL;
END $$;

--
-- Name: notify_submissions(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.notify_submissions() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM pg_notify('submissions', NEW.id::text);
    RETURN NULL;
END $$;

--
-- Name: notify_webhooks(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.notify_webhooks() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM pg_notify('webhooks', '');
    RETURN NULL;
END $$;

--
-- Name: number_changes(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.number_changes() RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
    last bigint;
    given bigint;
BEGIN
    IF NOT EXISTS (SELECT FROM changes AS c WHERE c.position IS NULL) THEN RETURN 0; END IF;
    SELECT f.last_position INTO last FROM change_feed AS f FOR UPDATE;
    -- This statement sees what the one that held the row before has numbered.
    WITH fresh AS (
        SELECT c.sequence, row_number() OVER (ORDER BY c.sequence) AS place FROM changes AS c
        WHERE c.position IS NULL ORDER BY c.sequence LIMIT 10000
    )
    UPDATE changes AS c SET position = last + fresh.place FROM fresh WHERE c.sequence = fresh.sequence;
    GET DIAGNOSTICS given = ROW_COUNT;
    UPDATE change_feed SET last_position = last + given;
    RETURN given;
END $$;

--
-- Name: owners_record_change(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.owners_record_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM record_change('template_changed', 'author', s.id, s.slug)
        FROM (SELECT t.id, t.slug FROM templates AS t WHERE t.owner_id = NEW.id AND t.latest_version_id IS NOT NULL ORDER BY t.id) AS s;
    RETURN NULL;
END $$;

--
-- Name: perceptual_hash_bands(bit); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.perceptual_hash_bands(look bit) RETURNS integer[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
        SELECT ARRAY[
            substring(look FROM 1 FOR 16)::bit(16)::integer,
            substring(look FROM 17 FOR 16)::bit(16)::integer + 65536,
            substring(look FROM 33 FOR 16)::bit(16)::integer + 131072,
            substring(look FROM 49 FOR 16)::bit(16)::integer + 196608]
    $$;

--
-- Name: FUNCTION perceptual_hash_bands(look bit); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.perceptual_hash_bands(look bit) IS 'The four quarters of a fingerprint, each a number of its own range: what pages are indexed by.';

--
-- Name: perceptual_hash_probes(bit); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.perceptual_hash_probes(look bit) RETURNS integer[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
        SELECT array_agg(band # flip)
        FROM unnest(perceptual_hash_bands(look)) AS band
        CROSS JOIN (SELECT 0 UNION ALL SELECT 1 << bit FROM generate_series(0, 15) AS bit) AS flips (flip)
    $$;

--
-- Name: FUNCTION perceptual_hash_probes(look bit); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.perceptual_hash_probes(look bit) IS 'The bands of a fingerprint and of all that differ from it in one bit of a band: what is looked up.';

--
-- Name: person_rows(uuid, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.person_rows(person uuid, place text) RETURNS SETOF jsonb
    LANGUAGE plpgsql STABLE
    AS $_$
DECLARE
    hidden text[];
    conditions text;
BEGIN
    SELECT coalesce(array_agg(a.attname::text), '{}') INTO hidden FROM pg_attribute AS a
        WHERE a.attrelid = place::regclass AND a.attnum > 0 AND NOT a.attisdropped
            AND (a.atttypid = 'bytea'::regtype OR a.attname ~ '(secret|password|hash|_by$|^moderator_id$|^risk$|^is_audit$)');
    SELECT string_agg(format('t.%I = $1', p.column_name), ' OR ') INTO conditions
        FROM personal_data_columns AS p WHERE p.table_name = place::regclass;
    RETURN QUERY EXECUTE format(
        'SELECT to_jsonb(t) - $2 - ARRAY(SELECT p.column_name FROM single_person_columns AS p
            WHERE p.table_name::regclass = %L::regclass AND to_jsonb(t) ->> p.person_column IS DISTINCT FROM $1::text)
         FROM %s AS t WHERE %s', place, place::regclass, conditions) USING person, hidden;
END $_$;

--
-- Name: prune_changes(timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.prune_changes(before timestamp with time zone) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
    kept bigint;
    gone bigint;
BEGIN
    PERFORM FROM change_feed FOR UPDATE;
    SELECT coalesce((SELECT min(c.position) FROM changes AS c WHERE c.at >= before), f.last_position + 1) INTO kept FROM change_feed AS f;
    DELETE FROM changes AS c WHERE c.position < kept;
    GET DIAGNOSTICS gone = ROW_COUNT;
    IF gone > 0 THEN UPDATE change_feed SET horizon = kept - 1; END IF;
    RETURN gone;
END $$;

--
-- Name: rating_weight(timestamp with time zone, date); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.rating_weight(written timestamp with time zone, day date) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT power(0.5::double precision, greatest(0, day - (written AT TIME ZONE 'UTC')::date) / 730.0::double precision) $$;

--
-- Name: FUNCTION rating_weight(written timestamp with time zone, day date); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.rating_weight(written timestamp with time zone, day date) IS 'What a review counts on a day: half after 730 days.';

--
-- Name: rebuild_listings(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.rebuild_listings() RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    -- No generation of popular templates is made meanwhile: it locks the words before the listings, this the other way round.
    PERFORM pg_advisory_xact_lock(5640001);
    LOCK TABLE templates IN SHARE ROW EXCLUSIVE MODE;
    INSERT INTO system_words
        SELECT DISTINCT word COLLATE "C" FROM game_systems AS g, unnest(tsvector_to_array(to_tsvector('simple',
            search_text(concat_ws(' ', g.slug, g.name, array_to_string(g.aliases, ' ')))))) AS word
        ON CONFLICT DO NOTHING;
    ANALYZE system_words;
    CREATE TABLE listings_next (LIKE listings);
    CREATE TABLE listing_words_next (LIKE listing_words) WITH (toast_tuple_target = 8160);
    INSERT INTO listings_next SELECT * FROM current_listings ORDER BY id;
    INSERT INTO listing_words_next SELECT * FROM current_listing_words ORDER BY id;
    PERFORM index_listings('listings_next', 'listing_words_next', '_next');
    ANALYZE listings_next, listing_words_next;
    CREATE TEMP TABLE counted_facets ON COMMIT DROP AS
        SELECT coalesce(game_system, '') AS game_system, substr(f, 2, 1) AS facet, substr(f, 4) AS value, count(*) AS count
        FROM listings_next, unnest(tsvector_to_array(filters)) AS f WHERE f ~ '^=[scltkrp]:'
        GROUP BY GROUPING SETS ((game_system, f), (f));
    -- From here on readers wait.
    DROP TABLE listings, listing_words;
    ALTER TABLE listings_next RENAME TO listings;
    ALTER TABLE listing_words_next RENAME TO listing_words;
    PERFORM rename_next_indexes();
    PERFORM attach_listing_triggers();
    TRUNCATE facet_counts, facet_changes;
    INSERT INTO facet_counts SELECT * FROM counted_facets;
    ANALYZE facet_counts;
    -- What somebody is entering just now stays, and is looked after twice.
    DELETE FROM stale_listings;
END $$;

--
-- Name: rebuild_popular(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.rebuild_popular(most integer) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
    made bigint;
    next integer;
BEGIN
    PERFORM pg_advisory_xact_lock(5640001);
    -- Whoever changes a template meanwhile waits: he could not tell the new generation of it.
    LOCK TABLE listing_words IN SHARE ROW EXCLUSIVE MODE;
    SELECT greatest(coalesce(max(generation), 0) + 1, extract(epoch FROM clock_timestamp())::integer) INTO next FROM popular_listings;
    CREATE TABLE popular_next (LIKE popular_listings) WITH (toast_tuple_target = 8160);
    INSERT INTO popular_next (generation, place, id, downloads, filters, words, facets)
        SELECT next, row_number() OVER (ORDER BY top.downloads DESC, top.id DESC), top.id, top.downloads, top.filters,
            w.words, listing_facets(top.filters)
        FROM (SELECT * FROM listings ORDER BY downloads DESC, id DESC LIMIT most) AS top
        JOIN listing_words AS w ON w.id = top.id
        ORDER BY 2;
    GET DIAGNOSTICS made = ROW_COUNT;
    -- Inserting fills gaps with later rows; this writes them one behind the other.
    CREATE INDEX popular_next_by_place ON popular_next (place);
    CLUSTER popular_next USING popular_next_by_place;
    ALTER TABLE popular_next ADD CONSTRAINT popular_next_pkey PRIMARY KEY (id);
    CREATE INDEX popular_next_by_word ON popular_next USING gin (words) WITH (fastupdate = off);
    ANALYZE popular_next;
    SET LOCAL lock_timeout = '1s';
    DROP TABLE former_popular_listings;
    ALTER TABLE popular_listings RENAME TO former_popular_listings;
    ALTER INDEX popular_listings_pkey RENAME TO former_popular_listings_pkey;
    ALTER INDEX popular_listings_by_place RENAME TO former_popular_listings_by_place;
    ALTER INDEX popular_listings_by_word RENAME TO former_popular_listings_by_word;
    ALTER TABLE popular_next RENAME TO popular_listings;
    ALTER INDEX popular_next_pkey RENAME TO popular_listings_pkey;
    ALTER INDEX popular_next_by_place RENAME TO popular_listings_by_place;
    ALTER INDEX popular_next_by_word RENAME TO popular_listings_by_word;
    RETURN made;
END $$;

--
-- Name: rebuild_search(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.rebuild_search(popular integer) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM rebuild_listings();
    PERFORM rebuild_terms();
    ANALYZE search_terms;
    PERFORM rebuild_popular(popular);
END $$;

--
-- Name: FUNCTION rebuild_search(popular integer); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.rebuild_search(popular integer) IS 'For nodes of before: the steps one by one, each in a transaction of its own, keep nobody waiting.';

--
-- Name: rebuild_terms(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.rebuild_terms() RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
    made bigint;
BEGIN
    -- Written over, not emptied: searching goes on.
    CREATE TEMP TABLE counted ON COMMIT DROP AS
        SELECT word COLLATE "C" AS term, ndoc AS uses FROM ts_stat('SELECT words FROM listing_words', 'abcd') WHERE length(word) <= 40;
    GET DIAGNOSTICS made = ROW_COUNT;
    INSERT INTO search_terms AS s SELECT term, uses, term_variants(term) FROM counted ORDER BY term
        ON CONFLICT (term) DO UPDATE SET uses = excluded.uses WHERE s.uses <> excluded.uses;
    CREATE UNIQUE INDEX ON counted (term);
    ANALYZE counted;
    DELETE FROM search_terms AS s WHERE NOT EXISTS (SELECT FROM counted AS c WHERE c.term = s.term);
    RETURN made;
END $$;

--
-- Name: recompute_rating_priors(date); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.recompute_rating_priors(day date) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(5640011);
    DELETE FROM rating_priors;
    WITH per_template AS (
        SELECT t.game_system, r.template_id, count(*) AS reviews, sum(w.weight) AS weight, sum(w.weight * r.stars) AS total,
            sum(w.weight * r.stars * r.stars) AS squares
        FROM visible_reviews AS r
        JOIN templates AS t ON t.id = r.template_id AND t.latest_version_id IS NOT NULL
        CROSS JOIN LATERAL (SELECT rating_weight(r.updated_at, day) AS weight) AS w
        GROUP BY t.game_system, r.template_id
    ), sums AS (
        SELECT p.game_system, coalesce(sum(p.reviews), 0)::integer AS reviews, coalesce(sum(p.weight), 0) AS weight,
            coalesce(sum(p.total), 0) AS total,
            coalesce(greatest(0, sum(p.squares) - power(sum(p.total), 2) / sum(p.weight)), 0) AS scatter,
            coalesce(sum(p.weight) / count(*), 0) AS typical
        FROM per_template AS p GROUP BY GROUPING SETS ((p.game_system), ())
    ), market AS (
        SELECT (20 * 3.5 + s.total) / (20 + s.weight) AS mean, (20 * 1.5 + s.scatter) / (20 + s.weight) AS variance,
            least(20, greatest(2, (20 * 5 + s.weight * s.typical) / (20 + s.weight))) AS weight, s.reviews
        FROM sums AS s WHERE s.game_system IS NULL
    )
    INSERT INTO rating_priors (game_system, mean, variance, weight, reviews, as_of)
    SELECT '', m.mean, m.variance, m.weight, m.reviews, day FROM market AS m
    UNION ALL
    SELECT s.game_system, (20 * m.mean + s.total) / (20 + s.weight), (20 * m.variance + s.scatter) / (20 + s.weight),
        least(20, greatest(2, (20 * m.weight + s.weight * s.typical) / (20 + s.weight))), s.reviews, day
    FROM sums AS s CROSS JOIN market AS m WHERE s.game_system IS NOT NULL;
END $$;

--
-- Name: recompute_trending(date); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.recompute_trending(since date) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
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

--
-- Name: record_change(text, text, uuid, text, text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.record_change(kind text, reason text, template uuid, slug text, version text DEFAULT NULL::text, code text DEFAULT NULL::text) RETURNS void
    LANGUAGE sql
    AS $_$
        INSERT INTO changes (kind, reason, template_id, slug, version, code)
        SELECT $1, $2, $3, $4, $5, $6
        WHERE $1 NOT IN ('template_changed', 'version_changed') OR NOT EXISTS (
            SELECT FROM changes AS c
            WHERE c.position IS NULL AND c.template_id = $3 AND c.transaction = pg_current_xact_id()
                AND ((c.kind = $1 AND c.reason = $2 AND c.version IS NOT DISTINCT FROM $5)
                    OR ($1 = 'template_changed' AND c.kind IN ('template_added', 'version_added'))))
    $_$;

--
-- Name: refresh_listing(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.refresh_listing(template uuid) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO listings AS l SELECT * FROM current_listings AS c WHERE c.id = template
    ON CONFLICT (id) DO UPDATE SET updated_at = excluded.updated_at, published_at = excluded.published_at,
        downloads = excluded.downloads, rating_lower = excluded.rating_lower, trending = excluded.trending,
        rating = excluded.rating, page_count = excluded.page_count, game_system = excluded.game_system,
        name_key = excluded.name_key, filters = excluded.filters,
        slug = excluded.slug, name = excluded.name, summary = excluded.summary, author = excluded.author,
        rating_count = excluded.rating_count, number = excluded.number, license = excluded.license,
        language = excluded.language, tags = excluded.tags, kind = excluded.kind,
        bloom_low = excluded.bloom_low, bloom_high = excluded.bloom_high;
    IF NOT FOUND THEN
        DELETE FROM listings AS l WHERE l.id = template;
    END IF;
END $$;

--
-- Name: refresh_listing_words(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.refresh_listing_words(template uuid) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO listing_words AS l SELECT * FROM current_listing_words AS c WHERE c.id = template
    ON CONFLICT (id) DO UPDATE SET words = excluded.words, updated_at = excluded.updated_at,
        published_at = excluded.published_at, name_key = excluded.name_key, magnitude = excluded.magnitude
        WHERE (l.words, l.updated_at, l.published_at, l.name_key, l.magnitude)
            <> (excluded.words, excluded.updated_at, excluded.published_at, excluded.name_key, excluded.magnitude);
    IF NOT EXISTS (SELECT FROM current_listings AS c WHERE c.id = template) THEN
        DELETE FROM listing_words AS l WHERE l.id = template;
    END IF;
END $$;

--
-- Name: refresh_rating(uuid, date, double precision); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.refresh_rating(template uuid, day date DEFAULT ((now() AT TIME ZONE 'UTC'::text))::date, tolerance double precision DEFAULT 0) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
DECLARE
    fresh record;
BEGIN
    PERFORM FROM templates AS t WHERE t.id = template FOR NO KEY UPDATE;
    IF NOT FOUND THEN RETURN false; END IF;
    SELECT * INTO fresh FROM current_ratings(day) AS c WHERE c.template_id = template;
    IF NOT FOUND THEN
        DELETE FROM template_ratings AS k WHERE k.template_id = template;
        UPDATE templates AS t SET rating = 0, rating_lower = 0, rating_count = 0
            WHERE t.id = template AND (t.rating, t.rating_lower, t.rating_count) <> (0, 0, 0);
        RETURN FOUND;
    END IF;
    IF tolerance > 0 AND EXISTS (
        SELECT FROM template_ratings AS k WHERE k.template_id = template AND k.stars = fresh.stars
            AND abs(k.rating - fresh.rating) < tolerance AND abs(k.lower_bound - fresh.lower_bound) < tolerance
    ) THEN RETURN false; END IF;
    INSERT INTO template_ratings AS k (template_id, stars, count, weight, rating, lower_bound, prior_scope, prior_mean,
        prior_variance, prior_weight, prior_as_of, as_of)
    VALUES (template, fresh.stars, fresh.count, fresh.weight, fresh.rating, fresh.lower_bound, fresh.prior_scope,
        fresh.prior_mean, fresh.prior_variance, fresh.prior_weight, fresh.prior_as_of, day)
    ON CONFLICT (template_id) DO UPDATE SET stars = excluded.stars, count = excluded.count, weight = excluded.weight,
        rating = excluded.rating, lower_bound = excluded.lower_bound, prior_scope = excluded.prior_scope,
        prior_mean = excluded.prior_mean, prior_variance = excluded.prior_variance, prior_weight = excluded.prior_weight,
        prior_as_of = excluded.prior_as_of, as_of = excluded.as_of;
    UPDATE templates AS t SET rating = fresh.rating, rating_lower = fresh.lower_bound, rating_count = fresh.count
        WHERE t.id = template AND (t.rating, t.rating_lower, t.rating_count) <> (fresh.rating, fresh.lower_bound, fresh.count);
    RETURN true;
END $$;

--
-- Name: refresh_stale_listings(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.refresh_stale_listings(most integer) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
    found bigint;
BEGIN
    WITH part AS (SELECT ctid FROM stale_listings LIMIT most FOR UPDATE SKIP LOCKED),
        taken AS (DELETE FROM stale_listings WHERE ctid IN (SELECT ctid FROM part) RETURNING id),
        kept AS (SELECT DISTINCT id FROM taken)
    SELECT count(*) FROM (SELECT refresh_listing(id), refresh_listing_words(id) FROM kept ORDER BY id) AS done INTO found;
    RETURN found;
END $$;

--
-- Name: regions_changed(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.regions_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM refresh_listing_words(t.id) FROM templates AS t JOIN versions AS v ON v.id = t.latest_version_id
        WHERE v.submission_id = NEW.submission_id;
    RETURN NULL;
END $$;

--
-- Name: regions_record_change(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.regions_record_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM record_change('version_changed', 'regions', v.template_id, t.slug, v.number)
        FROM versions AS v JOIN templates AS t ON t.id = v.template_id
        WHERE v.submission_id = NEW.submission_id AND v.state <> 'taken_down';
    RETURN NULL;
END $$;

--
-- Name: rename_next_indexes(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.rename_next_indexes() RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    name text;
BEGIN
    FOR name IN SELECT c.relname FROM pg_class AS c WHERE c.relname LIKE 'listing%\_next' AND c.relkind = 'i' AND pg_table_is_visible(c.oid) LOOP
        EXECUTE format('ALTER INDEX %I RENAME TO %I', name, left(name, -5));
    END LOOP;
END $$;

--
-- Name: reports_enqueue_deliveries(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.reports_enqueue_deliveries() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM webhooks) THEN RETURN NULL; END IF;
    PERFORM enqueue_webhook_deliveries('report.created', '{}', jsonb_build_object(
        'reportId', NEW.id, 'subjectKind', NEW.subject_kind, 'subjectId', NEW.subject_id, 'reason', NEW.reason));
    RETURN NULL;
END $$;

--
-- Name: review_votes_count(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.review_votes_count() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        UPDATE reviews SET helpful = helpful - OLD.is_helpful::integer, unhelpful = unhelpful - (NOT OLD.is_helpful)::integer
        WHERE id = OLD.review_id;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        UPDATE reviews SET helpful = helpful + NEW.is_helpful::integer, unhelpful = unhelpful + (NOT NEW.is_helpful)::integer
        WHERE id = NEW.review_id;
    END IF;
    RETURN NULL;
END $$;

--
-- Name: reviewed_authors_changed(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.reviewed_authors_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    changed uuid := coalesce(NEW.template_id, OLD.template_id);
BEGIN
    IF EXISTS (SELECT FROM reviews AS r WHERE r.template_id = changed AND r.user_id = coalesce(NEW.user_id, OLD.user_id)) THEN
        PERFORM refresh_rating(changed);
    END IF;
    RETURN NULL;
END $$;

--
-- Name: reviewed_templates_changed(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.reviewed_templates_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF EXISTS (SELECT FROM reviews AS r WHERE r.template_id = NEW.id) THEN PERFORM refresh_rating(NEW.id); END IF;
    RETURN NULL;
END $$;

--
-- Name: reviewers_changed(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.reviewers_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    -- In one order, so that two of these never wait for each other in a ring.
    PERFORM refresh_rating(s.template_id)
        FROM (SELECT r.template_id FROM reviews AS r WHERE r.user_id = NEW.id ORDER BY r.template_id) AS s;
    RETURN NULL;
END $$;

--
-- Name: reviews_changed(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.reviews_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF current_setting('market.bulk', true) = 'on' THEN RETURN NULL; END IF;
    PERFORM refresh_rating(coalesce(NEW.template_id, OLD.template_id));
    RETURN NULL;
END $$;

--
-- Name: reviews_enqueue_deliveries(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.reviews_enqueue_deliveries() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF current_setting('market.bulk', true) = 'on' OR NOT EXISTS (SELECT FROM webhooks) THEN RETURN NULL; END IF;
    PERFORM enqueue_webhook_deliveries('review.created', template_collaborators(NEW.template_id), jsonb_build_object(
            'reviewId', NEW.id, 'templateId', t.id, 'slug', t.slug, 'author', u.handle, 'stars', NEW.stars, 'text', NEW.text))
        FROM templates AS t, users AS u WHERE t.id = NEW.template_id AND u.id = NEW.user_id;
    RETURN NULL;
END $$;

--
-- Name: reviews_keep_history(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.reviews_keep_history() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF OLD.deleted_at IS NULL THEN
        INSERT INTO review_revisions (review_id, revision, stars, text, version_id, written_at)
        VALUES (OLD.id, OLD.revision, OLD.stars, OLD.text, OLD.version_id, OLD.updated_at);
    END IF;
    NEW.revision := OLD.revision + 1;
    RETURN NEW;
END $$;

--
-- Name: risk_assessments_refuse_warnings(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.risk_assessments_refuse_warnings() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF EXISTS (
        SELECT FROM submissions, jsonb_array_elements(submissions.findings) AS finding
        WHERE submissions.id = NEW.submission_id AND finding ->> 'severity' <> 'info')
    THEN
        RAISE EXCEPTION 'a submission with a warning is a moderator''s to approve' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

--
-- Name: risk_assessments_without(jsonb, text[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.risk_assessments_without(hits jsonb, names text[]) RETURNS jsonb
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
        SELECT COALESCE(jsonb_agg(jsonb_set(hit, '{evidence}', (
            SELECT COALESCE(jsonb_agg(CASE
                WHEN EXISTS (SELECT FROM unnest(names) AS name WHERE strpos(piece ->> 'detail', '''' || name || '''') > 0)
                    THEN jsonb_set(piece, '{detail}', '"Of a name that is no longer shown."')
                ELSE piece END ORDER BY place), '[]')
            FROM jsonb_array_elements(hit -> 'evidence') WITH ORDINALITY AS e (piece, place))) ORDER BY number), '[]')
        FROM jsonb_array_elements(hits) WITH ORDINALITY AS h (hit, number)
    $$;

--
-- Name: search_text(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.search_text(value text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
        SELECT regexp_replace(public.market_text(value), '([\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff])', ' \1 ', 'g')
    $$;

--
-- Name: FUNCTION search_text(value text); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.search_text(value text) IS 'Text without accents, in which each character of a script that sets no blanks between words is a word.';

--
-- Name: submissions_enqueue_deliveries(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.submissions_enqueue_deliveries() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM webhooks) THEN RETURN NULL; END IF;
    PERFORM enqueue_webhook_deliveries('submission.decided', template_collaborators(NEW.template_id) || NEW.uploader_id, jsonb_build_object(
            'submissionId', NEW.id, 'state', NEW.state, 'templateId', t.id, 'slug', t.slug, 'version', NEW.version))
        FROM templates AS t WHERE t.id = NEW.template_id;
    RETURN NULL;
END $$;

--
-- Name: submissions_need_approval(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.submissions_need_approval() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF EXISTS (SELECT FROM cases AS c WHERE c.submission_id = NEW.id AND NOT c.is_audit)
        AND NOT EXISTS (SELECT FROM decisions AS d JOIN cases AS c ON c.id = d.case_id
            WHERE c.submission_id = NEW.id AND d.decision = 'approve') THEN
        RAISE EXCEPTION 'a submission is published by an approval only'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'submissions_approval_check';
    END IF;
    RETURN NEW;
END $$;

--
-- Name: system_names(text, text, text[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.system_names(slug text, name text, aliases text[]) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$ SELECT ' ' || public.market_text(lower(concat_ws(' ', $1, replace($1, '-', ' '), $2, array_to_string($3, ' ')))) $_$;

--
-- Name: template_changed(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.template_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF current_setting('market.bulk', true) = 'on' THEN RETURN NULL; END IF;
    PERFORM refresh_listing(NEW.id);
    IF TG_OP = 'INSERT' OR (OLD.name, OLD.summary, OLD.game_system, OLD.owner_id, OLD.tags, OLD.license, OLD.language, OLD.kind,
            OLD.page_count, floor(OLD.rating * 2), OLD.latest_version_id, OLD.updated_at, OLD.published_at)
        IS DISTINCT FROM (NEW.name, NEW.summary, NEW.game_system, NEW.owner_id, NEW.tags, NEW.license, NEW.language, NEW.kind,
            NEW.page_count, floor(NEW.rating * 2), NEW.latest_version_id, NEW.updated_at, NEW.published_at)
    THEN
        PERFORM refresh_listing_words(NEW.id);
    ELSIF download_magnitude(OLD.downloads) <> download_magnitude(NEW.downloads) THEN
        -- Not here: whoever counts downloads holds many templates, and would wait for whoever holds the words.
        INSERT INTO stale_listings VALUES (NEW.id);
    END IF;
    RETURN NULL;
END $$;

--
-- Name: template_collaborators(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.template_collaborators(template uuid) RETURNS uuid[]
    LANGUAGE sql STABLE
    AS $_$
    SELECT array_agg(p.id) FROM (
        SELECT t.owner_id AS id FROM templates AS t WHERE t.id = $1
        UNION SELECT a.user_id FROM template_authors AS a WHERE a.template_id = $1 AND a.role = 'maintainer'
    ) AS p
$_$;

--
-- Name: template_deleted(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.template_deleted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    DELETE FROM listings AS l WHERE l.id = OLD.id;
    DELETE FROM listing_words AS l WHERE l.id = OLD.id;
    RETURN NULL;
END $$;

--
-- Name: templates_check_successor(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.templates_check_successor() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF NEW.successor_id IS NULL THEN RETURN NEW; END IF;
    -- One at a time: two that name each other at once would each see no circle.
    PERFORM pg_advisory_xact_lock(x'5348454554535543'::bigint);
    IF EXISTS (
        WITH RECURSIVE chain (id) AS (
            SELECT NEW.successor_id
            UNION
            SELECT t.successor_id FROM templates AS t JOIN chain ON chain.id = t.id WHERE t.successor_id IS NOT NULL
        )
        SELECT FROM chain WHERE id = NEW.id
    ) THEN
        RAISE EXCEPTION 'successors lead back to the template'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'templates_successor_circle';
    END IF;
    RETURN NEW;
END $$;

--
-- Name: templates_record_change(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.templates_record_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF current_setting('market.bulk', true) = 'on' THEN RETURN NULL; END IF;
    IF TG_OP = 'DELETE' THEN
        IF OLD.latest_version_id IS NOT NULL THEN
            PERFORM record_change('template_removed', 'erased', OLD.id, OLD.slug);
        END IF;
        RETURN NULL;
    END IF;
    IF NEW.latest_version_id IS NULL THEN
        IF OLD.latest_version_id IS NOT NULL THEN
            PERFORM record_change('template_removed',
                CASE WHEN EXISTS (SELECT FROM versions AS v WHERE v.template_id = NEW.id AND v.state <> 'taken_down')
                    THEN 'yanked' ELSE 'taken_down' END,
                NEW.id, NEW.slug, NULL, to_jsonb(NEW) ->> 'takedown_code');
        END IF;
        RETURN NULL;
    END IF;
    IF OLD.latest_version_id IS NULL THEN
        PERFORM record_change('template_added',
            CASE WHEN EXISTS (
                SELECT FROM changes AS c WHERE c.position IS NULL AND c.template_id = NEW.id
                    AND c.transaction = pg_current_xact_id() AND c.kind = 'version_added' AND c.reason = 'published'
            ) THEN 'published' ELSE 'restored' END,
            NEW.id, NEW.slug);
        RETURN NULL;
    END IF;
    IF NEW.slug <> OLD.slug THEN
        PERFORM record_change('template_changed', 'renamed', NEW.id, NEW.slug);
    END IF;
    IF NEW.owner_id <> OLD.owner_id THEN
        PERFORM record_change('template_changed', 'transferred', NEW.id, NEW.slug);
    END IF;
    IF (NEW.deprecated_at, NEW.deprecation_message, NEW.successor_id)
        IS DISTINCT FROM (OLD.deprecated_at, OLD.deprecation_message, OLD.successor_id) THEN
        PERFORM record_change('template_changed',
            CASE WHEN NEW.deprecated_at IS NULL THEN 'undeprecated' ELSE 'deprecated' END, NEW.id, NEW.slug);
    END IF;
    IF (NEW.game_system, NEW.name, NEW.summary, NEW.description, NEW.tags, NEW.license, NEW.language, NEW.kind)
        IS DISTINCT FROM (OLD.game_system, OLD.name, OLD.summary, OLD.description, OLD.tags, OLD.license, OLD.language, OLD.kind) THEN
        PERFORM record_change('template_changed', 'edited', NEW.id, NEW.slug);
    END IF;
    IF (NEW.latest_version_id, NEW.newest_version_id) IS DISTINCT FROM (OLD.latest_version_id, OLD.newest_version_id) THEN
        PERFORM record_change('template_changed', 'offer', NEW.id, NEW.slug);
    END IF;
    -- What a deprecated template leads to is told by name.
    IF (NEW.slug, NEW.name) <> (OLD.slug, OLD.name) THEN
        PERFORM record_change('template_changed', 'successor', t.id, t.slug)
            FROM templates AS t WHERE t.successor_id = NEW.id AND t.latest_version_id IS NOT NULL;
    END IF;
    RETURN NULL;
END $$;

--
-- Name: templates_take_slug(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.templates_take_slug() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO template_slugs (slug, template_id) VALUES (NEW.slug, NEW.id) ON CONFLICT (slug) DO NOTHING;
    IF NOT FOUND AND NOT EXISTS (SELECT FROM template_slugs WHERE slug = NEW.slug AND template_id = NEW.id) THEN
        RAISE EXCEPTION 'the slug is another template''s'
            USING ERRCODE = 'unique_violation', CONSTRAINT = 'templates_slug_key';
    END IF;
    RETURN NULL;
END $$;

--
-- Name: term_variants(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.term_variants(term text) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
        SELECT CASE WHEN length(term) BETWEEN 3 AND 24
            THEN ARRAY(SELECT term UNION SELECT left(term, n - 1) || substr(term, n + 1) FROM generate_series(1, length(term)) AS n)
            ELSE ARRAY[term] END
    $$;

--
-- Name: trending_score(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.trending_score(template uuid) RETURNS double precision
    LANGUAGE sql STABLE
    AS $$
        -- In logarithms, since the powers themselves grow without end; the last half year holds all that counts.
        SELECT coalesce(ln(sum(d.downloads * power(2::double precision, (d.day - newest.day) / 7::double precision))) / ln(2::double precision)
                + (newest.day - date '2020-01-01') / 7::double precision, 0)
        FROM (SELECT max(day) AS day FROM download_days WHERE template_id = template) AS newest
        JOIN download_days AS d ON d.template_id = template AND d.day > newest.day - 182
        GROUP BY newest.day
    $$;

--
-- Name: users_leave_risk_assessments(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.users_leave_risk_assessments() RETURNS trigger
    LANGUAGE plpgsql
    AS $_$
DECLARE
    names CONSTANT text[] := ARRAY[OLD.handle, OLD.display_name];
BEGIN
    UPDATE risk_assessments AS r SET hits = risk_assessments_without(r.hits, names),
        facts = r.facts || '{"names": [], "knownNames": []}'
    WHERE r.submission_id IN (SELECT id FROM submissions WHERE uploader_id = NEW.id)
        OR EXISTS (SELECT FROM jsonb_path_query(r.facts, '$.knownNames[*] ? (@.kind == "author").text') AS known
            WHERE known #>> '{}' = ANY (names));
    RETURN NULL;
END $_$;

--
-- Name: users_rename_in_deliveries(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.users_rename_in_deliveries() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    UPDATE webhook_deliveries AS d
    SET body = jsonb_set(jsonb_set(d.body::jsonb, '{data,author}', to_jsonb(NEW.handle)), '{data,text}', '""', false)::text
    WHERE strpos(d.body, '"author": ' || to_jsonb(OLD.handle)::text) > 0;
    RETURN NULL;
END $$;

--
-- Name: version_precedence(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.version_precedence(number text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $_$
        SELECT (
                SELECT string_agg(lpad(part, 20, '0'), '.' ORDER BY place)
                FROM unnest(string_to_array(split_part(plain.text, '-', 1), '.')) WITH ORDINALITY AS core (part, place)
            ) || CASE WHEN strpos(plain.text, '-') = 0 THEN '~' ELSE (
                SELECT string_agg(
                    CASE WHEN part ~ '^[0-9]+$' THEN '#' || lpad(length(part)::text, 3, '0') || part ELSE '$' || part END
                        || ' ', '' ORDER BY place)
                FROM unnest(string_to_array(substr(plain.text, strpos(plain.text, '-') + 1), '.'))
                    WITH ORDINALITY AS identifier (part, place)
            ) END
        FROM (SELECT split_part($1, '+', 1) AS text) AS plain
    $_$;

--
-- Name: FUNCTION version_precedence(number text); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.version_precedence(number text) IS 'Sort key of a Semantic Versioning number; compare with COLLATE "C".';

--
-- Name: versions_are_immutable(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.versions_are_immutable() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND (
        NEW.id, NEW.template_id, NEW.submission_id, NEW.number, NEW.artifact_sha256, NEW.file_name, NEW.size_bytes,
        NEW.page_count, NEW.changelog, NEW.published_at, NEW.minimum_client_version
    ) IS NOT DISTINCT FROM (
        OLD.id, OLD.template_id, OLD.submission_id, OLD.number, OLD.artifact_sha256, OLD.file_name, OLD.size_bytes,
        OLD.page_count, OLD.changelog, OLD.published_at, OLD.minimum_client_version
    ) THEN RETURN NEW; END IF;
    RAISE EXCEPTION 'versions never change and are never removed' USING ERRCODE = 'restrict_violation';
END $$;

--
-- Name: versions_block_artifacts(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.versions_block_artifacts() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    is_blocked boolean;
BEGIN
    -- One at a time: the state of another version with these bytes must not change unseen.
    UPDATE blocked_artifact_changes SET number = number;
    SELECT bool_and(v.state = 'taken_down') INTO is_blocked FROM versions AS v WHERE v.artifact_sha256 = NEW.artifact_sha256;
    IF is_blocked THEN
        INSERT INTO blocked_artifacts (sha256) VALUES (NEW.artifact_sha256) ON CONFLICT DO NOTHING;
    ELSE
        DELETE FROM blocked_artifacts AS b WHERE b.sha256 = NEW.artifact_sha256;
    END IF;
    IF FOUND THEN
        UPDATE blocked_artifact_changes SET number = number + 1;
        PERFORM pg_notify('blocked_artifacts', '');
    END IF;
    RETURN NULL;
END $$;

--
-- Name: versions_choose_channel(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.versions_choose_channel() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF strpos(split_part(NEW.number, '+', 1), '-') > 0 THEN NEW.channel := 'beta'; END IF;
    -- Whoever inserts holds the template's lock, so nobody enters the other one meanwhile.
    IF TG_OP = 'INSERT' AND EXISTS (
        SELECT FROM versions WHERE template_id = NEW.template_id AND number <> NEW.number
            AND split_part(number, '+', 1) = split_part(NEW.number, '+', 1)
    ) THEN
        RAISE EXCEPTION 'a version of the same precedence exists'
            USING ERRCODE = 'unique_violation', CONSTRAINT = 'versions_number_key';
    END IF;
    RETURN NEW;
END $$;

--
-- Name: versions_enqueue_deliveries(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.versions_enqueue_deliveries() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF current_setting('market.bulk', true) = 'on' OR NOT EXISTS (SELECT FROM webhooks) THEN RETURN NULL; END IF;
    PERFORM enqueue_webhook_deliveries('version.published', template_collaborators(NEW.template_id), jsonb_build_object(
            'templateId', t.id, 'slug', t.slug, 'name', t.name, 'gameSystem', t.game_system, 'author', u.handle,
            'version', NEW.number, 'channel', NEW.channel, 'sha256', encode(NEW.artifact_sha256, 'hex'), 'sizeBytes', NEW.size_bytes))
        FROM templates AS t JOIN users AS u ON u.id = t.owner_id WHERE t.id = NEW.template_id;
    RETURN NULL;
END $$;

--
-- Name: versions_record_change(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.versions_record_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    slug text;
BEGIN
    IF current_setting('market.bulk', true) = 'on' THEN RETURN NULL; END IF;
    SELECT t.slug INTO slug FROM templates AS t WHERE t.id = NEW.template_id;
    IF TG_OP = 'INSERT' THEN
        IF NEW.state <> 'taken_down' THEN
            PERFORM record_change('version_added', 'published', NEW.template_id, slug, NEW.number);
        END IF;
    ELSIF NEW.state = 'taken_down' THEN
        IF OLD.state <> 'taken_down' THEN
            PERFORM record_change('version_removed', 'taken_down', NEW.template_id, slug, NEW.number,
                to_jsonb(NEW) ->> 'takedown_code');
        END IF;
    ELSIF OLD.state = 'taken_down' THEN
        PERFORM record_change('version_added', 'restored', NEW.template_id, slug, NEW.number);
    ELSIF (NEW.state, NEW.state_reason, NEW.withdrawn_by) IS DISTINCT FROM (OLD.state, OLD.state_reason, OLD.withdrawn_by) THEN
        PERFORM record_change('version_changed', CASE WHEN NEW.state = 'yanked' THEN 'yanked' ELSE 'unyanked' END,
            NEW.template_id, slug, NEW.number);
    ELSIF NEW.channel <> OLD.channel THEN
        PERFORM record_change('version_changed', 'channel', NEW.template_id, slug, NEW.number);
    END IF;
    RETURN NULL;
END $$;

--
-- Name: versions_reject_taken_down_templates(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.versions_reject_taken_down_templates() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF EXISTS (SELECT FROM templates AS t WHERE t.id = NEW.template_id AND t.taken_down_at IS NOT NULL) THEN
        RAISE EXCEPTION 'the template is taken down' USING ERRCODE = 'check_violation', CONSTRAINT = 'versions_template_taken_down';
    END IF;
    RETURN NEW;
END $$;

--
-- Name: versions_stay_taken_down(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.versions_stay_taken_down() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF EXISTS (SELECT FROM open_takedown_items AS o WHERE o.item_kind = 'version' AND o.item_id = NEW.id) THEN
        RAISE EXCEPTION 'the version is taken down' USING ERRCODE = 'check_violation', CONSTRAINT = 'versions_taken_down';
    END IF;
    RETURN NEW;
END $$;

--
-- Name: versions_unblock_artifacts(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.versions_unblock_artifacts() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    DELETE FROM blocked_artifacts AS b WHERE b.sha256 = NEW.artifact_sha256;
    IF FOUND THEN
        UPDATE blocked_artifact_changes SET number = number + 1;
        PERFORM pg_notify('blocked_artifacts', '');
    END IF;
    RETURN NULL;
END $$;

--
-- Name: words_changed(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.words_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM popular_listings AS p WHERE p.id = OLD.id;
        DELETE FROM former_popular_listings AS p WHERE p.id = OLD.id;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        -- Sorted: two publications enter their new words in one order.
        INSERT INTO search_terms AS s
            SELECT word, 1, term_variants(word) FROM (SELECT unnest(tsvector_to_array(NEW.words)) COLLATE "C" AS word ORDER BY 1) AS w
            WHERE word NOT LIKE '=%' AND length(word) <= 40
            ON CONFLICT (term) DO NOTHING;
    END IF;
    RETURN NULL;
END $$;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: api_token_templates; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.api_token_templates (
    token_id uuid NOT NULL,
    template_id uuid NOT NULL
);

--
-- Name: TABLE api_token_templates; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.api_token_templates IS 'What limited tokens act on.';

--
-- Name: api_tokens; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.api_tokens (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    name text NOT NULL,
    token_hash bytea NOT NULL,
    scopes text[] NOT NULL,
    is_limited boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone,
    revoked_at timestamp with time zone
);

--
-- Name: TABLE api_tokens; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.api_tokens IS 'Programs'' credentials; the secret is stored as its SHA-256.';

--
-- Name: COLUMN api_tokens.is_limited; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.api_tokens.is_limited IS 'Whether the token acts on the templates of api_token_templates alone, should those be none.';

--
-- Name: appeals; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.appeals (
    id uuid NOT NULL,
    case_id uuid NOT NULL,
    appealed_case uuid NOT NULL,
    decision_id uuid NOT NULL,
    appellant_id uuid NOT NULL,
    text text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    outcome text,
    ended_at timestamp with time zone,
    CONSTRAINT appeals_end_check CHECK (((outcome IS NULL) = (ended_at IS NULL))),
    CONSTRAINT appeals_outcome_check CHECK ((outcome = ANY (ARRAY['upheld'::text, 'overturned'::text]))),
    CONSTRAINT appeals_text_check CHECK (((char_length(text) >= 1) AND (char_length(text) <= 4000)))
);

--
-- Name: TABLE appeals; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.appeals IS 'A decision is appealed once. The appeal is decided in a case of its own, by somebody else.';

--
-- Name: artifacts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.artifacts (
    sha256 bytea NOT NULL,
    size_bytes bigint NOT NULL,
    media_type text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT artifacts_sha256_length CHECK ((octet_length(sha256) = 32))
);

--
-- Name: TABLE artifacts; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.artifacts IS 'Bytes of versions and pictures that storage holds, by SHA-256. The bytes are there before the row is.';

--
-- Name: audit_checkpoints; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.audit_checkpoints (
    sequence bigint NOT NULL,
    head bytea NOT NULL,
    at timestamp with time zone NOT NULL,
    key_id text NOT NULL,
    signature bytea NOT NULL,
    CONSTRAINT audit_checkpoints_head_length CHECK ((octet_length(head) = 32))
);

--
-- Name: TABLE audit_checkpoints; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.audit_checkpoints IS 'Append-only. The log''s head at some of its entries, signed by a key that the database does not have.';

--
-- Name: audit_entries; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.audit_entries (
    sequence bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    format smallint DEFAULT 1 NOT NULL,
    actor_id uuid,
    actor text,
    actor_salt bytea,
    actor_hash bytea,
    token_id uuid,
    action text NOT NULL,
    subject text NOT NULL,
    reason text,
    details text,
    words_salt bytea,
    words_hash bytea,
    request_id text,
    previous_hash bytea NOT NULL,
    hash bytea NOT NULL,
    CONSTRAINT audit_entries_format_check CHECK ((format = ANY (ARRAY[1, 2])))
);

--
-- Name: TABLE audit_entries; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.audit_entries IS 'Append-only, hash-chained: each hash covers the entry and the hash before. details is JSON as text, since its bytes are hashed.';

--
-- Name: COLUMN audit_entries.actor_hash; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.audit_entries.actor_hash IS 'What the chain covers of the actor''s name: a hash with actor_salt. Stays when both are erased.';

--
-- Name: COLUMN audit_entries.words_hash; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.audit_entries.words_hash IS 'What the chain covers of reason and details: a hash with words_salt. Stays when all three are erased.';

--
-- Name: blocked_artifact_changes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.blocked_artifact_changes (
    only_row boolean DEFAULT true NOT NULL,
    number bigint NOT NULL,
    CONSTRAINT blocked_artifact_changes_check CHECK (only_row)
);

--
-- Name: TABLE blocked_artifact_changes; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.blocked_artifact_changes IS 'Counts the changes of blocked_artifacts: a node asks for this often, and for the whole only when it moved.';

--
-- Name: blocked_artifacts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.blocked_artifacts (
    sha256 bytea NOT NULL,
    blocked_at timestamp with time zone DEFAULT now() NOT NULL
);

--
-- Name: TABLE blocked_artifacts; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.blocked_artifacts IS 'Derived: artifacts of versions that are taken down and of none that can still be downloaded.';

--
-- Name: case_messages; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.case_messages (
    id uuid NOT NULL,
    case_id uuid NOT NULL,
    author_id uuid NOT NULL,
    side text NOT NULL,
    is_hidden boolean DEFAULT false NOT NULL,
    text text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT case_messages_side_check CHECK ((side = ANY (ARRAY['moderator'::text, 'uploader'::text]))),
    CONSTRAINT case_messages_text_check CHECK (((char_length(text) >= 1) AND (char_length(text) <= 4000)))
);

--
-- Name: COLUMN case_messages.is_hidden; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.case_messages.is_hidden IS 'Whether the uploader is not told which moderator wrote it.';

--
-- Name: case_notes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.case_notes (
    id uuid NOT NULL,
    case_id uuid NOT NULL,
    author_id uuid NOT NULL,
    text text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT case_notes_text_check CHECK (((char_length(text) >= 1) AND (char_length(text) <= 4000)))
);

--
-- Name: TABLE case_notes; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.case_notes IS 'What moderators tell each other; nobody else ever reads it.';

--
-- Name: case_proposals; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.case_proposals (
    case_id uuid NOT NULL,
    moderator_id uuid NOT NULL,
    decision text NOT NULL,
    reason_code text NOT NULL,
    message text NOT NULL,
    evidence jsonb DEFAULT '[]'::jsonb NOT NULL,
    ends_at timestamp with time zone,
    proposed_at timestamp with time zone NOT NULL
);

--
-- Name: TABLE case_proposals; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.case_proposals IS 'Decisions that wait for a second moderator. Gone once confirmed or declined; the audit log keeps them.';

--
-- Name: cases; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.cases (
    id uuid NOT NULL,
    kind text DEFAULT 'submission'::text NOT NULL,
    subject_kind text DEFAULT 'submission'::text NOT NULL,
    subject_id uuid NOT NULL,
    submission_id uuid,
    template_id uuid,
    respondent_id uuid,
    excluded_moderators uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    track text DEFAULT 'first'::text NOT NULL,
    is_audit boolean DEFAULT false NOT NULL,
    appeal_of uuid,
    previous_id uuid,
    state text DEFAULT 'open'::text NOT NULL,
    claimed_by uuid,
    claim_expires_at timestamp with time zone,
    risk integer DEFAULT 0 NOT NULL,
    report_count integer DEFAULT 0 NOT NULL,
    report_weight double precision DEFAULT 0 NOT NULL,
    reach bigint DEFAULT 0 NOT NULL,
    due_at timestamp with time zone NOT NULL,
    queue_at timestamp with time zone NOT NULL,
    opened_at timestamp with time zone DEFAULT now() NOT NULL,
    decided_at timestamp with time zone,
    closed_at timestamp with time zone,
    CONSTRAINT cases_kind_check CHECK ((kind = ANY (ARRAY['submission'::text, 'report'::text, 'appeal'::text]))),
    CONSTRAINT cases_state_check CHECK ((state = ANY (ARRAY['open'::text, 'claimed'::text, 'waiting'::text, 'decided'::text, 'appealed'::text, 'closed'::text]))),
    CONSTRAINT cases_subject_kind_check CHECK ((subject_kind = ANY (ARRAY['submission'::text, 'template'::text, 'version'::text, 'review'::text, 'user'::text]))),
    CONSTRAINT cases_submission_check CHECK (((submission_id IS NOT NULL) = (kind = 'submission'::text))),
    CONSTRAINT cases_track_check CHECK ((track = ANY (ARRAY['first'::text, 'update'::text, 'trusted'::text, 'report'::text, 'appeal'::text])))
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_analyze_scale_factor='0.05', fillfactor='80');

--
-- Name: COLUMN cases.subject_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.cases.subject_id IS 'What it is about: a submission, template, version, review or user, as subject_kind says.';

--
-- Name: COLUMN cases.respondent_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.cases.respondent_id IS 'Whose work it is about: the uploader, the owner, the writer, the user.';

--
-- Name: COLUMN cases.excluded_moderators; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.cases.excluded_moderators IS 'Who is not offered it: the people whose work it is about, and whoever made the decision that is appealed.';

--
-- Name: COLUMN cases.is_audit; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.cases.is_audit IS 'Whether the submission was approved by the rules already, and a moderator looks at it afterwards.';

--
-- Name: COLUMN cases.queue_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.cases.queue_at IS 'The place in the queue: when it is due, earlier by what makes it urgent. Kept by a trigger.';

--
-- Name: catalog_dumps; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalog_dumps (
    day date NOT NULL,
    sha256 bytea NOT NULL,
    size_bytes bigint NOT NULL,
    templates bigint NOT NULL,
    feed_id uuid NOT NULL,
    "position" bigint NOT NULL,
    created_at timestamp with time zone NOT NULL
);

--
-- Name: TABLE catalog_dumps; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.catalog_dumps IS 'The public catalog as it stood at some moment of a day, as a file in storage; the change feed goes on behind position.';

--
-- Name: change_feed; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.change_feed (
    only_row boolean DEFAULT true NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    last_position bigint DEFAULT 0 NOT NULL,
    horizon bigint DEFAULT 0 NOT NULL,
    CONSTRAINT change_feed_check CHECK (only_row)
);

--
-- Name: TABLE change_feed; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.change_feed IS 'The feed: id names it in cursors, last_position is the last number given, entries up to horizon are forgotten.';

--
-- Name: changes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.changes (
    sequence bigint NOT NULL,
    "position" bigint,
    transaction xid8 DEFAULT pg_current_xact_id() NOT NULL,
    kind text NOT NULL,
    reason text NOT NULL,
    code text,
    template_id uuid NOT NULL,
    slug text NOT NULL,
    version text,
    at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT changes_kind_check CHECK ((kind = ANY (ARRAY['template_added'::text, 'template_changed'::text, 'template_removed'::text, 'version_added'::text, 'version_changed'::text, 'version_removed'::text])))
);

--
-- Name: TABLE changes; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.changes IS 'Entered by triggers in the transaction that makes the change; numbered once that is committed. The order of one template''s entries is that of its changes: they are entered while its row is locked.';

--
-- Name: changes_sequence_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.changes ALTER COLUMN sequence ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.changes_sequence_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: collection_items; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.collection_items (
    collection text NOT NULL,
    template_id uuid NOT NULL,
    "position" integer NOT NULL,
    note text DEFAULT ''::text NOT NULL
);

--
-- Name: collections; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.collections (
    slug text NOT NULL,
    title text NOT NULL,
    summary text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);

--
-- Name: TABLE collections; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.collections IS 'Lists that moderators keep. What is no longer on offer is not shown.';

--
-- Name: copyright_notices; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.copyright_notices (
    id uuid NOT NULL,
    subject_kind text NOT NULL,
    template_id uuid NOT NULL,
    version text,
    claimant_id uuid,
    name text NOT NULL,
    email text NOT NULL,
    address text NOT NULL,
    phone text NOT NULL,
    work text NOT NULL,
    explanation text NOT NULL,
    signature text NOT NULL,
    state text DEFAULT 'received'::text NOT NULL,
    received_at timestamp with time zone NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    message text,
    has_takedown boolean DEFAULT false NOT NULL,
    sanction_id uuid,
    counter_by uuid,
    counter_name text,
    counter_address text,
    counter_phone text,
    counter_explanation text,
    counter_signature text,
    countered_at timestamp with time zone,
    restore_from timestamp with time zone,
    restore_by timestamp with time zone,
    language text,
    CONSTRAINT copyright_notices_counter_check CHECK (((countered_at IS NULL) = (restore_from IS NULL))),
    CONSTRAINT copyright_notices_state_check CHECK ((state = ANY (ARRAY['received'::text, 'taken_down'::text, 'countered'::text, 'suit_filed'::text, 'restored'::text, 'rejected'::text, 'withdrawn'::text]))),
    CONSTRAINT copyright_notices_subject_kind_check CHECK ((subject_kind = ANY (ARRAY['template'::text, 'version'::text]))),
    CONSTRAINT copyright_notices_version_check CHECK (((subject_kind = 'version'::text) = (version IS NOT NULL)))
);

--
-- Name: TABLE copyright_notices; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.copyright_notices IS 'Notices under 17 U.S.C. 512(c)(3) and Article 16 of Regulation (EU) 2022/2065, and what came of them.';

--
-- Name: COLUMN copyright_notices.has_takedown; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.copyright_notices.has_takedown IS 'Whether the notice holds a take-down: of the kind ''notice'', with its id.';

--
-- Name: COLUMN copyright_notices.language; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.copyright_notices.language IS 'Of the claimant''s e-mails, by what their browser asked for.';

--
-- Name: game_systems; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.game_systems (
    slug text NOT NULL,
    name text NOT NULL,
    publisher text,
    aliases text[] DEFAULT '{}'::text[] NOT NULL,
    names text GENERATED ALWAYS AS (public.system_names(slug, name, aliases)) STORED,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

--
-- Name: submission_pages; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.submission_pages (
    submission_id uuid NOT NULL,
    page_index integer NOT NULL,
    width double precision NOT NULL,
    height double precision NOT NULL,
    rotation integer NOT NULL,
    text_characters integer NOT NULL,
    form_fields integer NOT NULL,
    regions jsonb NOT NULL,
    page_text text DEFAULT ''::text NOT NULL,
    perceptual_hash bit(64),
    text_hash bit(64)
);

--
-- Name: TABLE submission_pages; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.submission_pages IS 'What the reader said of each page; width and height in points, as displayed. A version''s pages are those of its submission.';

--
-- Name: COLUMN submission_pages.perceptual_hash; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.submission_pages.perceptual_hash IS 'What the page looks like; pages that differ in up to 8 bits look the same. All zero for an empty page.';

--
-- Name: COLUMN submission_pages.text_hash; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.submission_pages.text_hash IS 'What the page says, likewise; NULL when it says nothing.';

--
-- Name: system_words; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.system_words (
    word text NOT NULL COLLATE pg_catalog."C"
);

--
-- Name: TABLE system_words; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.system_words IS 'Words of game systems'' slugs, names and aliases. Whatever has one has the lexeme =w:system/word in listing_words, too.';

--
-- Name: templates; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.templates (
    id uuid NOT NULL,
    slug text NOT NULL,
    owner_id uuid NOT NULL,
    game_system text NOT NULL,
    kind text DEFAULT 'sheet'::text NOT NULL,
    name text NOT NULL,
    summary text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    license text NOT NULL,
    language text NOT NULL,
    latest_version_id uuid,
    newest_version_id uuid,
    page_count integer DEFAULT 0 NOT NULL,
    rating double precision DEFAULT 0 NOT NULL,
    rating_lower double precision DEFAULT 0 NOT NULL,
    rating_count integer DEFAULT 0 NOT NULL,
    downloads bigint DEFAULT 0 NOT NULL,
    trending double precision DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    published_at timestamp with time zone,
    deprecated_at timestamp with time zone,
    deprecation_message text,
    successor_id uuid,
    taken_down_at timestamp with time zone,
    takedown_code text,
    takedown_message text,
    CONSTRAINT templates_deprecation_check CHECK ((((deprecated_at IS NULL) = (deprecation_message IS NULL)) AND ((successor_id IS NULL) OR (deprecated_at IS NOT NULL)))),
    CONSTRAINT templates_kind_check CHECK ((kind ~ '^[a-z][a-z_]{0,39}$'::text))
)
WITH (fillfactor='90');

--
-- Name: TABLE templates; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.templates IS 'Catalog entries. Listed exactly while latest_version_id names the version on offer; page_count is that version''s.';

--
-- Name: COLUMN templates.kind; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.templates.kind IS 'sheet, skill_library, region_preset, vocabulary, …; the same for all versions.';

--
-- Name: COLUMN templates.newest_version_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.templates.newest_version_id IS 'What is offered to those who take previews: the newest published version of any channel.';

--
-- Name: COLUMN templates.rating_lower; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.templates.rating_lower IS 'Lower bound of the shown rating: what lists are sorted by.';

--
-- Name: COLUMN templates.trending; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.templates.trending IS 'Installs that fade by half each week: log2 of the sum over days of downloads * 2^(weeks since 2020), which needs no update while nobody installs. 0 is none.';

--
-- Name: COLUMN templates.successor_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.templates.successor_id IS 'The template to use instead of a deprecated one. Following successors always comes to an end.';

--
-- Name: COLUMN templates.taken_down_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.templates.taken_down_at IS 'Since when the whole template is down; then none of its versions is offered and none can be published.';

--
-- Name: users; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.users (
    id uuid NOT NULL,
    handle text NOT NULL,
    display_name text NOT NULL,
    email text,
    email_verified_at timestamp with time zone,
    language text,
    password_hash text,
    role text DEFAULT 'user'::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    disabled_at timestamp with time zone,
    erase_at timestamp with time zone,
    erase_templates text,
    erased_at timestamp with time zone,
    CONSTRAINT users_erase_templates_check CHECK ((erase_templates = ANY (ARRAY['withdraw'::text, 'leave'::text]))),
    CONSTRAINT users_erasure_check CHECK (((erase_at IS NULL) = (erase_templates IS NULL))),
    CONSTRAINT users_role_check CHECK ((role = ANY (ARRAY['user'::text, 'moderator'::text, 'administrator'::text])))
);

--
-- Name: TABLE users; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.users IS 'People with accounts. password_hash holds scrypt with its parameters; NULL means no password sign-in.';

--
-- Name: COLUMN users.email; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.users.email IS 'Where e-mails go; NULL for an account without. A claim until email_verified_at is set: it may be somebody else''s. Notices go only to an address that was verified.';

--
-- Name: COLUMN users.language; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.users.language IS 'The language of e-mails; NULL means the default.';

--
-- Name: COLUMN users.erase_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.users.erase_at IS 'When the account is to be erased, as its owner wished; NULL while it is to stay.';

--
-- Name: COLUMN users.erased_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.users.erased_at IS 'When all that told who this was went; the row stays, for what others built on.';

--
-- Name: versions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.versions (
    id uuid NOT NULL,
    template_id uuid NOT NULL,
    submission_id uuid NOT NULL,
    number text NOT NULL,
    channel text DEFAULT 'stable'::text NOT NULL,
    artifact_sha256 bytea NOT NULL,
    file_name text NOT NULL,
    size_bytes bigint NOT NULL,
    page_count integer NOT NULL,
    changelog text DEFAULT ''::text NOT NULL,
    minimum_client_version text,
    published_at timestamp with time zone DEFAULT now() NOT NULL,
    state text DEFAULT 'published'::text NOT NULL,
    state_reason text,
    withdrawn_by text,
    taken_down_at timestamp with time zone,
    takedown_code text,
    former_state text,
    former_reason text,
    CONSTRAINT versions_channel_check CHECK ((channel = ANY (ARRAY['stable'::text, 'beta'::text]))),
    CONSTRAINT versions_state_check CHECK ((state = ANY (ARRAY['published'::text, 'yanked'::text, 'taken_down'::text]))),
    CONSTRAINT versions_withdrawn_by_check CHECK ((withdrawn_by = ANY (ARRAY['author'::text, 'administrator'::text])))
);

--
-- Name: TABLE versions; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.versions IS 'Immutable releases. A number is never used again, an artifact never changes.';

--
-- Name: COLUMN versions.channel; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.versions.channel IS 'Who is offered it: everybody (stable), or who asks for previews too (beta). A pre-release is always beta.';

--
-- Name: COLUMN versions.withdrawn_by; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.versions.withdrawn_by IS 'Who yanked it; what an administrator yanked its author cannot put back. NULL counts as the author.';

--
-- Name: COLUMN versions.former_state; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.versions.former_state IS 'What a taken-down version goes back to, with former_reason.';

--
-- Name: current_listing_words; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.current_listing_words AS
 SELECT t.id,
    ((every.words || array_to_tsvector(ARRAY( SELECT ((('=w:'::text || t.game_system) || '/'::text) || s.word)
           FROM (unnest(tsvector_to_array(every.words)) w(w)
             JOIN public.system_words s ON ((s.word = (w.w COLLATE "C"))))))) || public.listing_filters(t.game_system, t.tags, t.license, t.language, t.kind, u.handle, t.rating, t.page_count)) AS words,
    t.updated_at,
    COALESCE(t.published_at, t.created_at) AS published_at,
    (public.market_text(lower(t.name)) COLLATE "C") AS name_key,
    public.download_magnitude(t.downloads) AS magnitude
   FROM ((((((public.templates t
     JOIN public.users u ON ((u.id = t.owner_id)))
     JOIN public.game_systems g ON ((g.slug = t.game_system)))
     JOIN public.versions v ON ((v.id = t.latest_version_id)))
     CROSS JOIN LATERAL ( SELECT (setweight(to_tsvector('simple'::regconfig, public.search_text(t.name)), 'A'::"char") || setweight(to_tsvector('simple'::regconfig, public.search_text(concat_ws(' '::text, g.slug, g.name, array_to_string(g.aliases, ' '::text), array_to_string(t.tags, ' '::text), u.handle, u.display_name))), 'B'::"char")) AS words
         OFFSET 0) strong)
     LEFT JOIN LATERAL ( SELECT "left"(string_agg(s.page_text, ' '::text ORDER BY s.page_index), 8000) AS words,
            "left"(string_agg(( SELECT string_agg((region.value ->> 'name'::text), ' '::text) AS string_agg
                   FROM jsonb_array_elements(s.regions) region(value)), ' '::text ORDER BY s.page_index), 2000) AS regions
           FROM public.submission_pages s
          WHERE (s.submission_id = v.submission_id)) p ON (true))
     CROSS JOIN LATERAL ( SELECT (((strong.words || array_to_tsvector(ARRAY( SELECT ('=n:'::text || word.word)
                   FROM unnest(tsvector_to_array(strong.words)) word(word)))) || setweight(to_tsvector('simple'::regconfig, public.search_text(concat_ws(' '::text, t.summary, p.regions))), 'C'::"char")) || to_tsvector('simple'::regconfig, public.search_text("left"(COALESCE(p.words, ''::text), 1600)))) AS words
         OFFSET 0) every);

--
-- Name: VIEW current_listing_words; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON VIEW public.current_listing_words IS 'Weights: A name, B system with aliases, tags and author, C summary and regions, D what is printed on the sheet; the words of A and B once more as =n:word, since an index does not know weights; words of systems'' names once more as =w:system/word; and the filters.';

--
-- Name: current_listings; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.current_listings AS
 SELECT t.id,
    t.updated_at,
    COALESCE(t.published_at, t.created_at) AS published_at,
    t.downloads,
    t.rating_lower,
    t.trending,
    t.rating,
    t.page_count,
    t.game_system,
    (public.market_text(lower(t.name)) COLLATE "C") AS name_key,
    f.filters,
    t.slug,
    t.name,
    t.summary,
    u.handle AS author,
    t.rating_count,
    v.number,
    t.license,
    t.language,
    t.tags,
    t.kind,
    public.listing_bloom_filter(tsvector_to_array(f.filters), 0) AS bloom_low,
    public.listing_bloom_filter(tsvector_to_array(f.filters), 1) AS bloom_high
   FROM (((public.templates t
     JOIN public.users u ON ((u.id = t.owner_id)))
     JOIN public.versions v ON ((v.id = t.latest_version_id)))
     CROSS JOIN LATERAL ( SELECT public.listing_filters(t.game_system, t.tags, t.license, t.language, t.kind, u.handle, t.rating, t.page_count) AS filters
         OFFSET 0) f)
  WHERE (t.latest_version_id IS NOT NULL);

--
-- Name: decisions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.decisions (
    id uuid NOT NULL,
    case_id uuid NOT NULL,
    moderator_id uuid,
    proposed_by uuid,
    decision text NOT NULL,
    reason_code text NOT NULL,
    message text NOT NULL,
    evidence jsonb DEFAULT '[]'::jsonb NOT NULL,
    decided_at timestamp with time zone DEFAULT now() NOT NULL,
    ends_at timestamp with time zone,
    overturned_at timestamp with time zone
);

--
-- Name: COLUMN decisions.moderator_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.decisions.moderator_id IS 'NULL: the service itself, by the rules for trusted authors.';

--
-- Name: download_changes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.download_changes (
    day date NOT NULL,
    template_id uuid NOT NULL,
    downloads bigint NOT NULL
);

--
-- Name: TABLE download_changes; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.download_changes IS 'Counted downloads that are to be added to download_days and templates.downloads: nodes must not wait for each other.';

--
-- Name: download_clients; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.download_clients (
    day date NOT NULL,
    template_id uuid NOT NULL,
    client bytea NOT NULL
)
PARTITION BY LIST (day);

--
-- Name: TABLE download_clients; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.download_clients IS 'Who has downloaded what on a day, as salted hashes. A partition for each day, dropped soon after it.';

--
-- Name: download_days; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.download_days (
    template_id uuid NOT NULL,
    day date NOT NULL,
    downloads bigint NOT NULL
)
PARTITION BY RANGE (day);

--
-- Name: TABLE download_days; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.download_days IS 'Downloads by day; a partition for each month, and one for what has none yet.';

--
-- Name: download_days_2026_11; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.download_days_2026_11 (
    template_id uuid NOT NULL,
    day date NOT NULL,
    downloads bigint NOT NULL
);

--
-- Name: download_days_2026_12; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.download_days_2026_12 (
    template_id uuid NOT NULL,
    day date NOT NULL,
    downloads bigint NOT NULL
);

--
-- Name: download_days_2027_01; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.download_days_2027_01 (
    template_id uuid NOT NULL,
    day date NOT NULL,
    downloads bigint NOT NULL
);

--
-- Name: download_days_other; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.download_days_other (
    template_id uuid NOT NULL,
    day date NOT NULL,
    downloads bigint NOT NULL
);

--
-- Name: download_salts; Type: TABLE; Schema: public; Owner: -
--

CREATE UNLOGGED TABLE public.download_salts (
    day date NOT NULL,
    salt bytea NOT NULL,
    CONSTRAINT download_salts_length CHECK ((octet_length(salt) = 32))
);

--
-- Name: TABLE download_salts; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.download_salts IS 'The day''s secret that clients are hashed with; all nodes share it, and it is gone soon after the day.';

--
-- Name: edit_assessments; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.edit_assessments (
    id uuid NOT NULL,
    template_id uuid NOT NULL,
    case_id uuid NOT NULL,
    rules_version text NOT NULL,
    score integer NOT NULL,
    hits jsonb NOT NULL,
    assessed_at timestamp with time zone NOT NULL,
    CONSTRAINT edit_assessments_score_check CHECK (((score >= 0) AND (score <= 100)))
);

--
-- Name: TABLE edit_assessments; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.edit_assessments IS 'Edits that a rule of the risk score spoke against, with the case that was opened for them.';

--
-- Name: facet_changes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.facet_changes (
    game_system text NOT NULL COLLATE pg_catalog."C",
    facet text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL COLLATE pg_catalog."C",
    change bigint NOT NULL
);

--
-- Name: TABLE facet_changes; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.facet_changes IS 'What is to be added to facet_counts: publications must not wait for each other.';

--
-- Name: facet_counts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.facet_counts (
    game_system text NOT NULL COLLATE pg_catalog."C",
    facet text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL COLLATE pg_catalog."C",
    count bigint NOT NULL
);

--
-- Name: TABLE facet_counts; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.facet_counts IS 'Derived: templates on offer by system (empty: all), facet (s system, c licence, l language, t tag, k kind, r half stars, p pages) and value.';

--
-- Name: former_popular_listings; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.former_popular_listings (
    generation integer NOT NULL,
    place integer NOT NULL,
    id uuid NOT NULL,
    downloads bigint NOT NULL,
    filters tsvector NOT NULL,
    words tsvector NOT NULL,
    facets text[] NOT NULL
)
WITH (toast_tuple_target='8160');

--
-- Name: idempotency_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.idempotency_keys (
    key_hash bytea NOT NULL,
    user_id uuid,
    request_hash bytea NOT NULL,
    body_hash bytea,
    attempt_id uuid NOT NULL,
    lease_expires_at timestamp with time zone NOT NULL,
    committed_at timestamp with time zone,
    status integer,
    headers jsonb,
    response_body bytea,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT idempotency_keys_response_check CHECK (((response_body IS NULL) OR (status IS NOT NULL)))
)
WITH (fillfactor='50');

--
-- Name: TABLE idempotency_keys; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.idempotency_keys IS 'Calls that came with an Idempotency-Key, by a hash of caller and key, with their answers, for a day. Answers that hold secrets are never in it.';

--
-- Name: COLUMN idempotency_keys.attempt_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.idempotency_keys.attempt_id IS 'The attempt at the call that was committed.';

--
-- Name: COLUMN idempotency_keys.lease_expires_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.idempotency_keys.lease_expires_at IS 'Until when an answer may still be on its way.';

--
-- Name: COLUMN idempotency_keys.committed_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.idempotency_keys.committed_at IS 'When a transaction of the call was first committed; it is set in that transaction.';

--
-- Name: identities; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.identities (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    issuer text NOT NULL,
    subject text NOT NULL,
    email text,
    linked_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone
);

--
-- Name: TABLE identities; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.identities IS 'Who people are at providers: issuer and subject name them, and nothing else does. email is what the provider told, for people to tell their identities apart.';

--
-- Name: jobs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.jobs (
    id uuid NOT NULL,
    kind text NOT NULL,
    subject uuid NOT NULL,
    state text DEFAULT 'queued'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    max_attempts integer DEFAULT 5 NOT NULL,
    run_at timestamp with time zone DEFAULT now() NOT NULL,
    lease_token uuid,
    lease_expires_at timestamp with time zone,
    worker text,
    last_error text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT jobs_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'done'::text, 'dead'::text])))
);

--
-- Name: TABLE jobs; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.jobs IS 'Queued in the transaction that makes them necessary, claimed with SKIP LOCKED under a lease; only the holder of lease_token may finish one.';

--
-- Name: known_devices; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.known_devices (
    user_id uuid NOT NULL,
    device_hash bytea NOT NULL,
    first_seen timestamp with time zone NOT NULL,
    last_seen timestamp with time zone NOT NULL
);

--
-- Name: TABLE known_devices; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.known_devices IS 'SHA-256 of user agent and network of earlier sign-ins: a new one is told of by mail. Forgotten after half a year.';

--
-- Name: listing_words; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.listing_words (
    id uuid NOT NULL,
    words tsvector NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    published_at timestamp with time zone NOT NULL,
    name_key text NOT NULL COLLATE pg_catalog."C",
    magnitude integer NOT NULL
)
WITH (toast_tuple_target='8160');

--
-- Name: listings; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.listings (
    id uuid NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    published_at timestamp with time zone NOT NULL,
    downloads bigint NOT NULL,
    rating_lower double precision NOT NULL,
    trending double precision NOT NULL,
    rating double precision NOT NULL,
    page_count integer NOT NULL,
    game_system text NOT NULL COLLATE pg_catalog."C",
    name_key text NOT NULL COLLATE pg_catalog."C",
    filters tsvector NOT NULL,
    slug text NOT NULL,
    name text NOT NULL,
    summary text NOT NULL,
    author text NOT NULL,
    rating_count integer NOT NULL,
    number text NOT NULL,
    license text NOT NULL,
    language text NOT NULL,
    tags text[] NOT NULL,
    kind text NOT NULL,
    bloom_low bigint NOT NULL,
    bloom_high bigint NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0.005');

--
-- Name: COLUMN listings.bloom_low; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.listings.bloom_low IS 'listing_bloom_filter() of the filters, part 0.';

--
-- Name: COLUMN listings.bloom_high; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.listings.bloom_high IS 'listing_bloom_filter() of the filters, part 1.';

--
-- Name: mail_links; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.mail_links (
    token_hash bytea NOT NULL,
    user_id uuid NOT NULL,
    purpose text NOT NULL,
    email text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT mail_links_purpose_check CHECK ((purpose = ANY (ARRAY['verify'::text, 'reset'::text])))
);

--
-- Name: TABLE mail_links; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.mail_links IS 'Single-use links that e-mails carry, by SHA-256; made when the e-mail is sent, so that no row ever holds one.';

--
-- Name: mail_outbox; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.mail_outbox (
    id uuid NOT NULL,
    template text NOT NULL,
    user_id uuid,
    recipient text,
    details jsonb DEFAULT '{}'::jsonb NOT NULL,
    state text DEFAULT 'waiting'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    next_attempt_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    last_error text,
    CONSTRAINT mail_outbox_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'sent'::text, 'dropped'::text, 'dead'::text])))
);

--
-- Name: TABLE mail_outbox; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.mail_outbox IS 'E-mails to be sent, in the transaction of what they tell of. recipient overrides the account''s address; details are emptied when an e-mail is sent.';

--
-- Name: takedown_items; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.takedown_items (
    takedown_id uuid NOT NULL,
    item_kind text NOT NULL,
    item_id uuid NOT NULL,
    CONSTRAINT takedown_items_kind_check CHECK ((item_kind = ANY (ARRAY['template'::text, 'version'::text, 'review'::text])))
);

--
-- Name: TABLE takedown_items; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.takedown_items IS 'What went down with a take-down. Something is down while any take-down that was not undone has it.';

--
-- Name: takedowns; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.takedowns (
    id uuid NOT NULL,
    subject_kind text NOT NULL,
    subject_id uuid NOT NULL,
    decision_id uuid,
    reason_code text NOT NULL,
    message text NOT NULL,
    taken_down_at timestamp with time zone NOT NULL,
    restored_at timestamp with time zone,
    restored_by uuid,
    CONSTRAINT takedowns_subject_kind_check CHECK ((subject_kind = ANY (ARRAY['template'::text, 'version'::text, 'review'::text, 'user'::text, 'notice'::text])))
);

--
-- Name: TABLE takedowns; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.takedowns IS 'What moderators and copyright notices took down, and when it was put back. decision_id and restored_by are the decisions'' ids. A notice''s has the kind ''notice'' and the notice''s id.';

--
-- Name: open_takedown_items; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.open_takedown_items AS
 SELECT i.item_kind,
    i.item_id,
    d.id AS takedown_id,
    d.reason_code,
    d.message,
    d.taken_down_at
   FROM (public.takedown_items i
     JOIN public.takedowns d ON ((d.id = i.takedown_id)))
  WHERE (d.restored_at IS NULL);

--
-- Name: outbox_totals; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.outbox_totals (
    outbox text NOT NULL,
    sent bigint DEFAULT 0 NOT NULL,
    failed bigint DEFAULT 0 NOT NULL,
    abandoned bigint DEFAULT 0 NOT NULL,
    dropped bigint DEFAULT 0 NOT NULL,
    CONSTRAINT outbox_totals_outbox_check CHECK ((outbox = ANY (ARRAY['mail'::text, 'webhooks'::text])))
)
WITH (fillfactor='50');

--
-- Name: TABLE outbox_totals; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.outbox_totals IS 'Since this table was made. failed counts attempts, the others e-mails and deliveries; dropped ones had nobody to go to.';

--
-- Name: page_differences; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.page_differences (
    submission_id uuid NOT NULL,
    page_index integer,
    other_submission_id uuid NOT NULL,
    other_page_index integer,
    width integer NOT NULL,
    height integer NOT NULL,
    sha256 bytea NOT NULL,
    CONSTRAINT page_differences_pages_check CHECK (((page_index IS NOT NULL) OR (other_page_index IS NOT NULL)))
);

--
-- Name: TABLE page_differences; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.page_differences IS 'WebP pictures: what a page has (page_index; none: the page is gone) that the other has not (other_page_index; none: the page is new), and the reverse.';

--
-- Name: page_layouts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.page_layouts (
    submission_id uuid NOT NULL,
    page_index integer NOT NULL,
    layout jsonb NOT NULL
);

--
-- Name: TABLE page_layouts; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.page_layouts IS 'Where words and fields of a page are; absent for versions from before there was comparing.';

--
-- Name: pending_identities; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.pending_identities (
    ticket_hash bytea NOT NULL,
    issuer text NOT NULL,
    subject text NOT NULL,
    email text,
    is_email_verified boolean NOT NULL,
    suggested_name text,
    next text NOT NULL,
    link_to uuid,
    expires_at timestamp with time zone NOT NULL
);

--
-- Name: TABLE pending_identities; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.pending_identities IS 'What providers vouched for, until its person has chosen a name or agreed to link it; deleted after half an hour.';

--
-- Name: personal_data_columns; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.personal_data_columns AS
 SELECT (c.conrelid)::regclass AS table_name,
    a.attname AS column_name,
    (c.confdeltype = 'c'::"char") AS goes_with_person
   FROM (pg_constraint c
     JOIN pg_attribute a ON (((a.attrelid = c.conrelid) AND (a.attnum = c.conkey[1]))))
  WHERE ((c.contype = 'f'::"char") AND (c.confrelid = ('public.users'::regclass)::oid) AND (cardinality(c.conkey) = 1))
UNION ALL
 SELECT 'public.idempotency_keys'::regclass AS table_name,
    'user_id'::name AS column_name,
    true AS goes_with_person;

--
-- Name: VIEW personal_data_columns; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON VIEW public.personal_data_columns IS 'Every column that refers to a person. goes_with_person: erasing the person removes the row.';

--
-- Name: popular_listings; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.popular_listings (
    generation integer NOT NULL,
    place integer NOT NULL,
    id uuid NOT NULL,
    downloads bigint NOT NULL,
    filters tsvector NOT NULL,
    words tsvector NOT NULL,
    facets text[] NOT NULL
)
WITH (toast_tuple_target='8160');

--
-- Name: preset_pages; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.preset_pages (
    submission_id uuid NOT NULL,
    page_index integer NOT NULL,
    width double precision NOT NULL,
    height double precision NOT NULL,
    perceptual_hash bit(64) NOT NULL,
    text_hash bit(64),
    regions jsonb NOT NULL
);

--
-- Name: TABLE preset_pages; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.preset_pages IS 'Pages that a region preset says it is for, with the regions that pages like them get. A version''s are those of its submission.';

--
-- Name: previews; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.previews (
    submission_id uuid NOT NULL,
    page_index integer NOT NULL,
    width integer NOT NULL,
    height integer NOT NULL,
    sha256 bytea NOT NULL
);

--
-- Name: TABLE previews; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.previews IS 'WebP pictures of pages; width and height in pixels.';

--
-- Name: rate_limits; Type: TABLE; Schema: public; Owner: -
--

CREATE UNLOGGED TABLE public.rate_limits (
    bucket text NOT NULL,
    full_at timestamp with time zone NOT NULL
)
WITH (fillfactor='50');

--
-- Name: TABLE rate_limits; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.rate_limits IS 'Buckets that are not full, by when they will be; rows go when they are. Buckets of addresses are in it for as long as their window at most.';

--
-- Name: rating_priors; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rating_priors (
    game_system text NOT NULL,
    mean double precision NOT NULL,
    variance double precision NOT NULL,
    weight double precision NOT NULL,
    reviews integer NOT NULL,
    as_of date NOT NULL
);

--
-- Name: TABLE rating_priors; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.rating_priors IS 'Derived each day: what is expected of a template before anybody has judged it, by game system; the empty one is the whole market.';

--
-- Name: recovery_codes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.recovery_codes (
    user_id uuid NOT NULL,
    code_hash bytea NOT NULL,
    keyed_by text DEFAULT 'secret_keys'::text NOT NULL,
    used_at timestamp with time zone,
    CONSTRAINT recovery_codes_keyed_by_check CHECK ((keyed_by = ANY (ARRAY['secret_keys'::text, 'second_factor'::text])))
);

--
-- Name: TABLE recovery_codes; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.recovery_codes IS 'HMAC-SHA256 of single-use codes. keyed_by says with which key: of the second factor''s sealed secret, or, in older rows, of SHEETMARKET_SECRET_KEYS itself.';

--
-- Name: reports; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.reports (
    id uuid NOT NULL,
    reporter_id uuid NOT NULL,
    subject_kind text NOT NULL,
    subject_id uuid NOT NULL,
    reason text NOT NULL,
    text text DEFAULT ''::text NOT NULL,
    weight double precision DEFAULT 0.5 NOT NULL,
    case_id uuid,
    state text DEFAULT 'open'::text NOT NULL,
    outcome text,
    created_at timestamp with time zone NOT NULL,
    closed_at timestamp with time zone,
    CONSTRAINT reports_end_check CHECK (((state = 'open'::text) = (closed_at IS NULL))),
    CONSTRAINT reports_outcome_check CHECK ((outcome = ANY (ARRAY['upheld'::text, 'dismissed'::text]))),
    CONSTRAINT reports_reason_check CHECK ((reason = ANY (ARRAY['copyright'::text, 'malicious'::text, 'offensive'::text, 'harassment'::text, 'personal_data'::text, 'spam'::text, 'misleading'::text, 'other'::text]))),
    CONSTRAINT reports_state_check CHECK ((state = ANY (ARRAY['open'::text, 'closed'::text]))),
    CONSTRAINT reports_subject_kind_check CHECK ((subject_kind = ANY (ARRAY['template'::text, 'version'::text, 'review'::text, 'user'::text]))),
    CONSTRAINT reports_text_check CHECK ((char_length(text) <= 5000))
);

--
-- Name: TABLE reports; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.reports IS 'Complaints for the moderators. One open report for each person and subject.';

--
-- Name: COLUMN reports.weight; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.reports.weight IS 'What its writer''s word was worth when it came in, 0 to 1: the smoothed share of their reports that were upheld.';

--
-- Name: review_replies; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.review_replies (
    review_id uuid NOT NULL,
    author_id uuid NOT NULL,
    text text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT review_replies_text_check CHECK (((char_length(text) >= 1) AND (char_length(text) <= 5000)))
);

--
-- Name: review_revisions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.review_revisions (
    review_id uuid NOT NULL,
    revision integer NOT NULL,
    stars smallint NOT NULL,
    text text NOT NULL,
    version_id uuid NOT NULL,
    written_at timestamp with time zone NOT NULL
);

--
-- Name: TABLE review_revisions; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.review_revisions IS 'What reviews said before they were edited or deleted. Kept by a trigger.';

--
-- Name: review_votes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.review_votes (
    review_id uuid NOT NULL,
    user_id uuid NOT NULL,
    is_helpful boolean NOT NULL,
    voted_at timestamp with time zone NOT NULL
);

--
-- Name: reviews; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.reviews (
    id uuid NOT NULL,
    template_id uuid NOT NULL,
    user_id uuid NOT NULL,
    version_id uuid NOT NULL,
    stars smallint NOT NULL,
    text text DEFAULT ''::text NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    helpful integer DEFAULT 0 NOT NULL,
    unhelpful integer DEFAULT 0 NOT NULL,
    helpfulness integer GENERATED ALWAYS AS ((helpful - unhelpful)) STORED NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone,
    hidden_at timestamp with time zone,
    hidden_reason text,
    CONSTRAINT reviews_stars_check CHECK (((stars >= 1) AND (stars <= 5))),
    CONSTRAINT reviews_text_check CHECK ((char_length(text) <= 5000))
);

--
-- Name: TABLE reviews; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.reviews IS 'One per person and template. A deleted one keeps its row, without its text, for 90 days: its history is a moderator''s evidence, and writing again continues it.';

--
-- Name: COLUMN reviews.hidden_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.reviews.hidden_at IS 'When a moderator hid it; it is then neither shown nor counted.';

--
-- Name: risk_assessments; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.risk_assessments (
    submission_id uuid NOT NULL,
    is_shadow boolean NOT NULL,
    rules_version text NOT NULL,
    score integer NOT NULL,
    hits jsonb NOT NULL,
    facts jsonb,
    route text NOT NULL,
    obstacles text[] DEFAULT '{}'::text[] NOT NULL,
    assessed_at timestamp with time zone NOT NULL,
    CONSTRAINT risk_assessments_route_check CHECK ((route = ANY (ARRAY['moderator'::text, 'approved'::text, 'audited'::text]))),
    CONSTRAINT risk_assessments_score_check CHECK (((score >= 0) AND (score <= 100))),
    CONSTRAINT risk_assessments_trust_check CHECK (((route = 'moderator'::text) OR ((score = 0) AND (obstacles = '{}'::text[]))))
);

--
-- Name: TABLE risk_assessments; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.risk_assessments IS 'What the rules made of a submission when it was read, one row for the rules in force and one for those that are tried beside them.';

--
-- Name: COLUMN risk_assessments.facts; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.risk_assessments.facts IS 'What the rules were told, but for the texts, so that other rules can be tried on it; only with the rules in force.';

--
-- Name: COLUMN risk_assessments.route; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.risk_assessments.route IS 'Where the submission went: to a moderator, or published at once, or that and to a moderator afterwards.';

--
-- Name: sanctions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sanctions (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    kind text NOT NULL,
    scopes text[] NOT NULL,
    reason_code text NOT NULL,
    message text NOT NULL,
    decision_id uuid,
    imposed_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    lifted_at timestamp with time zone,
    lifted_decision uuid,
    CONSTRAINT sanctions_end_check CHECK (((kind = 'suspend'::text) = (expires_at IS NOT NULL))),
    CONSTRAINT sanctions_kind_check CHECK ((kind = ANY (ARRAY['warn'::text, 'suspend'::text, 'ban'::text]))),
    CONSTRAINT sanctions_reach_check CHECK (((kind = 'warn'::text) = (scopes = '{}'::text[]))),
    CONSTRAINT sanctions_scopes_check CHECK ((scopes <@ ARRAY['uploads'::text, 'reviews'::text, 'reports'::text, 'all'::text]))
);

--
-- Name: TABLE sanctions; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.sanctions IS 'Warnings, suspensions and bans. Suspensions end by themselves; what was lifted counts as no strike.';

--
-- Name: schema_migrations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.schema_migrations (
    version text NOT NULL,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamp with time zone NOT NULL,
    milliseconds bigint NOT NULL
);

--
-- Name: TABLE schema_migrations; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.schema_migrations IS 'Which files of migrations/ this database has, by SHA-256; of a repeatable file, whose version has three digits, all states that it ever had';

--
-- Name: search_terms; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.search_terms (
    term text NOT NULL COLLATE pg_catalog."C",
    uses integer NOT NULL,
    variants text[] NOT NULL COLLATE pg_catalog."C"
);

--
-- Name: TABLE search_terms; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.search_terms IS 'Derived: the words of the catalog, how many templates have them (as of the last rebuild), and each with one letter left out: two words with a variant in common are at most a slip or two apart.';

--
-- Name: second_factors; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.second_factors (
    user_id uuid NOT NULL,
    secret bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    confirmed_at timestamp with time zone,
    last_step bigint DEFAULT 0 NOT NULL
);

--
-- Name: TABLE second_factors; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.second_factors IS 'TOTP (RFC 6238). secret is sealed with a key that is not in the database; last_step is the last step used: none works twice.';

--
-- Name: sessions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sessions (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    token_hash bytea NOT NULL,
    user_agent text,
    network text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone,
    confirmed_at timestamp with time zone
);

--
-- Name: TABLE sessions; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.sessions IS 'Sign-ins of browsers; the cookie''s secret is stored as its SHA-256.';

--
-- Name: COLUMN sessions.network; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.sessions.network IS 'The first 24 bits of an IPv4 address, 48 of an IPv6 address: never a whole one.';

--
-- Name: COLUMN sessions.confirmed_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.sessions.confirmed_at IS 'When its holder last showed password or second factor; sensitive acts ask again.';

--
-- Name: sign_in_failures; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sign_in_failures (
    subject text NOT NULL,
    failed_at timestamp with time zone DEFAULT now() NOT NULL
);

--
-- Name: TABLE sign_in_failures; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.sign_in_failures IS 'Failed sign-ins by account and by address; old rows are deleted.';

--
-- Name: sign_in_flows; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sign_in_flows (
    state_hash bytea NOT NULL,
    browser_hash bytea NOT NULL,
    provider text NOT NULL,
    redirect_uri text NOT NULL,
    next text NOT NULL,
    link_to uuid,
    expires_at timestamp with time zone NOT NULL
);

--
-- Name: TABLE sign_in_flows; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.sign_in_flows IS 'Sign-ins on their way to a provider and back, each good for once and for the browser that began it. Nonce and PKCE verifier are derived of what only that browser has.';

--
-- Name: sign_in_tickets; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sign_in_tickets (
    token_hash bytea NOT NULL,
    user_id uuid NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

--
-- Name: TABLE sign_in_tickets; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.sign_in_tickets IS 'Sign-ins whose password was right and whose second factor is awaited; the ticket is stored as its SHA-256.';

--
-- Name: single_person_columns; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.single_person_columns AS
 SELECT parts.table_name,
    parts.column_name,
    parts.person_column
   FROM ( VALUES ('copyright_notices'::text,'claimant_id'::text,'claimant_id'::text), ('copyright_notices'::text,'email'::text,'claimant_id'::text), ('copyright_notices'::text,'address'::text,'claimant_id'::text), ('copyright_notices'::text,'phone'::text,'claimant_id'::text), ('copyright_notices'::text,'signature'::text,'claimant_id'::text), ('copyright_notices'::text,'counter_signature'::text,'counter_by'::text)) parts(table_name, column_name, person_column);

--
-- Name: VIEW single_person_columns; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON VIEW public.single_person_columns IS 'Columns that only the person in person_column is told of when people take their data along.';

--
-- Name: stale_listings; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.stale_listings (
    id uuid NOT NULL
);

--
-- Name: TABLE stale_listings; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.stale_listings IS 'Templates whose words are to be made anew soon, since their system or owner is called something else now.';

--
-- Name: submissions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.submissions (
    id uuid NOT NULL,
    template_id uuid NOT NULL,
    uploader_id uuid NOT NULL,
    version text NOT NULL,
    kind text DEFAULT 'sheet'::text NOT NULL,
    metadata jsonb NOT NULL,
    artifact_sha256 bytea NOT NULL,
    file_name text NOT NULL,
    size_bytes bigint NOT NULL,
    upload_sha256 bytea,
    original_sha256 bytea,
    original_size_bytes bigint,
    cleaning jsonb,
    state text DEFAULT 'received'::text NOT NULL,
    progress real DEFAULT 0 NOT NULL,
    step text DEFAULT 'waiting for a worker'::text NOT NULL,
    findings jsonb DEFAULT '[]'::jsonb NOT NULL,
    page_count integer,
    outline jsonb,
    changes jsonb,
    differences_drawn_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT submissions_cleaning_check CHECK ((((original_sha256 IS NULL) = (cleaning IS NULL)) AND ((original_size_bytes IS NULL) = (cleaning IS NULL)))),
    CONSTRAINT submissions_kind_check CHECK ((kind ~ '^[a-z][a-z_]{0,39}$'::text)),
    CONSTRAINT submissions_state_check CHECK ((state = ANY (ARRAY['received'::text, 'inspecting'::text, 'awaiting_review'::text, 'published'::text, 'rejected'::text, 'changes_requested'::text, 'withdrawn'::text])))
);

--
-- Name: COLUMN submissions.metadata; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.submissions.metadata IS 'The upload''s metadata, completed from the template: what the template will say once this is published.';

--
-- Name: COLUMN submissions.upload_sha256; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.submissions.upload_sha256 IS 'Hash of the uploaded file when an importer made another artifact of it; its bytes are not kept.';

--
-- Name: COLUMN submissions.original_sha256; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.submissions.original_sha256 IS 'The file that was sent, where a clean copy of it was made.';

--
-- Name: COLUMN submissions.cleaning; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.submissions.cleaning IS 'The copy, what was taken out of it, the findings on the original, and whether the uploader declined it: then artifact_sha256 is the original''s again.';

--
-- Name: COLUMN submissions.outline; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.submissions.outline IS 'A readable rendering of a kind without pages: sections with rows, as plain text.';

--
-- Name: COLUMN submissions.changes; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.submissions.changes IS 'The comparison with the version that was offered when this was inspected.';

--
-- Name: COLUMN submissions.differences_drawn_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.submissions.differences_drawn_at IS 'When page_differences was filled; nothing before, and where there was nothing to compare.';

--
-- Name: template_authors; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.template_authors (
    template_id uuid NOT NULL,
    user_id uuid NOT NULL,
    role text NOT NULL,
    added_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT template_authors_role_check CHECK ((role = ANY (ARRAY['maintainer'::text, 'contributor'::text])))
);

--
-- Name: TABLE template_authors; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.template_authors IS 'Authors beside the owner, who is templates.owner_id and has no row here.';

--
-- Name: template_invitations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.template_invitations (
    id uuid NOT NULL,
    template_id uuid NOT NULL,
    inviter_id uuid NOT NULL,
    invitee_id uuid NOT NULL,
    role text NOT NULL,
    state text DEFAULT 'open'::text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    CONSTRAINT template_invitations_end_check CHECK (((state = 'open'::text) = (ended_at IS NULL))),
    CONSTRAINT template_invitations_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'maintainer'::text, 'contributor'::text]))),
    CONSTRAINT template_invitations_state_check CHECK ((state = ANY (ARRAY['open'::text, 'accepted'::text, 'declined'::text, 'withdrawn'::text, 'expired'::text])))
);

--
-- Name: TABLE template_invitations; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.template_invitations IS 'Offers of a part in a template; role owner hands it over. Past expires_at an open one counts as expired.';

--
-- Name: template_ratings; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.template_ratings (
    template_id uuid NOT NULL,
    stars integer[] NOT NULL,
    count integer NOT NULL,
    weight double precision NOT NULL,
    rating double precision NOT NULL,
    lower_bound double precision NOT NULL,
    prior_scope text NOT NULL,
    prior_mean double precision NOT NULL,
    prior_variance double precision NOT NULL,
    prior_weight double precision NOT NULL,
    prior_as_of date NOT NULL,
    as_of date NOT NULL
);

--
-- Name: TABLE template_ratings; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.template_ratings IS 'Derived from reviews: the histogram (1 to 5 stars), the shown rating, and all that it was made of.';

--
-- Name: template_slugs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.template_slugs (
    slug text NOT NULL,
    template_id uuid NOT NULL,
    taken_at timestamp with time zone DEFAULT now() NOT NULL
);

--
-- Name: TABLE template_slugs; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.template_slugs IS 'All slugs ever used; one that is not its template''s present slug redirects there. Kept by a trigger.';

--
-- Name: trusted_audits; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.trusted_audits AS
 SELECT cases.id AS case_id,
    cases.submission_id,
    decisions.moderator_id,
    decisions.decided_at,
    (decisions.decision = 'approve'::text) AS agreed
   FROM (public.cases
     JOIN public.decisions ON ((decisions.case_id = cases.id)))
  WHERE cases.is_audit;

--
-- Name: VIEW trusted_audits; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON VIEW public.trusted_audits IS 'Decisions on audited approvals of the trusted path; agreed where the moderator would have approved too.';

--
-- Name: user_downloads; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.user_downloads (
    user_id uuid NOT NULL,
    template_id uuid NOT NULL,
    version_id uuid NOT NULL,
    downloaded_at timestamp with time zone NOT NULL
);

--
-- Name: TABLE user_downloads; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.user_downloads IS 'Downloads by people who were signed in: the last of each version. Goes with the account.';

--
-- Name: visible_reviews; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.visible_reviews AS
 SELECT r.id,
    r.template_id,
    r.user_id,
    r.version_id,
    r.stars,
    r.text,
    r.helpful,
    r.unhelpful,
    r.helpfulness,
    r.created_at,
    r.updated_at
   FROM ((public.reviews r
     JOIN public.users u ON ((u.id = r.user_id)))
     JOIN public.templates t ON ((t.id = r.template_id)))
  WHERE ((r.deleted_at IS NULL) AND (r.hidden_at IS NULL) AND (u.disabled_at IS NULL) AND (t.owner_id <> r.user_id) AND (NOT (EXISTS ( SELECT
           FROM public.template_authors a
          WHERE ((a.template_id = r.template_id) AND (a.user_id = r.user_id))))));

--
-- Name: VIEW visible_reviews; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON VIEW public.visible_reviews IS 'Reviews that are shown and counted: not deleted, not hidden, not of a disabled account, not of who has become an author.';

--
-- Name: webhook_attempts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.webhook_attempts (
    delivery_id uuid NOT NULL,
    number integer NOT NULL,
    at timestamp with time zone NOT NULL,
    duration_ms integer NOT NULL,
    status integer,
    error text,
    response_body text
);

--
-- Name: webhook_deliveries; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.webhook_deliveries (
    id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    event text NOT NULL,
    body text NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    next_attempt_at timestamp with time zone DEFAULT now() NOT NULL,
    lease_token uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    ended_at timestamp with time zone,
    CONSTRAINT webhook_deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])))
);

--
-- Name: TABLE webhook_deliveries; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.webhook_deliveries IS 'Entered in the transaction that makes the event; body is signed and sent byte for byte each time. tries counts since it was last asked for, attempts all.';

--
-- Name: webhooks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.webhooks (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    url text NOT NULL,
    events text[] NOT NULL,
    covers text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    secret bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    disabled_at timestamp with time zone,
    disabled_reason text,
    failing_since timestamp with time zone,
    lease_expires_at timestamp with time zone,
    CONSTRAINT webhooks_covers_check CHECK ((covers = ANY (ARRAY['own'::text, 'all'::text]))),
    CONSTRAINT webhooks_description_check CHECK ((length(description) <= 200)),
    CONSTRAINT webhooks_disabled_check CHECK ((disabled_reason = ANY (ARRAY['owner'::text, 'failing'::text, 'gone'::text]))),
    CONSTRAINT webhooks_end_check CHECK (((disabled_at IS NULL) = (disabled_reason IS NULL))),
    CONSTRAINT webhooks_events_check CHECK (((cardinality(events) >= 1) AND (cardinality(events) <= 20))),
    CONSTRAINT webhooks_url_check CHECK ((length(url) <= 2048))
);

--
-- Name: COLUMN webhooks.secret; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.webhooks.secret IS 'What deliveries are signed with, sealed: the key is not in the database.';

--
-- Name: COLUMN webhooks.lease_expires_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.webhooks.lease_expires_at IS 'While something is being delivered: one at a time, so that a slow receiver holds up nobody else.';

--
-- Name: download_days_2026_11; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.download_days ATTACH PARTITION public.download_days_2026_11 FOR VALUES FROM ('2026-11-01') TO ('2026-12-01');

--
-- Name: download_days_2026_12; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.download_days ATTACH PARTITION public.download_days_2026_12 FOR VALUES FROM ('2026-12-01') TO ('2027-01-01');

--
-- Name: download_days_2027_01; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.download_days ATTACH PARTITION public.download_days_2027_01 FOR VALUES FROM ('2027-01-01') TO ('2027-02-01');

--
-- Name: download_days_other; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.download_days ATTACH PARTITION public.download_days_other DEFAULT;

--
-- Data for Name: api_token_templates; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.api_token_templates (token_id, template_id) VALUES ('00000000-0000-7000-8000-000000000012', '00000000-0000-7000-8000-000000000041');

--
-- Data for Name: api_tokens; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.api_tokens (id, user_id, name, token_hash, scopes, is_limited, created_at, expires_at, last_used_at, revoked_at) VALUES ('00000000-0000-7000-8000-000000000012', '00000000-0000-7000-8000-000000000001', 'ci', '\x12', '{templates:write}', true, '2026-11-02 00:00:00+00', '2036-11-02 00:00:00+00', NULL, NULL);

--
-- Data for Name: appeals; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.appeals (id, case_id, appealed_case, decision_id, appellant_id, text, created_at, outcome, ended_at) VALUES ('00000000-0000-7000-8000-000000000088', '00000000-0000-7000-8000-000000000087', '00000000-0000-7000-8000-000000000082', '00000000-0000-7000-8000-000000000084', '00000000-0000-7000-8000-000000000002', 'It is mine.', '2026-11-08 00:00:00+00', NULL, NULL);

--
-- Data for Name: artifacts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.artifacts (sha256, size_bytes, media_type, created_at) VALUES ('\x7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed', 1000, 'application/pdf', '2026-11-04 00:00:00+00');
INSERT INTO public.artifacts (sha256, size_bytes, media_type, created_at) VALUES ('\x3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3', 2000, 'application/pdf', '2026-11-04 00:00:00+00');
INSERT INTO public.artifacts (sha256, size_bytes, media_type, created_at) VALUES ('\x8b5b9db0c13db24256c829aa364aa90c6d2eba318b9232a4ab9313b954d3555f', 3000, 'application/pdf', '2026-11-04 00:00:00+00');
INSERT INTO public.artifacts (sha256, size_bytes, media_type, created_at) VALUES ('\x2cea274d0bedc39ec4ab6ba9e59ec889e3ed6fb56a1cf088a64d9b383378dc97', 400, 'image/webp', '2026-11-04 00:00:00+00');

--
-- Data for Name: audit_checkpoints; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.audit_checkpoints (sequence, head, at, key_id, signature) VALUES (1, '\x4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a', '2026-11-02 00:00:00+00', 'k1', '\x06');

--
-- Data for Name: audit_entries; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.audit_entries (sequence, at, format, actor_id, actor, actor_salt, actor_hash, token_id, action, subject, reason, details, words_salt, words_hash, request_id, previous_hash, hash) VALUES (1, '2026-11-02 00:00:00+00', 2, '00000000-0000-7000-8000-000000000003', 'cleo', '\x02', '\x03', NULL, 'case.decided', 'case:1', NULL, '{}', '\x04', '\x05', NULL, '\x00', '\x01');

--
-- Data for Name: blocked_artifact_changes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.blocked_artifact_changes (only_row, number) VALUES (true, 0);

--
-- Data for Name: blocked_artifacts; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: case_messages; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.case_messages (id, case_id, author_id, side, is_hidden, text, created_at) VALUES ('00000000-0000-7000-8000-000000000086', '00000000-0000-7000-8000-000000000081', '00000000-0000-7000-8000-000000000003', 'moderator', false, 'Whose font is it?', '2026-11-08 00:00:00+00');

--
-- Data for Name: case_notes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.case_notes (id, case_id, author_id, text, created_at) VALUES ('00000000-0000-7000-8000-000000000085', '00000000-0000-7000-8000-000000000081', '00000000-0000-7000-8000-000000000003', 'Mine.', '2026-11-08 00:00:00+00');

--
-- Data for Name: case_proposals; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.case_proposals (case_id, moderator_id, decision, reason_code, message, evidence, ends_at, proposed_at) VALUES ('00000000-0000-7000-8000-000000000081', '00000000-0000-7000-8000-000000000003', 'reject', 'copyright', 'No.', '[]', NULL, '2026-11-08 00:00:00+00');

--
-- Data for Name: cases; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.cases (id, kind, subject_kind, subject_id, submission_id, template_id, respondent_id, excluded_moderators, track, is_audit, appeal_of, previous_id, state, claimed_by, claim_expires_at, risk, report_count, report_weight, reach, due_at, queue_at, opened_at, decided_at, closed_at) VALUES ('00000000-0000-7000-8000-000000000081', 'submission', 'submission', '00000000-0000-7000-8000-000000000053', '00000000-0000-7000-8000-000000000053', '00000000-0000-7000-8000-000000000041', '00000000-0000-7000-8000-000000000001', '{00000000-0000-7000-8000-000000000001}', 'first', false, NULL, NULL, 'open', NULL, NULL, 20, 0, 0, 0, '2026-11-10 00:00:00+00', '2026-11-09 14:24:00+00', '2026-11-07 00:00:00+00', NULL, NULL);
INSERT INTO public.cases (id, kind, subject_kind, subject_id, submission_id, template_id, respondent_id, excluded_moderators, track, is_audit, appeal_of, previous_id, state, claimed_by, claim_expires_at, risk, report_count, report_weight, reach, due_at, queue_at, opened_at, decided_at, closed_at) VALUES ('00000000-0000-7000-8000-000000000082', 'report', 'template', '00000000-0000-7000-8000-000000000042', NULL, '00000000-0000-7000-8000-000000000042', '00000000-0000-7000-8000-000000000002', '{00000000-0000-7000-8000-000000000002}', 'report', false, NULL, NULL, 'decided', NULL, NULL, 0, 0, 0, 0, '2026-11-10 00:00:00+00', '2026-11-10 00:00:00+00', '2026-11-07 00:00:00+00', '2026-11-08 00:00:00+00', NULL);
INSERT INTO public.cases (id, kind, subject_kind, subject_id, submission_id, template_id, respondent_id, excluded_moderators, track, is_audit, appeal_of, previous_id, state, claimed_by, claim_expires_at, risk, report_count, report_weight, reach, due_at, queue_at, opened_at, decided_at, closed_at) VALUES ('00000000-0000-7000-8000-000000000087', 'appeal', 'template', '00000000-0000-7000-8000-000000000042', NULL, '00000000-0000-7000-8000-000000000042', '00000000-0000-7000-8000-000000000002', '{00000000-0000-7000-8000-000000000002}', 'appeal', false, '00000000-0000-7000-8000-000000000082', NULL, 'open', NULL, NULL, 0, 0, 0, 0, '2026-11-11 00:00:00+00', '2026-11-11 00:00:00+00', '2026-11-08 00:00:00+00', NULL, NULL);

--
-- Data for Name: catalog_dumps; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalog_dumps (day, sha256, size_bytes, templates, feed_id, "position", created_at) VALUES ('2026-11-06', '\x3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3', 2000, 2, 'fbd59436-ce07-450d-a69b-24302b54885a', 0, '2026-11-06 00:00:00+00');

--
-- Data for Name: change_feed; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.change_feed (only_row, id, last_position, horizon) VALUES (true, 'fbd59436-ce07-450d-a69b-24302b54885a', 4, 0);

--
-- Data for Name: changes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.changes (sequence, "position", transaction, kind, reason, code, template_id, slug, version, at) OVERRIDING SYSTEM VALUE VALUES (1, 1, '754', 'version_added', 'published', NULL, '00000000-0000-7000-8000-000000000041', 'adas-fighter', '1.0.0', '2026-11-25 04:04:25.313249+00');
INSERT INTO public.changes (sequence, "position", transaction, kind, reason, code, template_id, slug, version, at) OVERRIDING SYSTEM VALUE VALUES (2, 2, '754', 'version_added', 'published', NULL, '00000000-0000-7000-8000-000000000042', 'investigator', '0.9.0', '2026-11-25 04:04:25.313249+00');
INSERT INTO public.changes (sequence, "position", transaction, kind, reason, code, template_id, slug, version, at) OVERRIDING SYSTEM VALUE VALUES (3, 3, '754', 'template_added', 'published', NULL, '00000000-0000-7000-8000-000000000041', 'adas-fighter', NULL, '2026-11-25 04:04:25.313249+00');
INSERT INTO public.changes (sequence, "position", transaction, kind, reason, code, template_id, slug, version, at) OVERRIDING SYSTEM VALUE VALUES (4, 4, '754', 'template_added', 'published', NULL, '00000000-0000-7000-8000-000000000042', 'investigator', NULL, '2026-11-25 04:04:25.313249+00');

--
-- Data for Name: collection_items; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.collection_items (collection, template_id, "position", note) VALUES ('best', '00000000-0000-7000-8000-000000000041', 1, '');

--
-- Data for Name: collections; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.collections (slug, title, summary, created_at, updated_at) VALUES ('best', 'The best', '', '2026-11-06 00:00:00+00', '2026-11-06 00:00:00+00');

--
-- Data for Name: copyright_notices; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.copyright_notices (id, subject_kind, template_id, version, claimant_id, name, email, address, phone, work, explanation, signature, state, received_at, changed_at, message, has_takedown, sanction_id, counter_by, counter_name, counter_address, counter_phone, counter_explanation, counter_signature, countered_at, restore_from, restore_by, language) VALUES ('00000000-0000-7000-8000-00000000008b', 'template', '00000000-0000-7000-8000-000000000042', NULL, NULL, 'Dora', 'dora@example.org', 'Street 1', '1', 'A map', 'It is mine.', 'Dora', 'received', '2026-11-08 00:00:00+00', '2026-11-08 00:00:00+00', NULL, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);

--
-- Data for Name: decisions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.decisions (id, case_id, moderator_id, proposed_by, decision, reason_code, message, evidence, decided_at, ends_at, overturned_at) VALUES ('00000000-0000-7000-8000-000000000084', '00000000-0000-7000-8000-000000000082', '00000000-0000-7000-8000-000000000003', NULL, 'warn', 'copyright', 'Please mind whose art it is.', '[]', '2026-11-08 00:00:00+00', NULL, NULL);

--
-- Data for Name: download_changes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.download_changes (day, template_id, downloads) VALUES ('2026-11-06', '00000000-0000-7000-8000-000000000041', 1);

--
-- Data for Name: download_days_2026_11; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.download_days_2026_11 (template_id, day, downloads) VALUES ('00000000-0000-7000-8000-000000000041', '2026-11-05', 3);

--
-- Data for Name: download_days_2026_12; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: download_days_2027_01; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: download_days_other; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: download_salts; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: edit_assessments; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.edit_assessments (id, template_id, case_id, rules_version, score, hits, assessed_at) VALUES ('00000000-0000-7000-8000-00000000008c', '00000000-0000-7000-8000-000000000042', '00000000-0000-7000-8000-000000000082', 'r1', 30, '[]', '2026-11-08 00:00:00+00');

--
-- Data for Name: facet_changes; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: facet_counts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.facet_counts (game_system, facet, value, count) VALUES ('dnd5e', 'c', 'cc-by-4.0', 1);
INSERT INTO public.facet_counts (game_system, facet, value, count) VALUES ('', 'c', 'cc-by-4.0', 1);
INSERT INTO public.facet_counts (game_system, facet, value, count) VALUES ('call-of-cthulhu', 'c', 'cc0-1.0', 1);
INSERT INTO public.facet_counts (game_system, facet, value, count) VALUES ('', 'c', 'cc0-1.0', 1);
INSERT INTO public.facet_counts (game_system, facet, value, count) VALUES ('call-of-cthulhu', 'k', 'sheet', 1);
INSERT INTO public.facet_counts (game_system, facet, value, count) VALUES ('dnd5e', 'k', 'sheet', 1);
INSERT INTO public.facet_counts (game_system, facet, value, count) VALUES ('', 'k', 'sheet', 2);
INSERT INTO public.facet_counts (game_system, facet, value, count) VALUES ('call-of-cthulhu', 'l', 'de', 1);
INSERT INTO public.facet_counts (game_system, facet, value, count) VALUES ('', 'l', 'de', 1);
INSERT INTO public.facet_counts (game_system, facet, value, count) VALUES ('dnd5e', 'l', 'en', 1);
INSERT INTO public.facet_counts (game_system, facet, value, count) VALUES ('', 'l', 'en', 1);
INSERT INTO public.facet_counts (game_system, facet, value, count) VALUES ('call-of-cthulhu', 'p', '1', 1);
INSERT INTO public.facet_counts (game_system, facet, value, count) VALUES ('dnd5e', 'p', '1', 1);
INSERT INTO public.facet_counts (game_system, facet, value, count) VALUES ('', 'p', '1', 2);
INSERT INTO public.facet_counts (game_system, facet, value, count) VALUES ('call-of-cthulhu', 'r', '0', 1);
INSERT INTO public.facet_counts (game_system, facet, value, count) VALUES ('', 'r', '0', 1);
INSERT INTO public.facet_counts (game_system, facet, value, count) VALUES ('dnd5e', 'r', '7', 1);
INSERT INTO public.facet_counts (game_system, facet, value, count) VALUES ('', 'r', '7', 1);
INSERT INTO public.facet_counts (game_system, facet, value, count) VALUES ('call-of-cthulhu', 's', 'call-of-cthulhu', 1);
INSERT INTO public.facet_counts (game_system, facet, value, count) VALUES ('', 's', 'call-of-cthulhu', 1);
INSERT INTO public.facet_counts (game_system, facet, value, count) VALUES ('dnd5e', 's', 'dnd5e', 1);
INSERT INTO public.facet_counts (game_system, facet, value, count) VALUES ('', 's', 'dnd5e', 1);
INSERT INTO public.facet_counts (game_system, facet, value, count) VALUES ('dnd5e', 't', 'martial', 1);
INSERT INTO public.facet_counts (game_system, facet, value, count) VALUES ('', 't', 'martial', 1);
INSERT INTO public.facet_counts (game_system, facet, value, count) VALUES ('call-of-cthulhu', 't', 'printable', 1);
INSERT INTO public.facet_counts (game_system, facet, value, count) VALUES ('dnd5e', 't', 'printable', 1);
INSERT INTO public.facet_counts (game_system, facet, value, count) VALUES ('', 't', 'printable', 2);

--
-- Data for Name: former_popular_listings; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: game_systems; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.game_systems (slug, name, publisher, aliases, created_at) VALUES ('dnd5e', 'Dungeons & Dragons 5e', 'Wizards of the Coast', '{D&D,5e}', '2026-11-01 00:00:00+00');
INSERT INTO public.game_systems (slug, name, publisher, aliases, created_at) VALUES ('call-of-cthulhu', 'Call of Cthulhu', 'Chaosium', '{CoC}', '2026-11-01 00:00:00+00');

--
-- Data for Name: idempotency_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.idempotency_keys (key_hash, user_id, request_hash, body_hash, attempt_id, lease_expires_at, committed_at, status, headers, response_body, expires_at) VALUES ('\x23', '00000000-0000-7000-8000-000000000001', '\x24', NULL, '00000000-0000-7000-8000-000000000025', '2026-11-03 00:00:00+00', '2026-11-03 00:00:00+00', NULL, NULL, NULL, '2036-11-03 00:00:00+00');

--
-- Data for Name: identities; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.identities (id, user_id, issuer, subject, email, linked_at, last_used_at) VALUES ('00000000-0000-7000-8000-000000000016', '00000000-0000-7000-8000-000000000002', 'https://id.example.org', '7', NULL, '2026-11-02 00:00:00+00', NULL);

--
-- Data for Name: jobs; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.jobs (id, kind, subject, state, attempts, max_attempts, run_at, lease_token, lease_expires_at, worker, last_error, created_at, finished_at) VALUES ('00000000-0000-7000-8000-000000000021', 'ingest_upload', '00000000-0000-7000-8000-000000000053', 'queued', 0, 5, '2026-11-25 04:04:25.313249+00', NULL, NULL, NULL, NULL, '2026-11-03 00:00:00+00', NULL);
INSERT INTO public.jobs (id, kind, subject, state, attempts, max_attempts, run_at, lease_token, lease_expires_at, worker, last_error, created_at, finished_at) VALUES ('00000000-0000-7000-8000-000000000022', 'ingest_upload', '00000000-0000-7000-8000-000000000051', 'done', 1, 5, '2026-11-25 04:04:25.313249+00', NULL, NULL, NULL, NULL, '2026-11-03 00:00:00+00', NULL);

--
-- Data for Name: known_devices; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.known_devices (user_id, device_hash, first_seen, last_seen) VALUES ('00000000-0000-7000-8000-000000000001', '\x13', '2026-11-02 00:00:00+00', '2026-11-02 00:00:00+00');

--
-- Data for Name: listing_words; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.listing_words (id, words, updated_at, published_at, name_key, magnitude) VALUES ('00000000-0000-7000-8000-000000000041', '''5e'':7B,10B ''=a:ada'' ''=c:cc-by-4.0'' ''=k:sheet'' ''=l:en'' ''=n:5e'' ''=n:ada'' ''=n:d'' ''=n:dnd5e'' ''=n:dragons'' ''=n:dungeons'' ''=n:fighter'' ''=n:martial'' ''=n:printable'' ''=n:s'' ''=p:1'' ''=r:7'' ''=s:dnd5e'' ''=t:martial'' ''=t:printable'' ''=w:dnd5e/5e'' ''=w:dnd5e/d'' ''=w:dnd5e/dnd5e'' ''=w:dnd5e/dragons'' ''=w:dnd5e/dungeons'' ''a'':15C ''abilities'':19C ''ada'':1A,13B,14B ''d'':8B,9B ''dexterity'':21 ''dnd5e'':4B ''dragons'':6B ''dungeons'':5B ''fighter'':3A ''fighters'':18C ''for'':17C ''martial'':11B ''printable'':12B ''s'':2A ''sheet'':16C ''strength'':20', '2026-11-05 00:00:00+00', '2026-11-05 00:00:00+00', 'ada''s fighter', 1);
INSERT INTO public.listing_words (id, words, updated_at, published_at, name_key, magnitude) VALUES ('00000000-0000-7000-8000-000000000042', '''1920er'':15C ''=a:ben'' ''=c:cc0-1.0'' ''=k:sheet'' ''=l:de'' ''=n:ben'' ''=n:call'' ''=n:call-of-cthulhu'' ''=n:coc'' ''=n:cthulhu'' ''=n:ermittlerbogen'' ''=n:of'' ''=n:printable'' ''=p:1'' ''=r:0'' ''=s:call-of-cthulhu'' ''=t:printable'' ''=w:call-of-cthulhu/call'' ''=w:call-of-cthulhu/call-of-cthulhu'' ''=w:call-of-cthulhu/coc'' ''=w:call-of-cthulhu/cthulhu'' ''=w:call-of-cthulhu/of'' ''abilities'':16C ''ben'':11B,12B ''call'':3B,6B ''call-of-cthulhu'':2B ''coc'':9B ''cthulhu'':5B,8B ''dexterity'':18 ''die'':14C ''ermittlerbogen'':1A ''fur'':13C ''of'':4B,7B ''printable'':10B ''strength'':17', '2026-11-06 00:00:00+00', '2026-11-06 00:00:00+00', 'ermittlerbogen', 0);

--
-- Data for Name: listings; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.listings (id, updated_at, published_at, downloads, rating_lower, trending, rating, page_count, game_system, name_key, filters, slug, name, summary, author, rating_count, number, license, language, tags, kind, bloom_low, bloom_high) VALUES ('00000000-0000-7000-8000-000000000041', '2026-11-05 00:00:00+00', '2026-11-05 00:00:00+00', 3, 2.905814413132987, 0, 3.746459568802886, 1, 'dnd5e', 'ada''s fighter', '''=a:ada'' ''=c:cc-by-4.0'' ''=k:sheet'' ''=l:en'' ''=p:1'' ''=r:7'' ''=s:dnd5e'' ''=t:martial'' ''=t:printable''', 'adas-fighter', 'Ada''s fighter', 'A sheet for fighters', 'ada', 1, '1.0.0', 'CC-BY-4.0', 'en', '{martial,printable}', 'sheet', 756627036868575234, -4431506832854269952);
INSERT INTO public.listings (id, updated_at, published_at, downloads, rating_lower, trending, rating, page_count, game_system, name_key, filters, slug, name, summary, author, rating_count, number, license, language, tags, kind, bloom_low, bloom_high) VALUES ('00000000-0000-7000-8000-000000000042', '2026-11-06 00:00:00+00', '2026-11-06 00:00:00+00', 0, 0, 0, 0, 1, 'call-of-cthulhu', 'ermittlerbogen', '''=a:ben'' ''=c:cc0-1.0'' ''=k:sheet'' ''=l:de'' ''=p:1'' ''=r:0'' ''=s:call-of-cthulhu'' ''=t:printable''', 'investigator', 'Ermittlerbogen', 'Für die 1920er', 'ben', 0, '0.9.0', 'CC0-1.0', 'de', '{printable}', 'sheet', 2954379259126349826, 4649966769207771136);

--
-- Data for Name: mail_links; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.mail_links (token_hash, user_id, purpose, email, created_at, expires_at) VALUES ('\x17', '00000000-0000-7000-8000-000000000001', 'verify', 'ada@example.org', '2026-11-02 00:00:00+00', '2036-11-02 00:00:00+00');

--
-- Data for Name: mail_outbox; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.mail_outbox (id, template, user_id, recipient, details, state, attempts, next_attempt_at, created_at, ended_at, last_error) VALUES ('00000000-0000-7000-8000-000000000018', 'verify', '00000000-0000-7000-8000-000000000001', NULL, '{"name": "Ada"}', 'waiting', 0, '2026-11-02 00:00:00+00', '2026-11-02 00:00:00+00', NULL, NULL);

--
-- Data for Name: outbox_totals; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.outbox_totals (outbox, sent, failed, abandoned, dropped) VALUES ('mail', 0, 0, 0, 0);
INSERT INTO public.outbox_totals (outbox, sent, failed, abandoned, dropped) VALUES ('webhooks', 0, 1, 0, 0);

--
-- Data for Name: page_differences; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.page_differences (submission_id, page_index, other_submission_id, other_page_index, width, height, sha256) VALUES ('00000000-0000-7000-8000-000000000053', 0, '00000000-0000-7000-8000-000000000051', 0, 320, 453, '\x2cea274d0bedc39ec4ab6ba9e59ec889e3ed6fb56a1cf088a64d9b383378dc97');

--
-- Data for Name: page_layouts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.page_layouts (submission_id, page_index, layout) VALUES ('00000000-0000-7000-8000-000000000051', 0, '{"words": []}');
INSERT INTO public.page_layouts (submission_id, page_index, layout) VALUES ('00000000-0000-7000-8000-000000000052', 0, '{"words": []}');
INSERT INTO public.page_layouts (submission_id, page_index, layout) VALUES ('00000000-0000-7000-8000-000000000053', 0, '{"words": []}');

--
-- Data for Name: pending_identities; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: popular_listings; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.popular_listings (generation, place, id, downloads, filters, words, facets) VALUES (1795579465, 1, '00000000-0000-7000-8000-000000000041', 3, '''=a:ada'' ''=c:cc-by-4.0'' ''=k:sheet'' ''=l:en'' ''=p:1'' ''=r:7'' ''=s:dnd5e'' ''=t:martial'' ''=t:printable''', '''5e'':7B,10B ''=a:ada'' ''=c:cc-by-4.0'' ''=k:sheet'' ''=l:en'' ''=n:5e'' ''=n:ada'' ''=n:d'' ''=n:dnd5e'' ''=n:dragons'' ''=n:dungeons'' ''=n:fighter'' ''=n:martial'' ''=n:printable'' ''=n:s'' ''=p:1'' ''=r:7'' ''=s:dnd5e'' ''=t:martial'' ''=t:printable'' ''=w:dnd5e/5e'' ''=w:dnd5e/d'' ''=w:dnd5e/dnd5e'' ''=w:dnd5e/dragons'' ''=w:dnd5e/dungeons'' ''a'':15C ''abilities'':19C ''ada'':1A,13B,14B ''d'':8B,9B ''dexterity'':21 ''dnd5e'':4B ''dragons'':6B ''dungeons'':5B ''fighter'':3A ''fighters'':18C ''for'':17C ''martial'':11B ''printable'':12B ''s'':2A ''sheet'':16C ''strength'':20', '{=c:cc-by-4.0,=l:en,=s:dnd5e,=t:martial,=t:printable}');
INSERT INTO public.popular_listings (generation, place, id, downloads, filters, words, facets) VALUES (1795579465, 2, '00000000-0000-7000-8000-000000000042', 0, '''=a:ben'' ''=c:cc0-1.0'' ''=k:sheet'' ''=l:de'' ''=p:1'' ''=r:0'' ''=s:call-of-cthulhu'' ''=t:printable''', '''1920er'':15C ''=a:ben'' ''=c:cc0-1.0'' ''=k:sheet'' ''=l:de'' ''=n:ben'' ''=n:call'' ''=n:call-of-cthulhu'' ''=n:coc'' ''=n:cthulhu'' ''=n:ermittlerbogen'' ''=n:of'' ''=n:printable'' ''=p:1'' ''=r:0'' ''=s:call-of-cthulhu'' ''=t:printable'' ''=w:call-of-cthulhu/call'' ''=w:call-of-cthulhu/call-of-cthulhu'' ''=w:call-of-cthulhu/coc'' ''=w:call-of-cthulhu/cthulhu'' ''=w:call-of-cthulhu/of'' ''abilities'':16C ''ben'':11B,12B ''call'':3B,6B ''call-of-cthulhu'':2B ''coc'':9B ''cthulhu'':5B,8B ''dexterity'':18 ''die'':14C ''ermittlerbogen'':1A ''fur'':13C ''of'':4B,7B ''printable'':10B ''strength'':17', '{=c:cc0-1.0,=l:de,=s:call-of-cthulhu,=t:printable}');

--
-- Data for Name: preset_pages; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.preset_pages (submission_id, page_index, width, height, perceptual_hash, text_hash, regions) VALUES ('00000000-0000-7000-8000-000000000051', 0, 595, 842, B'1000000000000000000000000000000000000000000000000000000000000000', NULL, '[]');

--
-- Data for Name: previews; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.previews (submission_id, page_index, width, height, sha256) VALUES ('00000000-0000-7000-8000-000000000051', 0, 320, 453, '\x2cea274d0bedc39ec4ab6ba9e59ec889e3ed6fb56a1cf088a64d9b383378dc97');
INSERT INTO public.previews (submission_id, page_index, width, height, sha256) VALUES ('00000000-0000-7000-8000-000000000052', 0, 320, 453, '\x2cea274d0bedc39ec4ab6ba9e59ec889e3ed6fb56a1cf088a64d9b383378dc97');
INSERT INTO public.previews (submission_id, page_index, width, height, sha256) VALUES ('00000000-0000-7000-8000-000000000053', 0, 320, 453, '\x2cea274d0bedc39ec4ab6ba9e59ec889e3ed6fb56a1cf088a64d9b383378dc97');

--
-- Data for Name: rate_limits; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.rate_limits (bucket, full_at) VALUES ('user:ada', '2026-11-03 00:00:00+00');

--
-- Data for Name: rating_priors; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.rating_priors (game_system, mean, variance, weight, reviews, as_of) VALUES ('', 3.5712994964103384, 1.4287005035896616, 4.809777828479287, 1, '2026-11-09');
INSERT INTO public.rating_priors (game_system, mean, variance, weight, reviews, as_of) VALUES ('dnd5e', 3.6392099140284317, 1.3607900859715685, 4.628597486982247, 1, '2026-11-09');

--
-- Data for Name: recovery_codes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.recovery_codes (user_id, code_hash, keyed_by, used_at) VALUES ('00000000-0000-7000-8000-000000000003', '\x15', 'second_factor', NULL);

--
-- Data for Name: reports; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.reports (id, reporter_id, subject_kind, subject_id, reason, text, weight, case_id, state, outcome, created_at, closed_at) VALUES ('00000000-0000-7000-8000-000000000083', '00000000-0000-7000-8000-000000000001', 'template', '00000000-0000-7000-8000-000000000042', 'copyright', '', 0.5, '00000000-0000-7000-8000-000000000082', 'closed', 'upheld', '2026-11-07 00:00:00+00', '2026-11-08 00:00:00+00');

--
-- Data for Name: review_replies; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.review_replies (review_id, author_id, text, created_at, updated_at) VALUES ('00000000-0000-7000-8000-000000000072', '00000000-0000-7000-8000-000000000001', 'Thanks.', '2026-11-07 00:00:00+00', '2026-11-07 00:00:00+00');

--
-- Data for Name: review_revisions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.review_revisions (review_id, revision, stars, text, version_id, written_at) VALUES ('00000000-0000-7000-8000-000000000072', 1, 4, 'Good.', '00000000-0000-7000-8000-000000000061', '2026-11-06 00:00:00+00');

--
-- Data for Name: review_votes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.review_votes (review_id, user_id, is_helpful, voted_at) VALUES ('00000000-0000-7000-8000-000000000072', '00000000-0000-7000-8000-000000000003', true, '2026-11-07 00:00:00+00');

--
-- Data for Name: reviews; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.reviews (id, template_id, user_id, version_id, stars, text, revision, helpful, unhelpful, created_at, updated_at, deleted_at, hidden_at, hidden_reason) VALUES ('00000000-0000-7000-8000-000000000072', '00000000-0000-7000-8000-000000000041', '00000000-0000-7000-8000-000000000002', '00000000-0000-7000-8000-000000000061', 5, 'Very good.', 2, 1, 0, '2026-11-06 00:00:00+00', '2026-11-07 00:00:00+00', NULL, NULL, NULL);

--
-- Data for Name: risk_assessments; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.risk_assessments (submission_id, is_shadow, rules_version, score, hits, facts, route, obstacles, assessed_at) VALUES ('00000000-0000-7000-8000-000000000053', false, 'r1', 20, '[]', NULL, 'moderator', '{}', '2026-11-07 00:00:00+00');

--
-- Data for Name: sanctions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.sanctions (id, user_id, kind, scopes, reason_code, message, decision_id, imposed_at, expires_at, lifted_at, lifted_decision) VALUES ('00000000-0000-7000-8000-000000000089', '00000000-0000-7000-8000-000000000002', 'warn', '{}', 'copyright', 'Please mind.', NULL, '2026-11-08 00:00:00+00', NULL, NULL, NULL);

--
-- Data for Name: schema_migrations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.schema_migrations (version, name, checksum, applied_at, milliseconds) VALUES ('20261124000100', '20261124000100_platform', '06b2671bce493f9dadf0a5a19be3355a2e93f8e9c0b6932ad265743d958db3a8', '2026-11-25 04:04:25.055879+00', 17);
INSERT INTO public.schema_migrations (version, name, checksum, applied_at, milliseconds) VALUES ('20261124000200', '20261124000200_accounts', '2178a134283d5a0ead5820bb98caafcdbca90299d156e03092c7a95af6c6e603', '2026-11-25 04:04:25.087692+00', 30);
INSERT INTO public.schema_migrations (version, name, checksum, applied_at, milliseconds) VALUES ('20261124000300', '20261124000300_catalog', '59ada857e2058d0253329eaaefb0c5e33d0d9491c807d626e33534ec463192b3', '2026-11-25 04:04:25.125919+00', 37);
INSERT INTO public.schema_migrations (version, name, checksum, applied_at, milliseconds) VALUES ('20261124000400', '20261124000400_search', '71b140c1a7f339a6be07339c088b7757c21c70b3456d5a45922b7c8bd19fe22d', '2026-11-25 04:04:25.140384+00', 12);
INSERT INTO public.schema_migrations (version, name, checksum, applied_at, milliseconds) VALUES ('20261124000500', '20261124000500_ingest', '741e407a7155b2012d4349c3bb0e5c9d1a95af5efcc398d62f74ab823fc97719', '2026-11-25 04:04:25.158158+00', 16);
INSERT INTO public.schema_migrations (version, name, checksum, applied_at, milliseconds) VALUES ('20261124000600', '20261124000600_moderation', 'ef198e365471211a0756d678c936576f3e13acdae1e2aae018afa8a242c0e714', '2026-11-25 04:04:25.196696+00', 37);
INSERT INTO public.schema_migrations (version, name, checksum, applied_at, milliseconds) VALUES ('20261124000700', '20261124000700_community', '2b767d32f3bdee05c0c64e41b32e24efaf32046292c94f27e747586c1df1d98d', '2026-11-25 04:04:25.215275+00', 17);
INSERT INTO public.schema_migrations (version, name, checksum, applied_at, milliseconds) VALUES ('100', '100_audit', 'ca44735d087eaa629d53c188056dd3b72949e69cdc3f3dfd3bf6226ca0978d5f', '2026-11-25 04:04:25.21669+00', 0);
INSERT INTO public.schema_migrations (version, name, checksum, applied_at, milliseconds) VALUES ('200', '200_search', '9bea758e4e486c272f8926c4633c99068b2acd7364fc53901f68a039ac1e121a', '2026-11-25 04:04:25.233587+00', 16);
INSERT INTO public.schema_migrations (version, name, checksum, applied_at, milliseconds) VALUES ('210', '210_downloads', '56f9465d629603ae34cef17df1e0fa416d900feaf63bb1e44afc5b868313f05c', '2026-11-25 04:04:25.240935+00', 6);
INSERT INTO public.schema_migrations (version, name, checksum, applied_at, milliseconds) VALUES ('220', '220_change_feed', 'ed51076e5f460f3d610cdd5f677eac801912aa644b8e15ed2359ac4774018028', '2026-11-25 04:04:25.242844+00', 1);
INSERT INTO public.schema_migrations (version, name, checksum, applied_at, milliseconds) VALUES ('230', '230_artifacts', 'a8763e2036789d5cd4793db342755e9b28db903fd9594201a971a2b9764938ab', '2026-11-25 04:04:25.243728+00', 0);
INSERT INTO public.schema_migrations (version, name, checksum, applied_at, milliseconds) VALUES ('300', '300_moderation', '99e0d14b51a6c450fcedd434d1d8ba04340786d43fc51bfc34405efcdc593981', '2026-11-25 04:04:25.245586+00', 1);
INSERT INTO public.schema_migrations (version, name, checksum, applied_at, milliseconds) VALUES ('400', '400_ratings', '22179b4d1d64c803931de4516189ac2dace6e3a9e12fe7ec8a8debf79ae5dea1', '2026-11-25 04:04:25.248564+00', 2);
INSERT INTO public.schema_migrations (version, name, checksum, applied_at, milliseconds) VALUES ('410', '410_webhooks', 'f388bf0515bb692dc20da1e63afae89ddca6c25a2f51b9f341ee472ae93e1bbd', '2026-11-25 04:04:25.250251+00', 1);
INSERT INTO public.schema_migrations (version, name, checksum, applied_at, milliseconds) VALUES ('420', '420_privacy', '6f8ad64ab3382efc74bc8a2ecb10c4f71fbafeecf253d18b63480f86876c5b8d', '2026-11-25 04:04:25.252486+00', 1);
INSERT INTO public.schema_migrations (version, name, checksum, applied_at, milliseconds) VALUES ('901', '901_triggers_of_users', '57da52f5e9f4dead4e2e4dc4643b912871dd2064dac63e3082c56ad72507f6c4', '2026-11-25 04:04:25.253976+00', 0);
INSERT INTO public.schema_migrations (version, name, checksum, applied_at, milliseconds) VALUES ('902', '902_triggers_of_game_systems', 'be925104b76cc83df51ffe3fb666286ae95a161346b3b9f0fa3a0445b25b02a3', '2026-11-25 04:04:25.255104+00', 0);
INSERT INTO public.schema_migrations (version, name, checksum, applied_at, milliseconds) VALUES ('903', '903_triggers_of_templates', '75984c96ad1c401bc58ace7aa999ce9b9694b6e2b12042a90047d68119ae5b4e', '2026-11-25 04:04:25.256458+00', 0);
INSERT INTO public.schema_migrations (version, name, checksum, applied_at, milliseconds) VALUES ('904', '904_triggers_of_versions', 'b7cf0f4523484744122d7768f74d47b8343ddaec06a1a31b57896255de29549f', '2026-11-25 04:04:25.25787+00', 0);
INSERT INTO public.schema_migrations (version, name, checksum, applied_at, milliseconds) VALUES ('905', '905_triggers_of_template_authors', 'b3252c7e28abb2916e9782b479380625624ddda0a43e1d9a5dc24207d0796b49', '2026-11-25 04:04:25.258877+00', 0);
INSERT INTO public.schema_migrations (version, name, checksum, applied_at, milliseconds) VALUES ('906', '906_triggers_of_submissions', 'aea948a0da56fea54987e740491606a62d3f91b7a71054d0c42cc4261a19d6dc', '2026-11-25 04:04:25.26001+00', 0);
INSERT INTO public.schema_migrations (version, name, checksum, applied_at, milliseconds) VALUES ('907', '907_triggers_of_submission_pages', '04e1d986566b75e734c4f25c2855e310e73472d96c273d703100c59a80464c16', '2026-11-25 04:04:25.261104+00', 0);
INSERT INTO public.schema_migrations (version, name, checksum, applied_at, milliseconds) VALUES ('908', '908_triggers_of_reports', 'f4b4d9de41251a0d1e544c32c24e90d1680bd4afb505f7a7847d4b1ec485f6ec', '2026-11-25 04:04:25.262117+00', 0);
INSERT INTO public.schema_migrations (version, name, checksum, applied_at, milliseconds) VALUES ('909', '909_triggers_of_reviews', '36bf509020eb29e7cea32bc8ddb62a1a64dc4dd53b791792324c16431cf0c043', '2026-11-25 04:04:25.263607+00', 0);
INSERT INTO public.schema_migrations (version, name, checksum, applied_at, milliseconds) VALUES ('910', '910_triggers_of_changes', '2caba512c25f8bd4ea6368ddf714d99c76b2c74c90fced613b447d89b34e4bf0', '2026-11-25 04:04:25.265045+00', 0);

--
-- Data for Name: search_terms; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.search_terms (term, uses, variants) VALUES ('5e', 1, '{5e}');
INSERT INTO public.search_terms (term, uses, variants) VALUES ('a', 1, '{a}');
INSERT INTO public.search_terms (term, uses, variants) VALUES ('ada', 1, '{ada,ad,da,aa}');
INSERT INTO public.search_terms (term, uses, variants) VALUES ('d', 1, '{d}');
INSERT INTO public.search_terms (term, uses, variants) VALUES ('dnd5e', 1, '{dn5e,nd5e,dd5e,dnd5,dnde,dnd5e}');
INSERT INTO public.search_terms (term, uses, variants) VALUES ('dragons', 1, '{dagons,dragon,dragos,dragns,drgons,ragons,dragons,draons}');
INSERT INTO public.search_terms (term, uses, variants) VALUES ('dungeons', 1, '{dungens,dungeos,dngeons,dungeon,dungeons,dungons,ungeons,duneons,dugeons}');
INSERT INTO public.search_terms (term, uses, variants) VALUES ('fighter', 1, '{figter,fightr,fighte,fghter,ighter,fighter,fihter,figher}');
INSERT INTO public.search_terms (term, uses, variants) VALUES ('fighters', 1, '{fighers,ighters,fghters,fighters,fightrs,fightes,figters,fighter,fihters}');
INSERT INTO public.search_terms (term, uses, variants) VALUES ('for', 1, '{or,fr,for,fo}');
INSERT INTO public.search_terms (term, uses, variants) VALUES ('martial', 1, '{mrtial,martial,artial,martal,marial,martil,matial,martia}');
INSERT INTO public.search_terms (term, uses, variants) VALUES ('s', 1, '{s}');
INSERT INTO public.search_terms (term, uses, variants) VALUES ('sheet', 1, '{sheet,seet,heet,shet,shee}');
INSERT INTO public.search_terms (term, uses, variants) VALUES ('1920er', 1, '{1920er,1920r,1920e,920er,120er,192er,190er}');
INSERT INTO public.search_terms (term, uses, variants) VALUES ('ben', 1, '{en,ben,bn,be}');
INSERT INTO public.search_terms (term, uses, variants) VALUES ('call', 1, '{call,cal,cll,all}');
INSERT INTO public.search_terms (term, uses, variants) VALUES ('call-of-cthulhu', 1, '{call-of-cthulh,cal-of-cthulhu,call-of-cthulhu,callof-cthulhu,call-ofcthulhu,call-of-ctulhu,call-f-cthulhu,call-of-thulhu,all-of-cthulhu,call-of-cthulu,cll-of-cthulhu,call-o-cthulhu,call-of-chulhu,call-of-cthlhu,call-of-cthuhu}');
INSERT INTO public.search_terms (term, uses, variants) VALUES ('coc', 1, '{oc,co,coc,cc}');
INSERT INTO public.search_terms (term, uses, variants) VALUES ('cthulhu', 1, '{chulhu,cthuhu,cthulh,cthulhu,cthlhu,thulhu,cthulu,ctulhu}');
INSERT INTO public.search_terms (term, uses, variants) VALUES ('die', 1, '{ie,die,di,de}');
INSERT INTO public.search_terms (term, uses, variants) VALUES ('ermittlerbogen', 1, '{ermittlerogen,ermittlerbogen,ermitterbogen,rmittlerbogen,ermittlerbogn,ermttlerbogen,ermitlerbogen,ermittlerbgen,erittlerbogen,emittlerbogen,ermittlerboge,ermittlebogen,ermittlrbogen,ermittlerboen}');
INSERT INTO public.search_terms (term, uses, variants) VALUES ('fur', 1, '{fr,fu,fur,ur}');
INSERT INTO public.search_terms (term, uses, variants) VALUES ('of', 1, '{of}');
INSERT INTO public.search_terms (term, uses, variants) VALUES ('abilities', 2, '{bilities,abilties,abiities,ablities,ailities,abiliies,abilitis,abilites,abilities,abilitie}');
INSERT INTO public.search_terms (term, uses, variants) VALUES ('dexterity', 2, '{dexteriy,dexterity,dexterty,deterity,dexterit,dxterity,exterity,dexerity,dexteity,dextrity}');
INSERT INTO public.search_terms (term, uses, variants) VALUES ('printable', 2, '{prntable,printale,printabl,printable,prinable,pritable,pintable,printble,rintable,printabe}');
INSERT INTO public.search_terms (term, uses, variants) VALUES ('strength', 2, '{trength,stength,stregth,strenth,strngth,srength,strengh,strengt,strength}');

--
-- Data for Name: second_factors; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.second_factors (user_id, secret, created_at, confirmed_at, last_step) VALUES ('00000000-0000-7000-8000-000000000003', '\x14', '2026-11-02 00:00:00+00', '2026-11-02 00:00:00+00', 1);

--
-- Data for Name: sessions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.sessions (id, user_id, token_hash, user_agent, network, created_at, expires_at, last_seen_at, confirmed_at) VALUES ('00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000001', '\x11', 'Firefox', '192.0.2', '2026-11-02 00:00:00+00', '2036-11-02 00:00:00+00', '2026-11-02 00:00:00+00', NULL);

--
-- Data for Name: sign_in_failures; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.sign_in_failures (subject, failed_at) VALUES ('user:ben', '2026-11-02 00:00:00+00');

--
-- Data for Name: sign_in_flows; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: sign_in_tickets; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: stale_listings; Type: TABLE DATA; Schema: public; Owner: -
--

--
-- Data for Name: submission_pages; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.submission_pages (submission_id, page_index, width, height, rotation, text_characters, form_fields, regions, page_text, perceptual_hash, text_hash) VALUES ('00000000-0000-7000-8000-000000000051', 0, 595, 842, 0, 100, 12, '[{"x": 0.1, "y": 0.1, "name": "Abilities", "width": 0.2, "height": 0.2}]', 'Strength Dexterity', B'0111011010010010110000111010110100110101010000001011101110000000', B'0011110000000010000010110011101011101110011001101100110110001000');
INSERT INTO public.submission_pages (submission_id, page_index, width, height, rotation, text_characters, form_fields, regions, page_text, perceptual_hash, text_hash) VALUES ('00000000-0000-7000-8000-000000000052', 0, 595, 842, 0, 100, 12, '[{"x": 0.1, "y": 0.1, "name": "Abilities", "width": 0.2, "height": 0.2}]', 'Strength Dexterity', B'0011111111000100110011001111111001110100010110000111000011100010', B'1100000011011001100111110111000111110011000011111111000001100101');
INSERT INTO public.submission_pages (submission_id, page_index, width, height, rotation, text_characters, form_fields, regions, page_text, perceptual_hash, text_hash) VALUES ('00000000-0000-7000-8000-000000000053', 0, 595, 842, 0, 100, 12, '[{"x": 0.1, "y": 0.1, "name": "Abilities", "width": 0.2, "height": 0.2}]', 'Strength Dexterity', B'1000101101011011100111011011000011000001001111011011001001000010', B'0101011011001000001010011010101000110110010010101010100100001100');

--
-- Data for Name: submissions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.submissions (id, template_id, uploader_id, version, kind, metadata, artifact_sha256, file_name, size_bytes, upload_sha256, original_sha256, original_size_bytes, cleaning, state, progress, step, findings, page_count, outline, changes, differences_drawn_at, created_at, updated_at) VALUES ('00000000-0000-7000-8000-000000000051', '00000000-0000-7000-8000-000000000041', '00000000-0000-7000-8000-000000000001', '1.0.0', 'sheet', '{"name": "Ada''s fighter"}', '\x7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed', 'fighter.pdf', 1000, NULL, NULL, NULL, NULL, 'published', 1, 'published', '[]', 1, NULL, NULL, NULL, '2026-11-04 00:00:00+00', '2026-11-05 00:00:00+00');
INSERT INTO public.submissions (id, template_id, uploader_id, version, kind, metadata, artifact_sha256, file_name, size_bytes, upload_sha256, original_sha256, original_size_bytes, cleaning, state, progress, step, findings, page_count, outline, changes, differences_drawn_at, created_at, updated_at) VALUES ('00000000-0000-7000-8000-000000000052', '00000000-0000-7000-8000-000000000042', '00000000-0000-7000-8000-000000000002', '0.9.0', 'sheet', '{"name": "Ermittlerbogen"}', '\x3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3', 'bogen.pdf', 2000, NULL, NULL, NULL, NULL, 'published', 1, 'published', '[]', 1, NULL, NULL, NULL, '2026-11-04 00:00:00+00', '2026-11-06 00:00:00+00');
INSERT INTO public.submissions (id, template_id, uploader_id, version, kind, metadata, artifact_sha256, file_name, size_bytes, upload_sha256, original_sha256, original_size_bytes, cleaning, state, progress, step, findings, page_count, outline, changes, differences_drawn_at, created_at, updated_at) VALUES ('00000000-0000-7000-8000-000000000053', '00000000-0000-7000-8000-000000000041', '00000000-0000-7000-8000-000000000001', '1.1.0', 'sheet', '{"name": "Ada''s fighter", "changelog": "Feats"}', '\x8b5b9db0c13db24256c829aa364aa90c6d2eba318b9232a4ab9313b954d3555f', 'fighter.pdf', 3000, NULL, NULL, NULL, NULL, 'awaiting_review', 1, 'awaiting review', '[{"code": "links", "severity": "info"}]', 1, NULL, NULL, NULL, '2026-11-07 00:00:00+00', '2026-11-07 00:00:00+00');

--
-- Data for Name: system_words; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.system_words (word) VALUES ('5e');
INSERT INTO public.system_words (word) VALUES ('call-of-cthulhu');
INSERT INTO public.system_words (word) VALUES ('dungeons');
INSERT INTO public.system_words (word) VALUES ('dragons');
INSERT INTO public.system_words (word) VALUES ('d');
INSERT INTO public.system_words (word) VALUES ('cthulhu');
INSERT INTO public.system_words (word) VALUES ('of');
INSERT INTO public.system_words (word) VALUES ('coc');
INSERT INTO public.system_words (word) VALUES ('call');
INSERT INTO public.system_words (word) VALUES ('dnd5e');

--
-- Data for Name: takedown_items; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.takedown_items (takedown_id, item_kind, item_id) VALUES ('00000000-0000-7000-8000-00000000008a', 'review', '00000000-0000-7000-8000-000000000072');

--
-- Data for Name: takedowns; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.takedowns (id, subject_kind, subject_id, decision_id, reason_code, message, taken_down_at, restored_at, restored_by) VALUES ('00000000-0000-7000-8000-00000000008a', 'review', '00000000-0000-7000-8000-000000000072', NULL, 'spam', 'Spam.', '2026-11-08 00:00:00+00', '2026-11-09 00:00:00+00', NULL);

--
-- Data for Name: template_authors; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.template_authors (template_id, user_id, role, added_at) VALUES ('00000000-0000-7000-8000-000000000041', '00000000-0000-7000-8000-000000000003', 'contributor', '2026-11-05 00:00:00+00');

--
-- Data for Name: template_invitations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.template_invitations (id, template_id, inviter_id, invitee_id, role, state, created_at, expires_at, ended_at) VALUES ('00000000-0000-7000-8000-000000000063', '00000000-0000-7000-8000-000000000041', '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002', 'maintainer', 'open', '2026-11-05 00:00:00+00', '2036-11-05 00:00:00+00', NULL);

--
-- Data for Name: template_ratings; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.template_ratings (template_id, stars, count, weight, rating, lower_bound, prior_scope, prior_mean, prior_variance, prior_weight, prior_as_of, as_of) VALUES ('00000000-0000-7000-8000-000000000041', '{0,0,0,0,1}', 1, 0.9830539273771995, 3.746459568802886, 2.905814413132987, '', 3.5, 1.5, 5, '1970-01-01', '2026-11-25');

--
-- Data for Name: template_slugs; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.template_slugs (slug, template_id, taken_at) VALUES ('adas-fighter', '00000000-0000-7000-8000-000000000041', '2026-11-25 04:04:25.313249+00');
INSERT INTO public.template_slugs (slug, template_id, taken_at) VALUES ('investigator', '00000000-0000-7000-8000-000000000042', '2026-11-25 04:04:25.313249+00');

--
-- Data for Name: templates; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.templates (id, slug, owner_id, game_system, kind, name, summary, description, tags, license, language, latest_version_id, newest_version_id, page_count, rating, rating_lower, rating_count, downloads, trending, created_at, updated_at, published_at, deprecated_at, deprecation_message, successor_id, taken_down_at, takedown_code, takedown_message) VALUES ('00000000-0000-7000-8000-000000000042', 'investigator', '00000000-0000-7000-8000-000000000002', 'call-of-cthulhu', 'sheet', 'Ermittlerbogen', 'Für die 1920er', '', '{printable}', 'CC0-1.0', 'de', '00000000-0000-7000-8000-000000000062', '00000000-0000-7000-8000-000000000062', 1, 0, 0, 0, 0, 0, '2026-11-04 00:00:00+00', '2026-11-06 00:00:00+00', '2026-11-06 00:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.templates (id, slug, owner_id, game_system, kind, name, summary, description, tags, license, language, latest_version_id, newest_version_id, page_count, rating, rating_lower, rating_count, downloads, trending, created_at, updated_at, published_at, deprecated_at, deprecation_message, successor_id, taken_down_at, takedown_code, takedown_message) VALUES ('00000000-0000-7000-8000-000000000041', 'adas-fighter', '00000000-0000-7000-8000-000000000001', 'dnd5e', 'sheet', 'Ada''s fighter', 'A sheet for fighters', 'With room for feats.', '{martial,printable}', 'CC-BY-4.0', 'en', '00000000-0000-7000-8000-000000000061', '00000000-0000-7000-8000-000000000061', 1, 3.746459568802886, 2.905814413132987, 1, 3, 0, '2026-11-04 00:00:00+00', '2026-11-05 00:00:00+00', '2026-11-05 00:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL);

--
-- Data for Name: user_downloads; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.user_downloads (user_id, template_id, version_id, downloaded_at) VALUES ('00000000-0000-7000-8000-000000000002', '00000000-0000-7000-8000-000000000041', '00000000-0000-7000-8000-000000000061', '2026-11-06 00:00:00+00');

--
-- Data for Name: users; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.users (id, handle, display_name, email, email_verified_at, language, password_hash, role, created_at, disabled_at, erase_at, erase_templates, erased_at) VALUES ('00000000-0000-7000-8000-000000000001', 'ada', 'Ada', 'ada@example.org', '2026-11-01 00:00:00+00', NULL, 'scrypt$', 'user', '2026-11-01 00:00:00+00', NULL, NULL, NULL, NULL);
INSERT INTO public.users (id, handle, display_name, email, email_verified_at, language, password_hash, role, created_at, disabled_at, erase_at, erase_templates, erased_at) VALUES ('00000000-0000-7000-8000-000000000002', 'ben', 'Ben', NULL, NULL, NULL, 'scrypt$', 'user', '2026-11-01 00:00:00+00', NULL, NULL, NULL, NULL);
INSERT INTO public.users (id, handle, display_name, email, email_verified_at, language, password_hash, role, created_at, disabled_at, erase_at, erase_templates, erased_at) VALUES ('00000000-0000-7000-8000-000000000003', 'cleo', 'Cleo', 'cleo@example.org', '2026-11-01 00:00:00+00', NULL, NULL, 'moderator', '2026-11-01 00:00:00+00', NULL, NULL, NULL, NULL);

--
-- Data for Name: versions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.versions (id, template_id, submission_id, number, channel, artifact_sha256, file_name, size_bytes, page_count, changelog, minimum_client_version, published_at, state, state_reason, withdrawn_by, taken_down_at, takedown_code, former_state, former_reason) VALUES ('00000000-0000-7000-8000-000000000061', '00000000-0000-7000-8000-000000000041', '00000000-0000-7000-8000-000000000051', '1.0.0', 'stable', '\x7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed', 'fighter.pdf', 1000, 1, 'First', NULL, '2026-11-05 00:00:00+00', 'published', NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.versions (id, template_id, submission_id, number, channel, artifact_sha256, file_name, size_bytes, page_count, changelog, minimum_client_version, published_at, state, state_reason, withdrawn_by, taken_down_at, takedown_code, former_state, former_reason) VALUES ('00000000-0000-7000-8000-000000000062', '00000000-0000-7000-8000-000000000042', '00000000-0000-7000-8000-000000000052', '0.9.0', 'stable', '\x3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3', 'bogen.pdf', 2000, 1, '', NULL, '2026-11-06 00:00:00+00', 'published', NULL, NULL, NULL, NULL, NULL, NULL);

--
-- Data for Name: webhook_attempts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.webhook_attempts (delivery_id, number, at, duration_ms, status, error, response_body) VALUES ('01a210e0-4eab-7bd8-8ccc-4068bebf1d35', 1, '2026-11-07 00:00:00+00', 20, 500, NULL, NULL);

--
-- Data for Name: webhook_deliveries; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.webhook_deliveries (id, webhook_id, event, body, state, attempts, tries, next_attempt_at, lease_token, created_at, ended_at) VALUES ('01a210e0-4eab-7bd8-8ccc-4068bebf1d35', '00000000-0000-7000-8000-000000000071', 'review.created', '{"type" : "review.created", "timestamp" : "2026-11-25T04:04:25.313Z", "data" : {"slug": "adas-fighter", "text": "Good.", "stars": 4, "author": "ben", "reviewId": "00000000-0000-7000-8000-000000000072", "templateId": "00000000-0000-7000-8000-000000000041"}}', 'pending', 0, 0, '2026-11-25 04:04:25.313249+00', NULL, '2026-11-25 04:04:25.313249+00', NULL);

--
-- Data for Name: webhooks; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.webhooks (id, user_id, url, events, covers, description, secret, created_at, disabled_at, disabled_reason, failing_since, lease_expires_at) VALUES ('00000000-0000-7000-8000-000000000071', '00000000-0000-7000-8000-000000000001', 'https://example.org/hook', '{review.created,submission.decided}', 'own', '', '\x71', '2026-11-06 00:00:00+00', NULL, NULL, NULL, NULL);

--
-- Name: changes_sequence_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.changes_sequence_seq', 4, true);

--
-- Name: api_token_templates api_token_templates_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_token_templates
    ADD CONSTRAINT api_token_templates_pkey PRIMARY KEY (token_id, template_id);

--
-- Name: api_tokens api_tokens_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_tokens
    ADD CONSTRAINT api_tokens_pkey PRIMARY KEY (id);

--
-- Name: api_tokens api_tokens_token_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_tokens
    ADD CONSTRAINT api_tokens_token_hash_key UNIQUE (token_hash);

--
-- Name: appeals appeals_case_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.appeals
    ADD CONSTRAINT appeals_case_key UNIQUE (case_id);

--
-- Name: appeals appeals_decision_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.appeals
    ADD CONSTRAINT appeals_decision_key UNIQUE (decision_id);

--
-- Name: appeals appeals_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.appeals
    ADD CONSTRAINT appeals_pkey PRIMARY KEY (id);

--
-- Name: artifacts artifacts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.artifacts
    ADD CONSTRAINT artifacts_pkey PRIMARY KEY (sha256);

--
-- Name: audit_checkpoints audit_checkpoints_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.audit_checkpoints
    ADD CONSTRAINT audit_checkpoints_pkey PRIMARY KEY (sequence);

--
-- Name: audit_entries audit_entries_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.audit_entries
    ADD CONSTRAINT audit_entries_pkey PRIMARY KEY (sequence);

--
-- Name: blocked_artifact_changes blocked_artifact_changes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.blocked_artifact_changes
    ADD CONSTRAINT blocked_artifact_changes_pkey PRIMARY KEY (only_row);

--
-- Name: blocked_artifacts blocked_artifacts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.blocked_artifacts
    ADD CONSTRAINT blocked_artifacts_pkey PRIMARY KEY (sha256);

--
-- Name: case_messages case_messages_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.case_messages
    ADD CONSTRAINT case_messages_pkey PRIMARY KEY (id);

--
-- Name: case_notes case_notes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.case_notes
    ADD CONSTRAINT case_notes_pkey PRIMARY KEY (id);

--
-- Name: case_proposals case_proposals_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.case_proposals
    ADD CONSTRAINT case_proposals_pkey PRIMARY KEY (case_id);

--
-- Name: cases cases_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.cases
    ADD CONSTRAINT cases_pkey PRIMARY KEY (id);

--
-- Name: cases cases_submission_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.cases
    ADD CONSTRAINT cases_submission_key UNIQUE (submission_id);

--
-- Name: catalog_dumps catalog_dumps_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalog_dumps
    ADD CONSTRAINT catalog_dumps_pkey PRIMARY KEY (day);

--
-- Name: change_feed change_feed_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.change_feed
    ADD CONSTRAINT change_feed_pkey PRIMARY KEY (only_row);

--
-- Name: changes changes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.changes
    ADD CONSTRAINT changes_pkey PRIMARY KEY (sequence);

--
-- Name: changes changes_position_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.changes
    ADD CONSTRAINT changes_position_key UNIQUE ("position");

--
-- Name: collection_items collection_items_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.collection_items
    ADD CONSTRAINT collection_items_pkey PRIMARY KEY (collection, template_id);

--
-- Name: collections collections_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.collections
    ADD CONSTRAINT collections_pkey PRIMARY KEY (slug);

--
-- Name: copyright_notices copyright_notices_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.copyright_notices
    ADD CONSTRAINT copyright_notices_pkey PRIMARY KEY (id);

--
-- Name: decisions decisions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.decisions
    ADD CONSTRAINT decisions_pkey PRIMARY KEY (id);

--
-- Name: download_clients download_clients_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.download_clients
    ADD CONSTRAINT download_clients_pkey PRIMARY KEY (day, template_id, client);

--
-- Name: download_days download_days_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.download_days
    ADD CONSTRAINT download_days_pkey PRIMARY KEY (day, template_id);

--
-- Name: download_days_2026_11 download_days_2026_11_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.download_days_2026_11
    ADD CONSTRAINT download_days_2026_11_pkey PRIMARY KEY (day, template_id);

--
-- Name: download_days_2026_12 download_days_2026_12_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.download_days_2026_12
    ADD CONSTRAINT download_days_2026_12_pkey PRIMARY KEY (day, template_id);

--
-- Name: download_days_2027_01 download_days_2027_01_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.download_days_2027_01
    ADD CONSTRAINT download_days_2027_01_pkey PRIMARY KEY (day, template_id);

--
-- Name: download_days_other download_days_other_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.download_days_other
    ADD CONSTRAINT download_days_other_pkey PRIMARY KEY (day, template_id);

--
-- Name: download_salts download_salts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.download_salts
    ADD CONSTRAINT download_salts_pkey PRIMARY KEY (day);

--
-- Name: edit_assessments edit_assessments_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.edit_assessments
    ADD CONSTRAINT edit_assessments_pkey PRIMARY KEY (id);

--
-- Name: facet_counts facet_counts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.facet_counts
    ADD CONSTRAINT facet_counts_pkey PRIMARY KEY (game_system, facet, value);

--
-- Name: former_popular_listings former_popular_listings_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.former_popular_listings
    ADD CONSTRAINT former_popular_listings_pkey PRIMARY KEY (id);

--
-- Name: game_systems game_systems_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.game_systems
    ADD CONSTRAINT game_systems_pkey PRIMARY KEY (slug);

--
-- Name: idempotency_keys idempotency_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (key_hash);

--
-- Name: identities identities_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_pkey PRIMARY KEY (id);

--
-- Name: identities identities_subject_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_subject_key UNIQUE (issuer, subject);

--
-- Name: jobs jobs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (id);

--
-- Name: known_devices known_devices_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.known_devices
    ADD CONSTRAINT known_devices_pkey PRIMARY KEY (user_id, device_hash);

--
-- Name: listing_words listing_words_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.listing_words
    ADD CONSTRAINT listing_words_pkey PRIMARY KEY (id);

--
-- Name: listings listings_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.listings
    ADD CONSTRAINT listings_pkey PRIMARY KEY (id);

--
-- Name: mail_links mail_links_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.mail_links
    ADD CONSTRAINT mail_links_pkey PRIMARY KEY (token_hash);

--
-- Name: mail_outbox mail_outbox_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.mail_outbox
    ADD CONSTRAINT mail_outbox_pkey PRIMARY KEY (id);

--
-- Name: outbox_totals outbox_totals_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.outbox_totals
    ADD CONSTRAINT outbox_totals_pkey PRIMARY KEY (outbox);

--
-- Name: page_differences page_differences_pages_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.page_differences
    ADD CONSTRAINT page_differences_pages_key UNIQUE NULLS NOT DISTINCT (submission_id, other_submission_id, page_index, other_page_index);

--
-- Name: page_layouts page_layouts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.page_layouts
    ADD CONSTRAINT page_layouts_pkey PRIMARY KEY (submission_id, page_index);

--
-- Name: pending_identities pending_identities_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.pending_identities
    ADD CONSTRAINT pending_identities_pkey PRIMARY KEY (ticket_hash);

--
-- Name: popular_listings popular_listings_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.popular_listings
    ADD CONSTRAINT popular_listings_pkey PRIMARY KEY (id);

--
-- Name: preset_pages preset_pages_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.preset_pages
    ADD CONSTRAINT preset_pages_pkey PRIMARY KEY (submission_id, page_index);

--
-- Name: previews previews_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.previews
    ADD CONSTRAINT previews_pkey PRIMARY KEY (submission_id, page_index, width);

--
-- Name: rate_limits rate_limits_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rate_limits
    ADD CONSTRAINT rate_limits_pkey PRIMARY KEY (bucket);

--
-- Name: rating_priors rating_priors_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rating_priors
    ADD CONSTRAINT rating_priors_pkey PRIMARY KEY (game_system);

--
-- Name: recovery_codes recovery_codes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.recovery_codes
    ADD CONSTRAINT recovery_codes_pkey PRIMARY KEY (user_id, code_hash);

--
-- Name: reports reports_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.reports
    ADD CONSTRAINT reports_pkey PRIMARY KEY (id);

--
-- Name: review_replies review_replies_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.review_replies
    ADD CONSTRAINT review_replies_pkey PRIMARY KEY (review_id);

--
-- Name: review_revisions review_revisions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.review_revisions
    ADD CONSTRAINT review_revisions_pkey PRIMARY KEY (review_id, revision);

--
-- Name: review_votes review_votes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.review_votes
    ADD CONSTRAINT review_votes_pkey PRIMARY KEY (review_id, user_id);

--
-- Name: reviews reviews_author_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.reviews
    ADD CONSTRAINT reviews_author_key UNIQUE (template_id, user_id);

--
-- Name: reviews reviews_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.reviews
    ADD CONSTRAINT reviews_pkey PRIMARY KEY (id);

--
-- Name: risk_assessments risk_assessments_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.risk_assessments
    ADD CONSTRAINT risk_assessments_pkey PRIMARY KEY (submission_id, is_shadow);

--
-- Name: sanctions sanctions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sanctions
    ADD CONSTRAINT sanctions_pkey PRIMARY KEY (id);

--
-- Name: schema_migrations schema_migrations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (name, checksum);

--
-- Name: search_terms search_terms_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.search_terms
    ADD CONSTRAINT search_terms_pkey PRIMARY KEY (term);

--
-- Name: second_factors second_factors_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.second_factors
    ADD CONSTRAINT second_factors_pkey PRIMARY KEY (user_id);

--
-- Name: sessions sessions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);

--
-- Name: sessions sessions_token_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_token_hash_key UNIQUE (token_hash);

--
-- Name: sign_in_flows sign_in_flows_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sign_in_flows
    ADD CONSTRAINT sign_in_flows_pkey PRIMARY KEY (state_hash);

--
-- Name: sign_in_tickets sign_in_tickets_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sign_in_tickets
    ADD CONSTRAINT sign_in_tickets_pkey PRIMARY KEY (token_hash);

--
-- Name: submission_pages submission_pages_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.submission_pages
    ADD CONSTRAINT submission_pages_pkey PRIMARY KEY (submission_id, page_index);

--
-- Name: submissions submissions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.submissions
    ADD CONSTRAINT submissions_pkey PRIMARY KEY (id);

--
-- Name: system_words system_words_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.system_words
    ADD CONSTRAINT system_words_pkey PRIMARY KEY (word);

--
-- Name: takedown_items takedown_items_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.takedown_items
    ADD CONSTRAINT takedown_items_pkey PRIMARY KEY (takedown_id, item_kind, item_id);

--
-- Name: takedowns takedowns_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.takedowns
    ADD CONSTRAINT takedowns_pkey PRIMARY KEY (id);

--
-- Name: template_authors template_authors_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.template_authors
    ADD CONSTRAINT template_authors_pkey PRIMARY KEY (template_id, user_id);

--
-- Name: template_invitations template_invitations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.template_invitations
    ADD CONSTRAINT template_invitations_pkey PRIMARY KEY (id);

--
-- Name: template_ratings template_ratings_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.template_ratings
    ADD CONSTRAINT template_ratings_pkey PRIMARY KEY (template_id);

--
-- Name: template_slugs template_slugs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.template_slugs
    ADD CONSTRAINT template_slugs_pkey PRIMARY KEY (slug);

--
-- Name: templates templates_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.templates
    ADD CONSTRAINT templates_pkey PRIMARY KEY (id);

--
-- Name: templates templates_slug_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.templates
    ADD CONSTRAINT templates_slug_key UNIQUE (slug);

--
-- Name: user_downloads user_downloads_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.user_downloads
    ADD CONSTRAINT user_downloads_pkey PRIMARY KEY (user_id, template_id, version_id);

--
-- Name: users users_handle_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_handle_key UNIQUE (handle);

--
-- Name: users users_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);

--
-- Name: versions versions_number_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.versions
    ADD CONSTRAINT versions_number_key UNIQUE (template_id, number);

--
-- Name: versions versions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.versions
    ADD CONSTRAINT versions_pkey PRIMARY KEY (id);

--
-- Name: versions versions_submission_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.versions
    ADD CONSTRAINT versions_submission_key UNIQUE (submission_id);

--
-- Name: webhook_attempts webhook_attempts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_attempts
    ADD CONSTRAINT webhook_attempts_pkey PRIMARY KEY (delivery_id, number);

--
-- Name: webhook_deliveries webhook_deliveries_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id);

--
-- Name: webhooks webhooks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (id);

--
-- Name: api_tokens_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX api_tokens_user ON public.api_tokens USING btree (user_id, created_at);

--
-- Name: appeals_appellant; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX appeals_appellant ON public.appeals USING btree (appellant_id, id);

--
-- Name: audit_entries_actor; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_entries_actor ON public.audit_entries USING btree (actor_id, sequence) WHERE (actor_id IS NOT NULL);

--
-- Name: audit_entries_declined; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_entries_declined ON public.audit_entries USING btree (at) WHERE (action = 'case.proposal_declined'::text);

--
-- Name: audit_entries_request; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_entries_request ON public.audit_entries USING btree (request_id) WHERE (request_id IS NOT NULL);

--
-- Name: audit_entries_subject; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_entries_subject ON public.audit_entries USING btree (subject, sequence);

--
-- Name: case_messages_case; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX case_messages_case ON public.case_messages USING btree (case_id, id);

--
-- Name: case_notes_case; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX case_notes_case ON public.case_notes USING btree (case_id, id);

--
-- Name: cases_done; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX cases_done ON public.cases USING btree (queue_at, id) WHERE (state = ANY (ARRAY['decided'::text, 'appealed'::text, 'closed'::text]));

--
-- Name: cases_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX cases_due ON public.cases USING btree (due_at) WHERE (state = ANY (ARRAY['open'::text, 'claimed'::text]));

--
-- Name: cases_history; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX cases_history ON public.cases USING btree (track, decided_at DESC) WHERE (decided_at IS NOT NULL);

--
-- Name: cases_holder; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX cases_holder ON public.cases USING btree (claimed_by, id) WHERE (state = ANY (ARRAY['claimed'::text, 'waiting'::text]));

--
-- Name: cases_open_subject_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX cases_open_subject_key ON public.cases USING btree (subject_kind, subject_id) WHERE ((kind = 'report'::text) AND (state = ANY (ARRAY['open'::text, 'claimed'::text, 'waiting'::text])));

--
-- Name: cases_respondent; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX cases_respondent ON public.cases USING btree (respondent_id, opened_at);

--
-- Name: cases_settled; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX cases_settled ON public.cases USING btree (decided_at) WHERE (state = 'decided'::text);

--
-- Name: cases_template; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX cases_template ON public.cases USING btree (template_id, opened_at);

--
-- Name: cases_todo; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX cases_todo ON public.cases USING btree (queue_at, id) WHERE (state = ANY (ARRAY['open'::text, 'claimed'::text, 'waiting'::text]));

--
-- Name: changes_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX changes_at ON public.changes USING btree (at);

--
-- Name: changes_new; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX changes_new ON public.changes USING btree (template_id, sequence) WHERE ("position" IS NULL);

--
-- Name: collection_items_by_position; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX collection_items_by_position ON public.collection_items USING btree (collection, "position");

--
-- Name: collection_items_of_template; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX collection_items_of_template ON public.collection_items USING btree (template_id);

--
-- Name: copyright_notices_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX copyright_notices_by_time ON public.copyright_notices USING btree (received_at DESC, id DESC);

--
-- Name: copyright_notices_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX copyright_notices_due ON public.copyright_notices USING btree (restore_from) WHERE (state = 'countered'::text);

--
-- Name: copyright_notices_email; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX copyright_notices_email ON public.copyright_notices USING btree (lower(email), received_at);

--
-- Name: copyright_notices_template; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX copyright_notices_template ON public.copyright_notices USING btree (template_id);

--
-- Name: decisions_case; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX decisions_case ON public.decisions USING btree (case_id, decided_at);

--
-- Name: download_days_of_template; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX download_days_of_template ON ONLY public.download_days USING btree (template_id, day DESC);

--
-- Name: download_days_2026_11_template_id_day_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX download_days_2026_11_template_id_day_idx ON public.download_days_2026_11 USING btree (template_id, day DESC);

--
-- Name: download_days_2026_12_template_id_day_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX download_days_2026_12_template_id_day_idx ON public.download_days_2026_12 USING btree (template_id, day DESC);

--
-- Name: download_days_2027_01_template_id_day_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX download_days_2027_01_template_id_day_idx ON public.download_days_2027_01 USING btree (template_id, day DESC);

--
-- Name: download_days_other_template_id_day_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX download_days_other_template_id_day_idx ON public.download_days_other USING btree (template_id, day DESC);

--
-- Name: edit_assessments_case; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX edit_assessments_case ON public.edit_assessments USING btree (case_id, assessed_at);

--
-- Name: facet_counts_empty; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX facet_counts_empty ON public.facet_counts USING btree (count) WHERE (count <= 0);

--
-- Name: facet_counts_top; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX facet_counts_top ON public.facet_counts USING btree (game_system, facet, count DESC);

--
-- Name: former_popular_listings_by_place; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX former_popular_listings_by_place ON public.former_popular_listings USING btree (place);

ALTER TABLE public.former_popular_listings CLUSTER ON former_popular_listings_by_place;

--
-- Name: former_popular_listings_by_word; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX former_popular_listings_by_word ON public.former_popular_listings USING gin (words) WITH (fastupdate=off);

--
-- Name: idempotency_keys_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idempotency_keys_expiry ON public.idempotency_keys USING brin (expires_at);

--
-- Name: identities_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX identities_user ON public.identities USING btree (user_id);

--
-- Name: jobs_leases; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX jobs_leases ON public.jobs USING btree (lease_expires_at) WHERE (state = 'running'::text);

--
-- Name: jobs_ready; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX jobs_ready ON public.jobs USING btree (run_at, id) WHERE (state = 'queued'::text);

--
-- Name: jobs_subject; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX jobs_subject ON public.jobs USING btree (subject);

--
-- Name: known_devices_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX known_devices_age ON public.known_devices USING btree (last_seen);

--
-- Name: listing_words_by_published; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX listing_words_by_published ON public.listing_words USING btree (published_at);

--
-- Name: listing_words_by_updated; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX listing_words_by_updated ON public.listing_words USING btree (updated_at);

--
-- Name: listing_words_by_word; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX listing_words_by_word ON public.listing_words USING gin (words) WITH (fastupdate=off);

--
-- Name: listings_by_downloads; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX listings_by_downloads ON public.listings USING btree (downloads DESC, id DESC) INCLUDE (bloom_low, bloom_high, rating, page_count);

--
-- Name: listings_by_filters; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX listings_by_filters ON public.listings USING gin (filters) WITH (fastupdate=off);

--
-- Name: listings_by_name; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX listings_by_name ON public.listings USING btree (name_key, id) INCLUDE (bloom_low, bloom_high, rating, page_count);

--
-- Name: listings_by_newest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX listings_by_newest ON public.listings USING btree (published_at DESC, id DESC) INCLUDE (bloom_low, bloom_high, rating, page_count);

--
-- Name: listings_by_rating; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX listings_by_rating ON public.listings USING btree (rating_lower DESC, id DESC) INCLUDE (bloom_low, bloom_high, rating, page_count);

--
-- Name: listings_by_same_name; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX listings_by_same_name ON public.listings USING btree (hashtext(name_key), downloads DESC, id DESC);

--
-- Name: listings_by_trending; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX listings_by_trending ON public.listings USING btree (trending DESC, id DESC) INCLUDE (bloom_low, bloom_high, rating, page_count);

--
-- Name: listings_by_updated; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX listings_by_updated ON public.listings USING btree (updated_at DESC, id DESC) INCLUDE (bloom_low, bloom_high, rating, page_count);

--
-- Name: listings_of_author_by_updated; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX listings_of_author_by_updated ON public.listings USING btree (lower(author), updated_at DESC, id DESC);

--
-- Name: listings_of_system_by_downloads; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX listings_of_system_by_downloads ON public.listings USING btree (game_system, downloads DESC, id DESC) INCLUDE (bloom_low, bloom_high, rating, page_count);

--
-- Name: listings_of_system_by_name; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX listings_of_system_by_name ON public.listings USING btree (game_system, name_key, id) INCLUDE (bloom_low, bloom_high, rating, page_count);

--
-- Name: listings_of_system_by_newest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX listings_of_system_by_newest ON public.listings USING btree (game_system, published_at DESC, id DESC) INCLUDE (bloom_low, bloom_high, rating, page_count);

--
-- Name: listings_of_system_by_rating; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX listings_of_system_by_rating ON public.listings USING btree (game_system, rating_lower DESC, id DESC) INCLUDE (bloom_low, bloom_high, rating, page_count);

--
-- Name: listings_of_system_by_trending; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX listings_of_system_by_trending ON public.listings USING btree (game_system, trending DESC, id DESC) INCLUDE (bloom_low, bloom_high, rating, page_count);

--
-- Name: listings_of_system_by_updated; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX listings_of_system_by_updated ON public.listings USING btree (game_system, updated_at DESC, id DESC) INCLUDE (bloom_low, bloom_high, rating, page_count);

--
-- Name: mail_links_address; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX mail_links_address ON public.mail_links USING btree (lower(email));

--
-- Name: mail_links_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX mail_links_expiry ON public.mail_links USING btree (expires_at);

--
-- Name: mail_links_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX mail_links_user ON public.mail_links USING btree (user_id, purpose);

--
-- Name: mail_outbox_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX mail_outbox_due ON public.mail_outbox USING btree (next_attempt_at) WHERE (state = 'waiting'::text);

--
-- Name: mail_outbox_ended; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX mail_outbox_ended ON public.mail_outbox USING btree (ended_at) WHERE (state <> 'waiting'::text);

--
-- Name: mail_outbox_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX mail_outbox_user ON public.mail_outbox USING btree (user_id);

--
-- Name: page_differences_artifact; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX page_differences_artifact ON public.page_differences USING btree (sha256);

--
-- Name: page_differences_other; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX page_differences_other ON public.page_differences USING btree (other_submission_id);

--
-- Name: pending_identities_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX pending_identities_expiry ON public.pending_identities USING btree (expires_at);

--
-- Name: popular_listings_by_place; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX popular_listings_by_place ON public.popular_listings USING btree (place);

ALTER TABLE public.popular_listings CLUSTER ON popular_listings_by_place;

--
-- Name: popular_listings_by_word; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX popular_listings_by_word ON public.popular_listings USING gin (words) WITH (fastupdate=off);

--
-- Name: preset_pages_perceptual_hash; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX preset_pages_perceptual_hash ON public.preset_pages USING gin (public.perceptual_hash_bands(perceptual_hash)) WITH (fastupdate=off);

--
-- Name: reports_case; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX reports_case ON public.reports USING btree (case_id);

--
-- Name: reports_open_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX reports_open_key ON public.reports USING btree (reporter_id, subject_kind, subject_id) WHERE (state = 'open'::text);

--
-- Name: reports_reporter; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX reports_reporter ON public.reports USING btree (reporter_id, created_at DESC, id DESC);

--
-- Name: reports_subject; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX reports_subject ON public.reports USING btree (subject_kind, subject_id, created_at) WHERE (state = 'open'::text);

--
-- Name: review_replies_author; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX review_replies_author ON public.review_replies USING btree (author_id);

--
-- Name: review_votes_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX review_votes_user ON public.review_votes USING btree (user_id);

--
-- Name: reviews_deleted; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX reviews_deleted ON public.reviews USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);

--
-- Name: reviews_helpful; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX reviews_helpful ON public.reviews USING btree (template_id, helpfulness DESC, id DESC) WHERE ((deleted_at IS NULL) AND (hidden_at IS NULL));

--
-- Name: reviews_newest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX reviews_newest ON public.reviews USING btree (template_id, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (hidden_at IS NULL));

--
-- Name: reviews_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX reviews_user ON public.reviews USING btree (user_id, template_id);

--
-- Name: risk_assessments_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX risk_assessments_time ON public.risk_assessments USING btree (assessed_at, submission_id);

--
-- Name: sanctions_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX sanctions_user ON public.sanctions USING btree (user_id, imposed_at DESC);

--
-- Name: search_terms_by_variant; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX search_terms_by_variant ON public.search_terms USING gin (variants);

--
-- Name: sessions_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX sessions_expiry ON public.sessions USING btree (expires_at);

--
-- Name: sessions_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX sessions_user ON public.sessions USING btree (user_id);

--
-- Name: sign_in_failures_subject; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX sign_in_failures_subject ON public.sign_in_failures USING btree (subject, failed_at);

--
-- Name: sign_in_flows_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX sign_in_flows_expiry ON public.sign_in_flows USING btree (expires_at);

--
-- Name: sign_in_tickets_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX sign_in_tickets_expiry ON public.sign_in_tickets USING btree (expires_at);

--
-- Name: sign_in_tickets_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX sign_in_tickets_user ON public.sign_in_tickets USING btree (user_id);

--
-- Name: submission_pages_perceptual_hash; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX submission_pages_perceptual_hash ON public.submission_pages USING gin (public.perceptual_hash_bands(perceptual_hash)) WITH (fastupdate=off) WHERE (perceptual_hash IS NOT NULL);

--
-- Name: submission_pages_words; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX submission_pages_words ON public.submission_pages USING gin (public.perceptual_hash_bands(text_hash)) WITH (fastupdate=off) WHERE (text_hash IS NOT NULL);

--
-- Name: submissions_artifact; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX submissions_artifact ON public.submissions USING btree (artifact_sha256);

--
-- Name: submissions_original; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX submissions_original ON public.submissions USING btree (original_sha256) WHERE (original_sha256 IS NOT NULL);

--
-- Name: submissions_uploader; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX submissions_uploader ON public.submissions USING btree (uploader_id, id);

--
-- Name: submissions_version_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX submissions_version_key ON public.submissions USING btree (template_id, version) WHERE (state = ANY (ARRAY['received'::text, 'inspecting'::text, 'awaiting_review'::text, 'published'::text]));

--
-- Name: takedown_items_item; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX takedown_items_item ON public.takedown_items USING btree (item_kind, item_id);

--
-- Name: takedowns_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX takedowns_by_time ON public.takedowns USING btree (taken_down_at);

--
-- Name: takedowns_open_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX takedowns_open_key ON public.takedowns USING btree (subject_kind, subject_id) WHERE (restored_at IS NULL);

--
-- Name: template_authors_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX template_authors_user ON public.template_authors USING btree (user_id);

--
-- Name: template_invitations_invitee_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX template_invitations_invitee_key ON public.template_invitations USING btree (template_id, invitee_id) WHERE (state = 'open'::text);

--
-- Name: template_invitations_open; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX template_invitations_open ON public.template_invitations USING btree (invitee_id, id) WHERE (state = 'open'::text);

--
-- Name: template_invitations_transfer_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX template_invitations_transfer_key ON public.template_invitations USING btree (template_id) WHERE ((state = 'open'::text) AND (role = 'owner'::text));

--
-- Name: template_slugs_template; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX template_slugs_template ON public.template_slugs USING btree (template_id);

--
-- Name: templates_by_owner; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX templates_by_owner ON public.templates USING btree (owner_id, id);

--
-- Name: templates_successor_of; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX templates_successor_of ON public.templates USING btree (successor_id) WHERE (successor_id IS NOT NULL);

--
-- Name: users_by_handle; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX users_by_handle ON public.users USING btree (handle COLLATE "C");

--
-- Name: users_by_name; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX users_by_name ON public.users USING btree (public.market_text(lower(display_name)) COLLATE "C");

--
-- Name: users_email; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX users_email ON public.users USING btree (lower(email));

--
-- Name: users_proved_email_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX users_proved_email_key ON public.users USING btree (lower(email)) WHERE (email_verified_at IS NOT NULL);

--
-- Name: users_to_erase; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX users_to_erase ON public.users USING btree (erase_at) WHERE (erase_at IS NOT NULL);

--
-- Name: versions_artifact; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX versions_artifact ON public.versions USING btree (artifact_sha256);

--
-- Name: versions_by_precedence; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX versions_by_precedence ON public.versions USING btree (template_id, public.version_precedence(number) COLLATE "C" DESC, number COLLATE "C" DESC) WHERE (state <> 'taken_down'::text);

--
-- Name: webhook_deliveries_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhook_deliveries_due ON public.webhook_deliveries USING btree (webhook_id, next_attempt_at) WHERE (state = 'pending'::text);

--
-- Name: webhook_deliveries_ended; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhook_deliveries_ended ON public.webhook_deliveries USING btree (ended_at) WHERE (ended_at IS NOT NULL);

--
-- Name: webhook_deliveries_list; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhook_deliveries_list ON public.webhook_deliveries USING btree (webhook_id, created_at DESC, id DESC);

--
-- Name: webhooks_all; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhooks_all ON public.webhooks USING btree (id) WHERE (covers = 'all'::text);

--
-- Name: webhooks_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhooks_user ON public.webhooks USING btree (user_id, id);

--
-- Name: download_days_2026_11_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.download_days_pkey ATTACH PARTITION public.download_days_2026_11_pkey;

--
-- Name: download_days_2026_11_template_id_day_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.download_days_of_template ATTACH PARTITION public.download_days_2026_11_template_id_day_idx;

--
-- Name: download_days_2026_12_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.download_days_pkey ATTACH PARTITION public.download_days_2026_12_pkey;

--
-- Name: download_days_2026_12_template_id_day_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.download_days_of_template ATTACH PARTITION public.download_days_2026_12_template_id_day_idx;

--
-- Name: download_days_2027_01_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.download_days_pkey ATTACH PARTITION public.download_days_2027_01_pkey;

--
-- Name: download_days_2027_01_template_id_day_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.download_days_of_template ATTACH PARTITION public.download_days_2027_01_template_id_day_idx;

--
-- Name: download_days_other_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.download_days_pkey ATTACH PARTITION public.download_days_other_pkey;

--
-- Name: download_days_other_template_id_day_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.download_days_of_template ATTACH PARTITION public.download_days_other_template_id_day_idx;

--
-- Name: api_tokens api_tokens_credentials; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER api_tokens_credentials AFTER DELETE OR UPDATE ON public.api_tokens FOR EACH ROW EXECUTE FUNCTION public.credentials_changed();

--
-- Name: artifacts artifacts_immutable; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER artifacts_immutable BEFORE UPDATE OF sha256, size_bytes ON public.artifacts FOR EACH ROW WHEN (((new.sha256 <> old.sha256) OR (new.size_bytes <> old.size_bytes))) EXECUTE FUNCTION public.artifacts_are_content_addressed();

--
-- Name: audit_checkpoints audit_checkpoints_append_only; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_checkpoints_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_checkpoints FOR EACH STATEMENT EXECUTE FUNCTION public.audit_checkpoints_are_immutable();

--
-- Name: audit_entries audit_entries_append_only; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_entries_append_only BEFORE DELETE OR TRUNCATE ON public.audit_entries FOR EACH STATEMENT EXECUTE FUNCTION public.audit_entries_are_immutable();

--
-- Name: audit_entries audit_entries_erasure; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_entries_erasure BEFORE UPDATE ON public.audit_entries FOR EACH ROW EXECUTE FUNCTION public.audit_entries_allow_erasure_only();

--
-- Name: cases cases_queue_time; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER cases_queue_time BEFORE INSERT OR UPDATE OF due_at, risk, report_weight, reach ON public.cases FOR EACH ROW EXECUTE FUNCTION public.cases_set_queue_time();

--
-- Name: changes changes_webhooks; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER changes_webhooks AFTER INSERT ON public.changes FOR EACH ROW WHEN (((new.kind = 'template_removed'::text) AND (new.reason = 'taken_down'::text))) EXECUTE FUNCTION public.changes_enqueue_deliveries();

--
-- Name: collections collections_notify; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER collections_notify AFTER INSERT OR DELETE OR UPDATE ON public.collections FOR EACH STATEMENT EXECUTE FUNCTION public.notify_game_systems();

--
-- Name: game_systems game_systems_listing; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER game_systems_listing AFTER UPDATE OF name, aliases ON public.game_systems FOR EACH ROW WHEN (((old.name IS DISTINCT FROM new.name) OR (old.aliases IS DISTINCT FROM new.aliases))) EXECUTE FUNCTION public.names_changed();

--
-- Name: game_systems game_systems_notify; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER game_systems_notify AFTER INSERT OR DELETE OR UPDATE ON public.game_systems FOR EACH STATEMENT EXECUTE FUNCTION public.notify_game_systems();

--
-- Name: jobs jobs_notify; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER jobs_notify AFTER INSERT OR UPDATE OF state ON public.jobs FOR EACH ROW WHEN ((new.state = 'queued'::text)) EXECUTE FUNCTION public.notify_jobs();

--
-- Name: listing_words listing_words_came_or_went; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER listing_words_came_or_went AFTER INSERT OR DELETE ON public.listing_words FOR EACH ROW EXECUTE FUNCTION public.words_changed();

--
-- Name: listing_words listing_words_changed; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER listing_words_changed AFTER UPDATE OF words ON public.listing_words FOR EACH ROW WHEN ((old.words <> new.words)) EXECUTE FUNCTION public.words_changed();

--
-- Name: listings listings_came_or_went; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER listings_came_or_went AFTER INSERT OR DELETE ON public.listings FOR EACH ROW EXECUTE FUNCTION public.facets_changed();

--
-- Name: listings listings_changed; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER listings_changed AFTER UPDATE OF filters ON public.listings FOR EACH ROW WHEN ((old.filters <> new.filters)) EXECUTE FUNCTION public.facets_changed();

--
-- Name: mail_outbox mail_outbox_ended; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER mail_outbox_ended AFTER UPDATE OF state ON public.mail_outbox FOR EACH ROW WHEN (((old.state = 'waiting'::text) AND (new.state <> 'waiting'::text))) EXECUTE FUNCTION public.count_mail();

--
-- Name: mail_outbox mail_outbox_failed; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER mail_outbox_failed AFTER UPDATE OF last_error ON public.mail_outbox FOR EACH ROW WHEN ((new.state = 'waiting'::text)) EXECUTE FUNCTION public.count_mail();

--
-- Name: submission_pages regions_notify; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER regions_notify AFTER UPDATE OF regions ON public.submission_pages FOR EACH ROW EXECUTE FUNCTION public.notify_regions();

--
-- Name: reports reports_webhooks; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER reports_webhooks AFTER INSERT ON public.reports FOR EACH ROW EXECUTE FUNCTION public.reports_enqueue_deliveries();

--
-- Name: review_votes review_votes_counted; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER review_votes_counted AFTER INSERT OR DELETE OR UPDATE ON public.review_votes FOR EACH ROW EXECUTE FUNCTION public.review_votes_count();

--
-- Name: reviews reviews_history; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER reviews_history BEFORE UPDATE OF stars, text, version_id, deleted_at ON public.reviews FOR EACH ROW WHEN (((((old.stars IS DISTINCT FROM new.stars) OR (old.text IS DISTINCT FROM new.text)) OR (old.version_id IS DISTINCT FROM new.version_id)) OR (old.deleted_at IS DISTINCT FROM new.deleted_at))) EXECUTE FUNCTION public.reviews_keep_history();

--
-- Name: reviews reviews_rated; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER reviews_rated AFTER INSERT OR DELETE OR UPDATE OF stars, updated_at, deleted_at, hidden_at ON public.reviews FOR EACH ROW EXECUTE FUNCTION public.reviews_changed();

--
-- Name: reviews reviews_webhooks_again; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER reviews_webhooks_again AFTER UPDATE OF deleted_at ON public.reviews FOR EACH ROW WHEN (((old.deleted_at IS NOT NULL) AND (new.deleted_at IS NULL) AND (new.hidden_at IS NULL))) EXECUTE FUNCTION public.reviews_enqueue_deliveries();

--
-- Name: reviews reviews_webhooks_new; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER reviews_webhooks_new AFTER INSERT ON public.reviews FOR EACH ROW WHEN (((new.deleted_at IS NULL) AND (new.hidden_at IS NULL))) EXECUTE FUNCTION public.reviews_enqueue_deliveries();

--
-- Name: risk_assessments risk_assessments_trust; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER risk_assessments_trust BEFORE INSERT OR UPDATE ON public.risk_assessments FOR EACH ROW WHEN ((new.route <> 'moderator'::text)) EXECUTE FUNCTION public.risk_assessments_refuse_warnings();

--
-- Name: second_factors second_factors_credentials; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER second_factors_credentials AFTER DELETE OR UPDATE OF confirmed_at ON public.second_factors FOR EACH ROW EXECUTE FUNCTION public.credentials_changed();

--
-- Name: sessions sessions_credentials; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER sessions_credentials AFTER DELETE OR UPDATE ON public.sessions FOR EACH ROW EXECUTE FUNCTION public.credentials_changed();

--
-- Name: submission_pages submission_pages_change; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER submission_pages_change AFTER UPDATE OF regions ON public.submission_pages FOR EACH ROW WHEN ((new.regions IS DISTINCT FROM old.regions)) EXECUTE FUNCTION public.regions_record_change();

--
-- Name: submission_pages submission_pages_listing; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER submission_pages_listing AFTER UPDATE OF regions ON public.submission_pages FOR EACH ROW EXECUTE FUNCTION public.regions_changed();

--
-- Name: submissions submissions_approval; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER submissions_approval BEFORE UPDATE OF state ON public.submissions FOR EACH ROW WHEN (((new.state = 'published'::text) AND (old.state <> 'published'::text))) EXECUTE FUNCTION public.submissions_need_approval();

--
-- Name: submissions submissions_notify; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER submissions_notify AFTER INSERT OR UPDATE OF state, progress, step ON public.submissions FOR EACH ROW EXECUTE FUNCTION public.notify_submissions();

--
-- Name: submissions submissions_webhooks; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER submissions_webhooks AFTER UPDATE OF state ON public.submissions FOR EACH ROW WHEN (((new.state <> old.state) AND (new.state = ANY (ARRAY['published'::text, 'rejected'::text, 'changes_requested'::text])))) EXECUTE FUNCTION public.submissions_enqueue_deliveries();

--
-- Name: template_authors template_authors_notify; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER template_authors_notify AFTER INSERT OR DELETE OR UPDATE ON public.template_authors FOR EACH ROW EXECUTE FUNCTION public.notify_authors();

--
-- Name: template_authors template_authors_reviews; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER template_authors_reviews AFTER INSERT OR DELETE ON public.template_authors FOR EACH ROW EXECUTE FUNCTION public.reviewed_authors_changed();

--
-- Name: templates templates_change; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER templates_change AFTER DELETE OR UPDATE OF latest_version_id, newest_version_id, slug, owner_id, game_system, name, summary, description, tags, license, language, kind, deprecated_at, deprecation_message, successor_id ON public.templates FOR EACH ROW EXECUTE FUNCTION public.templates_record_change();

--
-- Name: templates templates_gone; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER templates_gone AFTER DELETE ON public.templates FOR EACH ROW EXECUTE FUNCTION public.template_deleted();

--
-- Name: templates templates_listing; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER templates_listing AFTER INSERT OR UPDATE OF slug, name, summary, game_system, owner_id, tags, license, language, kind, page_count, rating, rating_count, rating_lower, downloads, trending, latest_version_id, updated_at, published_at ON public.templates FOR EACH ROW EXECUTE FUNCTION public.template_changed();

--
-- Name: templates templates_notify; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER templates_notify AFTER UPDATE OF latest_version_id, name, summary, description, tags, license, language, slug ON public.templates FOR EACH ROW EXECUTE FUNCTION public.notify_catalog();

--
-- Name: templates templates_reviews; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER templates_reviews AFTER UPDATE OF owner_id, game_system ON public.templates FOR EACH ROW WHEN (((old.owner_id <> new.owner_id) OR (old.game_system <> new.game_system))) EXECUTE FUNCTION public.reviewed_templates_changed();

--
-- Name: templates templates_slug; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER templates_slug AFTER INSERT OR UPDATE OF slug ON public.templates FOR EACH ROW EXECUTE FUNCTION public.templates_take_slug();

--
-- Name: templates templates_state_notify; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER templates_state_notify AFTER UPDATE OF newest_version_id, owner_id, deprecated_at, deprecation_message, successor_id ON public.templates FOR EACH ROW EXECUTE FUNCTION public.notify_catalog();

--
-- Name: templates templates_successor; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER templates_successor BEFORE INSERT OR UPDATE OF successor_id ON public.templates FOR EACH ROW EXECUTE FUNCTION public.templates_check_successor();

--
-- Name: templates templates_takedown_notify; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER templates_takedown_notify AFTER UPDATE OF taken_down_at ON public.templates FOR EACH ROW EXECUTE FUNCTION public.notify_catalog();

--
-- Name: users users_change; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER users_change AFTER UPDATE OF handle ON public.users FOR EACH ROW WHEN ((new.handle <> old.handle)) EXECUTE FUNCTION public.owners_record_change();

--
-- Name: users users_credentials; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER users_credentials AFTER DELETE OR UPDATE ON public.users FOR EACH ROW EXECUTE FUNCTION public.credentials_changed();

--
-- Name: users users_listing; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER users_listing AFTER UPDATE OF handle, display_name ON public.users FOR EACH ROW WHEN (((old.handle IS DISTINCT FROM new.handle) OR (old.display_name IS DISTINCT FROM new.display_name))) EXECUTE FUNCTION public.names_changed();

--
-- Name: users users_reviews; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER users_reviews AFTER UPDATE OF disabled_at ON public.users FOR EACH ROW WHEN (((old.disabled_at IS NULL) <> (new.disabled_at IS NULL))) EXECUTE FUNCTION public.reviewers_changed();

--
-- Name: users users_risk_names; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER users_risk_names AFTER UPDATE OF handle ON public.users FOR EACH ROW WHEN ((old.handle <> new.handle)) EXECUTE FUNCTION public.users_leave_risk_assessments();

--
-- Name: users users_webhooks; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER users_webhooks AFTER UPDATE OF handle ON public.users FOR EACH ROW WHEN ((new.handle <> old.handle)) EXECUTE FUNCTION public.users_rename_in_deliveries();

--
-- Name: versions versions_blocked; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER versions_blocked AFTER UPDATE OF state ON public.versions FOR EACH ROW WHEN (((old.state = 'taken_down'::text) <> (new.state = 'taken_down'::text))) EXECUTE FUNCTION public.versions_block_artifacts();

--
-- Name: versions versions_change; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER versions_change AFTER INSERT OR UPDATE OF state, state_reason, withdrawn_by, channel ON public.versions FOR EACH ROW EXECUTE FUNCTION public.versions_record_change();

--
-- Name: versions versions_channel; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER versions_channel BEFORE INSERT OR UPDATE OF channel ON public.versions FOR EACH ROW EXECUTE FUNCTION public.versions_choose_channel();

--
-- Name: versions versions_channel_notify; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER versions_channel_notify AFTER UPDATE OF channel, withdrawn_by ON public.versions FOR EACH ROW EXECUTE FUNCTION public.notify_catalog();

--
-- Name: versions versions_down; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER versions_down BEFORE UPDATE OF state ON public.versions FOR EACH ROW WHEN (((old.state = 'taken_down'::text) AND (new.state <> 'taken_down'::text))) EXECUTE FUNCTION public.versions_stay_taken_down();

--
-- Name: versions versions_immutable; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER versions_immutable BEFORE DELETE OR UPDATE ON public.versions FOR EACH ROW EXECUTE FUNCTION public.versions_are_immutable();

--
-- Name: versions versions_notify; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER versions_notify AFTER INSERT OR UPDATE OF state, state_reason ON public.versions FOR EACH ROW EXECUTE FUNCTION public.notify_catalog();

--
-- Name: versions versions_standing; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER versions_standing BEFORE INSERT ON public.versions FOR EACH ROW EXECUTE FUNCTION public.versions_reject_taken_down_templates();

--
-- Name: versions versions_unblocked; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER versions_unblocked AFTER INSERT ON public.versions FOR EACH ROW WHEN ((new.state <> 'taken_down'::text)) EXECUTE FUNCTION public.versions_unblock_artifacts();

--
-- Name: versions versions_webhooks; Type: TRIGGER; Schema: public; Owner: -
--

CREATE CONSTRAINT TRIGGER versions_webhooks AFTER INSERT ON public.versions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.versions_enqueue_deliveries();

--
-- Name: webhook_attempts webhook_attempts_counted; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER webhook_attempts_counted AFTER INSERT ON public.webhook_attempts FOR EACH ROW EXECUTE FUNCTION public.count_webhook_attempt();

--
-- Name: webhook_deliveries webhook_deliveries_abandoned; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER webhook_deliveries_abandoned AFTER UPDATE OF state ON public.webhook_deliveries FOR EACH ROW WHEN (((old.state = 'pending'::text) AND (new.state = 'failed'::text))) EXECUTE FUNCTION public.count_webhook_end();

--
-- Name: webhook_deliveries webhook_deliveries_notify; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER webhook_deliveries_notify AFTER INSERT ON public.webhook_deliveries FOR EACH STATEMENT EXECUTE FUNCTION public.notify_webhooks();

--
-- Name: api_token_templates api_token_templates_template_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_token_templates
    ADD CONSTRAINT api_token_templates_template_fkey FOREIGN KEY (template_id) REFERENCES public.templates(id) ON DELETE CASCADE;

--
-- Name: api_token_templates api_token_templates_token_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_token_templates
    ADD CONSTRAINT api_token_templates_token_fkey FOREIGN KEY (token_id) REFERENCES public.api_tokens(id) ON DELETE CASCADE;

--
-- Name: api_tokens api_tokens_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_tokens
    ADD CONSTRAINT api_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

--
-- Name: appeals appeals_appealed_case_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.appeals
    ADD CONSTRAINT appeals_appealed_case_fkey FOREIGN KEY (appealed_case) REFERENCES public.cases(id);

--
-- Name: appeals appeals_appellant_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.appeals
    ADD CONSTRAINT appeals_appellant_fkey FOREIGN KEY (appellant_id) REFERENCES public.users(id);

--
-- Name: appeals appeals_case_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.appeals
    ADD CONSTRAINT appeals_case_fkey FOREIGN KEY (case_id) REFERENCES public.cases(id);

--
-- Name: appeals appeals_decision_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.appeals
    ADD CONSTRAINT appeals_decision_fkey FOREIGN KEY (decision_id) REFERENCES public.decisions(id);

--
-- Name: case_messages case_messages_author_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.case_messages
    ADD CONSTRAINT case_messages_author_fkey FOREIGN KEY (author_id) REFERENCES public.users(id);

--
-- Name: case_messages case_messages_case_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.case_messages
    ADD CONSTRAINT case_messages_case_fkey FOREIGN KEY (case_id) REFERENCES public.cases(id) ON DELETE CASCADE;

--
-- Name: case_notes case_notes_author_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.case_notes
    ADD CONSTRAINT case_notes_author_fkey FOREIGN KEY (author_id) REFERENCES public.users(id);

--
-- Name: case_notes case_notes_case_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.case_notes
    ADD CONSTRAINT case_notes_case_fkey FOREIGN KEY (case_id) REFERENCES public.cases(id) ON DELETE CASCADE;

--
-- Name: case_proposals case_proposals_case_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.case_proposals
    ADD CONSTRAINT case_proposals_case_fkey FOREIGN KEY (case_id) REFERENCES public.cases(id) ON DELETE CASCADE;

--
-- Name: case_proposals case_proposals_moderator_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.case_proposals
    ADD CONSTRAINT case_proposals_moderator_fkey FOREIGN KEY (moderator_id) REFERENCES public.users(id);

--
-- Name: cases cases_appeal_of_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.cases
    ADD CONSTRAINT cases_appeal_of_fkey FOREIGN KEY (appeal_of) REFERENCES public.cases(id);

--
-- Name: cases cases_claimed_by_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.cases
    ADD CONSTRAINT cases_claimed_by_fkey FOREIGN KEY (claimed_by) REFERENCES public.users(id);

--
-- Name: cases cases_previous_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.cases
    ADD CONSTRAINT cases_previous_fkey FOREIGN KEY (previous_id) REFERENCES public.cases(id);

--
-- Name: cases cases_respondent_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.cases
    ADD CONSTRAINT cases_respondent_fkey FOREIGN KEY (respondent_id) REFERENCES public.users(id);

--
-- Name: cases cases_submission_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.cases
    ADD CONSTRAINT cases_submission_id_fkey FOREIGN KEY (submission_id) REFERENCES public.submissions(id);

--
-- Name: cases cases_template_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.cases
    ADD CONSTRAINT cases_template_fkey FOREIGN KEY (template_id) REFERENCES public.templates(id);

--
-- Name: catalog_dumps catalog_dumps_artifact_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalog_dumps
    ADD CONSTRAINT catalog_dumps_artifact_fkey FOREIGN KEY (sha256) REFERENCES public.artifacts(sha256);

--
-- Name: collection_items collection_items_collection_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.collection_items
    ADD CONSTRAINT collection_items_collection_fkey FOREIGN KEY (collection) REFERENCES public.collections(slug) ON UPDATE CASCADE ON DELETE CASCADE;

--
-- Name: collection_items collection_items_template_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.collection_items
    ADD CONSTRAINT collection_items_template_fkey FOREIGN KEY (template_id) REFERENCES public.templates(id) ON DELETE CASCADE;

--
-- Name: copyright_notices copyright_notices_claimant_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.copyright_notices
    ADD CONSTRAINT copyright_notices_claimant_fkey FOREIGN KEY (claimant_id) REFERENCES public.users(id) ON DELETE SET NULL;

--
-- Name: copyright_notices copyright_notices_counter_by_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.copyright_notices
    ADD CONSTRAINT copyright_notices_counter_by_fkey FOREIGN KEY (counter_by) REFERENCES public.users(id) ON DELETE SET NULL;

--
-- Name: copyright_notices copyright_notices_template_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.copyright_notices
    ADD CONSTRAINT copyright_notices_template_fkey FOREIGN KEY (template_id) REFERENCES public.templates(id);

--
-- Name: decisions decisions_case_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.decisions
    ADD CONSTRAINT decisions_case_id_fkey FOREIGN KEY (case_id) REFERENCES public.cases(id);

--
-- Name: decisions decisions_moderator_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.decisions
    ADD CONSTRAINT decisions_moderator_id_fkey FOREIGN KEY (moderator_id) REFERENCES public.users(id);

--
-- Name: decisions decisions_proposed_by_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.decisions
    ADD CONSTRAINT decisions_proposed_by_fkey FOREIGN KEY (proposed_by) REFERENCES public.users(id);

--
-- Name: edit_assessments edit_assessments_case_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.edit_assessments
    ADD CONSTRAINT edit_assessments_case_fkey FOREIGN KEY (case_id) REFERENCES public.cases(id) ON DELETE CASCADE;

--
-- Name: edit_assessments edit_assessments_template_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.edit_assessments
    ADD CONSTRAINT edit_assessments_template_fkey FOREIGN KEY (template_id) REFERENCES public.templates(id) ON DELETE CASCADE;

--
-- Name: identities identities_user_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_user_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

--
-- Name: known_devices known_devices_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.known_devices
    ADD CONSTRAINT known_devices_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

--
-- Name: mail_links mail_links_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.mail_links
    ADD CONSTRAINT mail_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

--
-- Name: mail_outbox mail_outbox_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.mail_outbox
    ADD CONSTRAINT mail_outbox_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

--
-- Name: page_differences page_differences_artifact_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.page_differences
    ADD CONSTRAINT page_differences_artifact_fkey FOREIGN KEY (sha256) REFERENCES public.artifacts(sha256);

--
-- Name: page_differences page_differences_other_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.page_differences
    ADD CONSTRAINT page_differences_other_fkey FOREIGN KEY (other_submission_id) REFERENCES public.submissions(id) ON DELETE CASCADE;

--
-- Name: page_differences page_differences_submission_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.page_differences
    ADD CONSTRAINT page_differences_submission_fkey FOREIGN KEY (submission_id) REFERENCES public.submissions(id) ON DELETE CASCADE;

--
-- Name: page_layouts page_layouts_page_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.page_layouts
    ADD CONSTRAINT page_layouts_page_fkey FOREIGN KEY (submission_id, page_index) REFERENCES public.submission_pages(submission_id, page_index) ON DELETE CASCADE;

--
-- Name: pending_identities pending_identities_user_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.pending_identities
    ADD CONSTRAINT pending_identities_user_fkey FOREIGN KEY (link_to) REFERENCES public.users(id) ON DELETE CASCADE;

--
-- Name: preset_pages preset_pages_submission_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.preset_pages
    ADD CONSTRAINT preset_pages_submission_id_fkey FOREIGN KEY (submission_id) REFERENCES public.submissions(id) ON DELETE CASCADE;

--
-- Name: previews previews_sha256_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.previews
    ADD CONSTRAINT previews_sha256_fkey FOREIGN KEY (sha256) REFERENCES public.artifacts(sha256);

--
-- Name: previews previews_submission_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.previews
    ADD CONSTRAINT previews_submission_id_fkey FOREIGN KEY (submission_id) REFERENCES public.submissions(id) ON DELETE CASCADE;

--
-- Name: recovery_codes recovery_codes_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.recovery_codes
    ADD CONSTRAINT recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

--
-- Name: reports reports_case_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.reports
    ADD CONSTRAINT reports_case_fkey FOREIGN KEY (case_id) REFERENCES public.cases(id);

--
-- Name: reports reports_reporter_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.reports
    ADD CONSTRAINT reports_reporter_fkey FOREIGN KEY (reporter_id) REFERENCES public.users(id) ON DELETE CASCADE;

--
-- Name: review_replies review_replies_author_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.review_replies
    ADD CONSTRAINT review_replies_author_fkey FOREIGN KEY (author_id) REFERENCES public.users(id) ON DELETE CASCADE;

--
-- Name: review_replies review_replies_review_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.review_replies
    ADD CONSTRAINT review_replies_review_fkey FOREIGN KEY (review_id) REFERENCES public.reviews(id) ON DELETE CASCADE;

--
-- Name: review_revisions review_revisions_review_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.review_revisions
    ADD CONSTRAINT review_revisions_review_fkey FOREIGN KEY (review_id) REFERENCES public.reviews(id) ON DELETE CASCADE;

--
-- Name: review_revisions review_revisions_version_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.review_revisions
    ADD CONSTRAINT review_revisions_version_fkey FOREIGN KEY (version_id) REFERENCES public.versions(id);

--
-- Name: review_votes review_votes_review_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.review_votes
    ADD CONSTRAINT review_votes_review_fkey FOREIGN KEY (review_id) REFERENCES public.reviews(id) ON DELETE CASCADE;

--
-- Name: review_votes review_votes_user_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.review_votes
    ADD CONSTRAINT review_votes_user_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

--
-- Name: reviews reviews_template_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.reviews
    ADD CONSTRAINT reviews_template_fkey FOREIGN KEY (template_id) REFERENCES public.templates(id) ON DELETE CASCADE;

--
-- Name: reviews reviews_user_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.reviews
    ADD CONSTRAINT reviews_user_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

--
-- Name: reviews reviews_version_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.reviews
    ADD CONSTRAINT reviews_version_fkey FOREIGN KEY (version_id) REFERENCES public.versions(id);

--
-- Name: risk_assessments risk_assessments_submission_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.risk_assessments
    ADD CONSTRAINT risk_assessments_submission_fkey FOREIGN KEY (submission_id) REFERENCES public.submissions(id) ON DELETE CASCADE;

--
-- Name: sanctions sanctions_user_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sanctions
    ADD CONSTRAINT sanctions_user_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

--
-- Name: second_factors second_factors_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.second_factors
    ADD CONSTRAINT second_factors_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

--
-- Name: sessions sessions_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

--
-- Name: sign_in_flows sign_in_flows_user_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sign_in_flows
    ADD CONSTRAINT sign_in_flows_user_fkey FOREIGN KEY (link_to) REFERENCES public.users(id) ON DELETE CASCADE;

--
-- Name: sign_in_tickets sign_in_tickets_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sign_in_tickets
    ADD CONSTRAINT sign_in_tickets_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

--
-- Name: submission_pages submission_pages_submission_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.submission_pages
    ADD CONSTRAINT submission_pages_submission_id_fkey FOREIGN KEY (submission_id) REFERENCES public.submissions(id) ON DELETE CASCADE;

--
-- Name: submissions submissions_artifact_sha256_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.submissions
    ADD CONSTRAINT submissions_artifact_sha256_fkey FOREIGN KEY (artifact_sha256) REFERENCES public.artifacts(sha256);

--
-- Name: submissions submissions_original_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.submissions
    ADD CONSTRAINT submissions_original_fkey FOREIGN KEY (original_sha256) REFERENCES public.artifacts(sha256);

--
-- Name: submissions submissions_template_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.submissions
    ADD CONSTRAINT submissions_template_id_fkey FOREIGN KEY (template_id) REFERENCES public.templates(id);

--
-- Name: submissions submissions_uploader_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.submissions
    ADD CONSTRAINT submissions_uploader_id_fkey FOREIGN KEY (uploader_id) REFERENCES public.users(id);

--
-- Name: takedown_items takedown_items_takedown_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.takedown_items
    ADD CONSTRAINT takedown_items_takedown_fkey FOREIGN KEY (takedown_id) REFERENCES public.takedowns(id) ON DELETE CASCADE;

--
-- Name: template_authors template_authors_template_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.template_authors
    ADD CONSTRAINT template_authors_template_fkey FOREIGN KEY (template_id) REFERENCES public.templates(id) ON DELETE CASCADE;

--
-- Name: template_authors template_authors_user_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.template_authors
    ADD CONSTRAINT template_authors_user_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);

--
-- Name: template_invitations template_invitations_invitee_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.template_invitations
    ADD CONSTRAINT template_invitations_invitee_fkey FOREIGN KEY (invitee_id) REFERENCES public.users(id);

--
-- Name: template_invitations template_invitations_inviter_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.template_invitations
    ADD CONSTRAINT template_invitations_inviter_fkey FOREIGN KEY (inviter_id) REFERENCES public.users(id);

--
-- Name: template_invitations template_invitations_template_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.template_invitations
    ADD CONSTRAINT template_invitations_template_fkey FOREIGN KEY (template_id) REFERENCES public.templates(id) ON DELETE CASCADE;

--
-- Name: template_ratings template_ratings_template_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.template_ratings
    ADD CONSTRAINT template_ratings_template_fkey FOREIGN KEY (template_id) REFERENCES public.templates(id) ON DELETE CASCADE;

--
-- Name: template_slugs template_slugs_template_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.template_slugs
    ADD CONSTRAINT template_slugs_template_fkey FOREIGN KEY (template_id) REFERENCES public.templates(id);

--
-- Name: templates templates_game_system_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.templates
    ADD CONSTRAINT templates_game_system_fkey FOREIGN KEY (game_system) REFERENCES public.game_systems(slug);

--
-- Name: templates templates_latest_version_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.templates
    ADD CONSTRAINT templates_latest_version_fkey FOREIGN KEY (latest_version_id) REFERENCES public.versions(id) DEFERRABLE INITIALLY DEFERRED;

--
-- Name: templates templates_newest_version_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.templates
    ADD CONSTRAINT templates_newest_version_fkey FOREIGN KEY (newest_version_id) REFERENCES public.versions(id) DEFERRABLE INITIALLY DEFERRED;

--
-- Name: templates templates_owner_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.templates
    ADD CONSTRAINT templates_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.users(id);

--
-- Name: templates templates_successor_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.templates
    ADD CONSTRAINT templates_successor_fkey FOREIGN KEY (successor_id) REFERENCES public.templates(id);

--
-- Name: user_downloads user_downloads_template_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.user_downloads
    ADD CONSTRAINT user_downloads_template_fkey FOREIGN KEY (template_id) REFERENCES public.templates(id) ON DELETE CASCADE;

--
-- Name: user_downloads user_downloads_user_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.user_downloads
    ADD CONSTRAINT user_downloads_user_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

--
-- Name: user_downloads user_downloads_version_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.user_downloads
    ADD CONSTRAINT user_downloads_version_fkey FOREIGN KEY (version_id) REFERENCES public.versions(id) ON DELETE CASCADE;

--
-- Name: versions versions_artifact_sha256_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.versions
    ADD CONSTRAINT versions_artifact_sha256_fkey FOREIGN KEY (artifact_sha256) REFERENCES public.artifacts(sha256);

--
-- Name: versions versions_submission_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.versions
    ADD CONSTRAINT versions_submission_id_fkey FOREIGN KEY (submission_id) REFERENCES public.submissions(id);

--
-- Name: versions versions_template_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.versions
    ADD CONSTRAINT versions_template_id_fkey FOREIGN KEY (template_id) REFERENCES public.templates(id);

--
-- Name: webhook_attempts webhook_attempts_delivery_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_attempts
    ADD CONSTRAINT webhook_attempts_delivery_fkey FOREIGN KEY (delivery_id) REFERENCES public.webhook_deliveries(id) ON DELETE CASCADE;

--
-- Name: webhook_deliveries webhook_deliveries_webhook_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_webhook_fkey FOREIGN KEY (webhook_id) REFERENCES public.webhooks(id) ON DELETE CASCADE;

--
-- Name: webhooks webhooks_user_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_user_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

--
-- PostgreSQL database dump complete
--

