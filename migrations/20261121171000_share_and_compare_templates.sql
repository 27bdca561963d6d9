-- Templates with several authors, and what is said of a version beside the one before it. Nothing that old nodes know
-- changes.

CREATE TABLE template_authors (
    template_id uuid NOT NULL CONSTRAINT template_authors_template_fkey REFERENCES templates (id) ON DELETE CASCADE,
    user_id     uuid NOT NULL CONSTRAINT template_authors_user_fkey REFERENCES users (id),
    role        text NOT NULL CONSTRAINT template_authors_role_check CHECK (role IN ('maintainer', 'contributor')),
    added_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (template_id, user_id)
);
CREATE INDEX template_authors_user ON template_authors (user_id);
COMMENT ON TABLE template_authors IS 'Authors beside the owner, who is templates.owner_id and has no row here.';

CREATE TABLE template_invitations (
    id          uuid PRIMARY KEY,
    template_id uuid NOT NULL CONSTRAINT template_invitations_template_fkey REFERENCES templates (id) ON DELETE CASCADE,
    inviter_id  uuid NOT NULL CONSTRAINT template_invitations_inviter_fkey REFERENCES users (id),
    invitee_id  uuid NOT NULL CONSTRAINT template_invitations_invitee_fkey REFERENCES users (id),
    role        text NOT NULL CONSTRAINT template_invitations_role_check CHECK (role IN ('owner', 'maintainer', 'contributor')),
    state       text NOT NULL DEFAULT 'open' CONSTRAINT template_invitations_state_check CHECK (state IN
        ('open', 'accepted', 'declined', 'withdrawn', 'expired')),
    created_at  timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL,
    ended_at    timestamptz,
    CONSTRAINT template_invitations_end_check CHECK ((state = 'open') = (ended_at IS NULL))
);
CREATE UNIQUE INDEX template_invitations_invitee_key ON template_invitations (template_id, invitee_id) WHERE state = 'open';
-- Only one can be the next owner.
CREATE UNIQUE INDEX template_invitations_transfer_key ON template_invitations (template_id) WHERE state = 'open' AND role = 'owner';
CREATE INDEX template_invitations_open ON template_invitations (invitee_id, id) WHERE state = 'open';
COMMENT ON TABLE template_invitations IS 'Offers of a part in a template; role owner hands it over. Past expires_at an open one counts as expired.';

CREATE FUNCTION notify_authors() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('catalog', coalesce(NEW.template_id, OLD.template_id)::text);
    RETURN NULL;
END $$;
CREATE TRIGGER template_authors_news AFTER INSERT OR UPDATE OR DELETE ON template_authors
    FOR EACH ROW EXECUTE FUNCTION notify_authors();

-- What a version is compared by beside looks and regions: where fields and words of each page are. Only comparing reads it.
CREATE TABLE page_layouts (
    submission_id uuid NOT NULL,
    page_index    integer NOT NULL,
    layout        jsonb NOT NULL,
    PRIMARY KEY (submission_id, page_index),
    CONSTRAINT page_layouts_page_fkey FOREIGN KEY (submission_id, page_index)
        REFERENCES submission_pages (submission_id, page_index) ON DELETE CASCADE
);
COMMENT ON TABLE page_layouts IS 'Where words and fields of a page are; absent for versions from before there was comparing.';

ALTER TABLE submissions ADD COLUMN changes jsonb;
COMMENT ON COLUMN submissions.changes IS 'The comparison with the version that was offered when this was inspected.';
