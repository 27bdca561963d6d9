-- Triggers of sanctions; see 901_triggers_of_users.sql. A ban hides what people show of themselves (430_member_pages.sql):
-- all nodes forget what they have ready.

CREATE OR REPLACE TRIGGER sanctions_notify AFTER INSERT OR UPDATE OF lifted_at ON sanctions
    FOR EACH STATEMENT EXECUTE FUNCTION notify_game_systems();
