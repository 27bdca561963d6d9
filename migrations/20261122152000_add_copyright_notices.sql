-- Copyright notices and counter-notices, with the dates that the statute sets. A new table only.

CREATE TABLE copyright_notices (
    id                 uuid CONSTRAINT copyright_notices_pkey PRIMARY KEY,
    subject_kind       text NOT NULL CONSTRAINT copyright_notices_subject_kind_check CHECK (subject_kind IN ('template', 'version')),
    template_id        uuid NOT NULL CONSTRAINT copyright_notices_template_fkey REFERENCES templates (id),
    version            text,
    claimant_id        uuid CONSTRAINT copyright_notices_claimant_fkey REFERENCES users (id) ON DELETE SET NULL,
    name               text NOT NULL,
    email              text NOT NULL,
    address            text NOT NULL,
    phone              text NOT NULL,
    work               text NOT NULL,
    explanation        text NOT NULL,
    signature          text NOT NULL,
    state              text NOT NULL DEFAULT 'received' CONSTRAINT copyright_notices_state_check CHECK (state IN
        ('received', 'taken_down', 'countered', 'suit_filed', 'restored', 'rejected', 'withdrawn')),
    received_at        timestamptz NOT NULL,
    changed_at         timestamptz NOT NULL,
    message            text,
    has_takedown       boolean NOT NULL DEFAULT false,
    sanction_id        uuid,
    counter_by         uuid CONSTRAINT copyright_notices_counter_by_fkey REFERENCES users (id) ON DELETE SET NULL,
    counter_name       text,
    counter_address    text,
    counter_phone      text,
    counter_explanation text,
    counter_signature  text,
    countered_at       timestamptz,
    restore_from       timestamptz,
    restore_by         timestamptz,
    CONSTRAINT copyright_notices_version_check CHECK ((subject_kind = 'version') = (version IS NOT NULL)),
    CONSTRAINT copyright_notices_counter_check CHECK ((countered_at IS NULL) = (restore_from IS NULL))
);
CREATE INDEX copyright_notices_by_time ON copyright_notices (received_at DESC, id DESC);
CREATE INDEX copyright_notices_template ON copyright_notices (template_id);
CREATE INDEX copyright_notices_due ON copyright_notices (restore_from) WHERE state = 'countered';
COMMENT ON TABLE copyright_notices IS 'Notices under 17 U.S.C. 512(c)(3) and Article 16 of Regulation (EU) 2022/2065, and what came of them.';
COMMENT ON COLUMN copyright_notices.has_takedown IS 'Whether the take-down is this notice''s own: what was down already is not put back with it.';
