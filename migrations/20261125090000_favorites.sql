-- Community: sheets that people have marked.

-- allow two-tables: the table is new and empty, so both locks are held for a moment; a deadlock is tried again
CREATE TABLE favorites (
    user_id     uuid NOT NULL CONSTRAINT favorites_user_fkey REFERENCES users (id) ON DELETE CASCADE,
    template_id uuid NOT NULL CONSTRAINT favorites_template_fkey REFERENCES templates (id) ON DELETE CASCADE,
    marked_at   timestamptz NOT NULL,
    CONSTRAINT favorites_pkey PRIMARY KEY (user_id, template_id)
);
CREATE INDEX favorites_newest ON favorites (user_id, marked_at DESC, template_id DESC);
CREATE INDEX favorites_template ON favorites (template_id);
