-- Triggers of reviews; see 901_triggers_of_users.sql.

CREATE OR REPLACE TRIGGER reviews_rated AFTER INSERT OR DELETE OR UPDATE OF stars, updated_at, deleted_at, hidden_at ON reviews
    FOR EACH ROW EXECUTE FUNCTION reviews_changed();
CREATE OR REPLACE TRIGGER reviews_webhooks_new AFTER INSERT ON reviews
    FOR EACH ROW WHEN (NEW.deleted_at IS NULL AND NEW.hidden_at IS NULL) EXECUTE FUNCTION reviews_enqueue_deliveries();
-- Written again after it was deleted.
CREATE OR REPLACE TRIGGER reviews_webhooks_again AFTER UPDATE OF deleted_at ON reviews
    FOR EACH ROW WHEN (OLD.deleted_at IS NOT NULL AND NEW.deleted_at IS NULL AND NEW.hidden_at IS NULL)
    EXECUTE FUNCTION reviews_enqueue_deliveries();
