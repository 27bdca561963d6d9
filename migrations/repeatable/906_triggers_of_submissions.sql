-- Triggers of submissions; see 901_triggers_of_users.sql.

CREATE OR REPLACE TRIGGER submissions_webhooks AFTER UPDATE OF state ON submissions
    FOR EACH ROW WHEN (NEW.state <> OLD.state AND NEW.state IN ('published', 'rejected', 'changes_requested'))
    EXECUTE FUNCTION submissions_enqueue_deliveries();
