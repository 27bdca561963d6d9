-- Triggers of one table that call functions of the files before. They stand apart from the functions, since a trigger is replaced
-- under a lock that writers wait for, and a function under none; and by tables, since whoever holds locks on two of them may meet
-- a transaction of the service that wants them the other way round. A trigger that goes is dropped by a numbered migration.
-- Triggers that guard a table are with the table, in the numbered files.

CREATE OR REPLACE TRIGGER users_listing AFTER UPDATE OF handle, display_name ON users
    FOR EACH ROW WHEN ((OLD.handle, OLD.display_name) IS DISTINCT FROM (NEW.handle, NEW.display_name)) EXECUTE FUNCTION names_changed();
CREATE OR REPLACE TRIGGER users_change AFTER UPDATE OF handle ON users
    FOR EACH ROW WHEN (NEW.handle <> OLD.handle) EXECUTE FUNCTION owners_record_change();
CREATE OR REPLACE TRIGGER users_risk_names AFTER UPDATE OF handle ON users
    FOR EACH ROW WHEN (OLD.handle <> NEW.handle) EXECUTE FUNCTION users_leave_risk_assessments();
CREATE OR REPLACE TRIGGER users_reviews AFTER UPDATE OF disabled_at ON users
    FOR EACH ROW WHEN ((OLD.disabled_at IS NULL) <> (NEW.disabled_at IS NULL)) EXECUTE FUNCTION reviewers_changed();
CREATE OR REPLACE TRIGGER users_webhooks AFTER UPDATE OF handle ON users
    FOR EACH ROW WHEN (NEW.handle <> OLD.handle) EXECUTE FUNCTION users_rename_in_deliveries();
