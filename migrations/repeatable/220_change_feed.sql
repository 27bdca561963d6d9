-- Catalog: the change feed. The triggers that call these are in 9xx_triggers_of_….sql.

-- Transactions become visible in another order than they began in: a number that was given when an entry was made could
-- turn up behind a reader that has gone on. So numbers are given afterwards, to what is committed, by one at a time: who
-- sees a number sees every lower one.
CREATE OR REPLACE FUNCTION number_changes() RETURNS bigint LANGUAGE plpgsql AS $$
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

-- Forgets the oldest entries, in order; who has not read them must begin anew.
CREATE OR REPLACE FUNCTION prune_changes(before timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
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

-- "Changed" says no more than "look again": once for each transaction is enough, and none beside an entry that says so, too.
CREATE OR REPLACE FUNCTION record_change(kind text, reason text, template uuid, slug text, version text DEFAULT NULL, code text DEFAULT NULL)
    RETURNS void LANGUAGE sql AS $$
        INSERT INTO changes (kind, reason, template_id, slug, version, code)
        SELECT $1, $2, $3, $4, $5, $6
        WHERE $1 NOT IN ('template_changed', 'version_changed') OR NOT EXISTS (
            SELECT FROM changes AS c
            WHERE c.position IS NULL AND c.template_id = $3 AND c.transaction = pg_current_xact_id()
                AND ((c.kind = $1 AND c.reason = $2 AND c.version IS NOT DISTINCT FROM $5)
                    OR ($1 = 'template_changed' AND c.kind IN ('template_added', 'version_added'))))
    $$;

CREATE OR REPLACE FUNCTION templates_record_change() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE OR REPLACE FUNCTION versions_record_change() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE OR REPLACE FUNCTION regions_record_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM record_change('version_changed', 'regions', v.template_id, t.slug, v.number)
        FROM versions AS v JOIN templates AS t ON t.id = v.template_id
        WHERE v.submission_id = NEW.submission_id AND v.state <> 'taken_down';
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION owners_record_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM record_change('template_changed', 'author', s.id, s.slug)
        FROM (SELECT t.id, t.slug FROM templates AS t WHERE t.owner_id = NEW.id AND t.latest_version_id IS NOT NULL ORDER BY t.id) AS s;
    RETURN NULL;
END $$;
