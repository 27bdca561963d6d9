-- Triggers of game_systems; see 901_triggers_of_users.sql.

CREATE OR REPLACE TRIGGER game_systems_listing AFTER UPDATE OF name, aliases ON game_systems
    FOR EACH ROW WHEN ((OLD.name, OLD.aliases) IS DISTINCT FROM (NEW.name, NEW.aliases)) EXECUTE FUNCTION names_changed();
