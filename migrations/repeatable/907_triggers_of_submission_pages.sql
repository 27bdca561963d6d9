-- Triggers of submission_pages; see 901_triggers_of_users.sql.

CREATE OR REPLACE TRIGGER submission_pages_listing AFTER UPDATE OF regions ON submission_pages
    FOR EACH ROW EXECUTE FUNCTION regions_changed();
CREATE OR REPLACE TRIGGER submission_pages_change AFTER UPDATE OF regions ON submission_pages
    FOR EACH ROW WHEN (NEW.regions IS DISTINCT FROM OLD.regions) EXECUTE FUNCTION regions_record_change();
