-- Triggers that call functions of these files. They stand apart from the functions, since a trigger cannot be replaced without a
-- lock on its table, for which writers wait, while a function can. So change this file seldom; a trigger that goes is dropped
-- by a numbered migration. Triggers that guard a table are with the table, in the numbered files.

-- Search --------------------------------------------------------------------------------------------------------------

CREATE OR REPLACE TRIGGER templates_listing AFTER INSERT OR UPDATE OF slug, name, summary, game_system, owner_id, tags, license, language, kind,
        page_count, rating, rating_count, rating_lower, downloads, trending, latest_version_id, updated_at, published_at ON templates
    FOR EACH ROW EXECUTE FUNCTION template_changed();
CREATE OR REPLACE TRIGGER templates_gone AFTER DELETE ON templates FOR EACH ROW EXECUTE FUNCTION template_gone();
CREATE OR REPLACE TRIGGER submission_pages_listing AFTER UPDATE OF regions ON submission_pages
    FOR EACH ROW EXECUTE FUNCTION regions_changed();
CREATE OR REPLACE TRIGGER users_listing AFTER UPDATE OF handle, display_name ON users
    FOR EACH ROW WHEN ((OLD.handle, OLD.display_name) IS DISTINCT FROM (NEW.handle, NEW.display_name)) EXECUTE FUNCTION names_changed();
CREATE OR REPLACE TRIGGER game_systems_listing AFTER UPDATE OF name, aliases ON game_systems
    FOR EACH ROW WHEN ((OLD.name, OLD.aliases) IS DISTINCT FROM (NEW.name, NEW.aliases)) EXECUTE FUNCTION names_changed();

-- The change feed -----------------------------------------------------------------------------------------------------

CREATE OR REPLACE TRIGGER templates_change AFTER DELETE OR UPDATE OF latest_version_id, newest_version_id, slug, owner_id, game_system, name,
    summary, description, tags, license, language, kind, deprecated_at, deprecation_message, successor_id ON templates
    FOR EACH ROW EXECUTE FUNCTION templates_enter_change();
CREATE OR REPLACE TRIGGER versions_change AFTER INSERT OR UPDATE OF state, state_reason, withdrawn_by, channel ON versions
    FOR EACH ROW EXECUTE FUNCTION versions_enter_change();
CREATE OR REPLACE TRIGGER submission_pages_change AFTER UPDATE OF regions ON submission_pages
    FOR EACH ROW WHEN (NEW.regions IS DISTINCT FROM OLD.regions) EXECUTE FUNCTION regions_enter_change();
CREATE OR REPLACE TRIGGER users_change AFTER UPDATE OF handle ON users
    FOR EACH ROW WHEN (NEW.handle <> OLD.handle) EXECUTE FUNCTION owners_enter_change();

-- Names in risk assessments -------------------------------------------------------------------------------------------

CREATE OR REPLACE TRIGGER users_risk_names AFTER UPDATE OF handle ON users
    FOR EACH ROW WHEN (OLD.handle <> NEW.handle) EXECUTE FUNCTION users_leave_risk_assessments();

-- Ratings -------------------------------------------------------------------------------------------------------------

CREATE OR REPLACE TRIGGER reviews_rated AFTER INSERT OR DELETE OR UPDATE OF stars, updated_at, deleted_at, hidden_at ON reviews
    FOR EACH ROW EXECUTE FUNCTION reviews_changed();
CREATE OR REPLACE TRIGGER users_reviews AFTER UPDATE OF disabled_at ON users
    FOR EACH ROW WHEN ((OLD.disabled_at IS NULL) <> (NEW.disabled_at IS NULL)) EXECUTE FUNCTION reviewers_changed();
CREATE OR REPLACE TRIGGER template_authors_reviews AFTER INSERT OR DELETE ON template_authors
    FOR EACH ROW EXECUTE FUNCTION reviewed_authors_changed();
CREATE OR REPLACE TRIGGER templates_reviews AFTER UPDATE OF owner_id, game_system ON templates
    FOR EACH ROW WHEN (OLD.owner_id <> NEW.owner_id OR OLD.game_system <> NEW.game_system)
    EXECUTE FUNCTION reviewed_templates_changed();

-- Webhooks ------------------------------------------------------------------------------------------------------------

CREATE OR REPLACE TRIGGER submissions_webhooks AFTER UPDATE OF state ON submissions
    FOR EACH ROW WHEN (NEW.state <> OLD.state AND NEW.state IN ('published', 'rejected', 'changes_requested'))
    EXECUTE FUNCTION submissions_tell_webhooks();
CREATE OR REPLACE TRIGGER reviews_webhooks_new AFTER INSERT ON reviews
    FOR EACH ROW WHEN (NEW.deleted_at IS NULL AND NEW.hidden_at IS NULL) EXECUTE FUNCTION reviews_tell_webhooks();
-- Written again after it was deleted.
CREATE OR REPLACE TRIGGER reviews_webhooks_again AFTER UPDATE OF deleted_at ON reviews
    FOR EACH ROW WHEN (OLD.deleted_at IS NOT NULL AND NEW.deleted_at IS NULL AND NEW.hidden_at IS NULL)
    EXECUTE FUNCTION reviews_tell_webhooks();
CREATE OR REPLACE TRIGGER reports_webhooks AFTER INSERT ON reports FOR EACH ROW EXECUTE FUNCTION reports_tell_webhooks();
CREATE OR REPLACE TRIGGER changes_webhooks AFTER INSERT ON changes
    FOR EACH ROW WHEN (NEW.kind = 'template_removed' AND NEW.reason = 'taken_down') EXECUTE FUNCTION changes_tell_webhooks();
CREATE OR REPLACE TRIGGER users_webhooks AFTER UPDATE OF handle ON users
    FOR EACH ROW WHEN (NEW.handle <> OLD.handle) EXECUTE FUNCTION users_told_webhooks();

-- A constraint trigger cannot be replaced, only made.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = 'versions'::regclass AND tgname = 'versions_webhooks') THEN
        CREATE CONSTRAINT TRIGGER versions_webhooks AFTER INSERT ON versions DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW EXECUTE FUNCTION versions_tell_webhooks();
    END IF;
END $$;
