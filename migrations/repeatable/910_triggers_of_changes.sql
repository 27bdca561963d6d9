-- Triggers of changes; see 901_triggers_of_users.sql.

CREATE OR REPLACE TRIGGER changes_webhooks AFTER INSERT ON changes
    FOR EACH ROW WHEN (NEW.kind = 'template_removed' AND NEW.reason = 'taken_down') EXECUTE FUNCTION changes_enqueue_deliveries();
