CREATE TABLE favorites (
    user_id uuid NOT NULL CONSTRAINT favorites_user_fkey REFERENCES users (id) ON DELETE CASCADE,
    template_id uuid NOT NULL,
    CONSTRAINT favorites_pkey PRIMARY KEY (user_id, template_id),
    CONSTRAINT favorites_check CHECK (user_id <> template_id)
);
CREATE INDEX favorites_template ON favorites (template_id);
ALTER TABLE favorites ADD COLUMN note text NOT NULL;
ALTER TABLE favorites ALTER COLUMN note TYPE varchar(10);
UPDATE favorites SET note = '';
INSERT INTO favorites (user_id, template_id) VALUES ('00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002');
