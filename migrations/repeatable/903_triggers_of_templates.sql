-- Triggers of templates; see 901_triggers_of_users.sql.

CREATE OR REPLACE TRIGGER templates_listing AFTER INSERT OR UPDATE OF slug, name, summary, game_system, owner_id, tags, license, language, kind,
        page_count, rating, rating_count, rating_lower, downloads, trending, latest_version_id, updated_at, published_at ON templates
    FOR EACH ROW EXECUTE FUNCTION template_changed();
CREATE OR REPLACE TRIGGER templates_gone AFTER DELETE ON templates FOR EACH ROW EXECUTE FUNCTION template_deleted();
CREATE OR REPLACE TRIGGER templates_change AFTER DELETE OR UPDATE OF latest_version_id, newest_version_id, slug, owner_id, game_system, name,
    summary, description, tags, license, language, kind, deprecated_at, deprecation_message, successor_id ON templates
    FOR EACH ROW EXECUTE FUNCTION templates_record_change();
CREATE OR REPLACE TRIGGER templates_reviews AFTER UPDATE OF owner_id, game_system ON templates
    FOR EACH ROW WHEN (OLD.owner_id <> NEW.owner_id OR OLD.game_system <> NEW.game_system)
    EXECUTE FUNCTION reviewed_templates_changed();
