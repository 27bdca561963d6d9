-- Triggers of template_authors; see 901_triggers_of_users.sql.

CREATE OR REPLACE TRIGGER template_authors_reviews AFTER INSERT OR DELETE ON template_authors
    FOR EACH ROW EXECUTE FUNCTION reviewed_authors_changed();
