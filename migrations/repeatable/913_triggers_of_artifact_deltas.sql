-- Triggers of artifact_deltas; see 901_triggers_of_users.sql.

CREATE OR REPLACE TRIGGER artifact_deltas_bytes AFTER DELETE ON artifact_deltas
    FOR EACH ROW EXECUTE FUNCTION artifact_deltas_drop_bytes();
