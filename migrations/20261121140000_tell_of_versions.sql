-- SPDX-License-Identifier: Apache-2.0
-- Answers about the catalog are kept until NOTIFY says that it changed: also when only a version or its regions did,
-- or a game system.

CREATE TRIGGER versions_news AFTER INSERT OR UPDATE OF state, state_reason ON versions
    FOR EACH ROW EXECUTE FUNCTION notify_catalog();

CREATE FUNCTION notify_regions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('catalog', NEW.submission_id::text);
    RETURN NULL;
END $$;
CREATE TRIGGER regions_news AFTER UPDATE OF regions ON submission_pages
    FOR EACH ROW EXECUTE FUNCTION notify_regions();

CREATE FUNCTION notify_game_systems() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('catalog', '');
    RETURN NULL;
END $$;
CREATE TRIGGER game_systems_news AFTER INSERT OR UPDATE OR DELETE ON game_systems
    FOR EACH STATEMENT EXECUTE FUNCTION notify_game_systems();
