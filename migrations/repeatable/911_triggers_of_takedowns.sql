-- Triggers of takedowns; see 901_triggers_of_users.sql.

CREATE OR REPLACE TRIGGER takedowns_notify AFTER INSERT OR UPDATE OF restored_at ON takedowns
    FOR EACH STATEMENT EXECUTE FUNCTION notify_game_systems();
