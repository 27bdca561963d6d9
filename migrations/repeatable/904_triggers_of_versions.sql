-- Triggers of versions; see 901_triggers_of_users.sql.

CREATE OR REPLACE TRIGGER versions_change AFTER INSERT OR UPDATE OF state, state_reason, withdrawn_by, channel ON versions
    FOR EACH ROW EXECUTE FUNCTION versions_record_change();

CREATE OR REPLACE TRIGGER versions_deltas AFTER UPDATE OF state ON versions
    FOR EACH ROW WHEN (OLD.state = 'published' AND NEW.state <> 'published') EXECUTE FUNCTION versions_drop_deltas();

-- A constraint trigger cannot be replaced, only made.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = 'versions'::regclass AND tgname = 'versions_webhooks') THEN
        CREATE CONSTRAINT TRIGGER versions_webhooks AFTER INSERT ON versions DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW EXECUTE FUNCTION versions_enqueue_deliveries();
    END IF;
END $$;
