-- Triggers of reports; see 901_triggers_of_users.sql.

CREATE OR REPLACE TRIGGER reports_webhooks AFTER INSERT ON reports FOR EACH ROW EXECUTE FUNCTION reports_enqueue_deliveries();
