-- What the rules said of an author's edit of a published template, when they objected: a moderator looks afterwards.

CREATE TABLE edit_assessments (
    id            uuid CONSTRAINT edit_assessments_pkey PRIMARY KEY,
    template_id   uuid NOT NULL CONSTRAINT edit_assessments_template_fkey REFERENCES templates (id) ON DELETE CASCADE,
    case_id       uuid NOT NULL CONSTRAINT edit_assessments_case_fkey REFERENCES cases (id) ON DELETE CASCADE,
    rules_version text NOT NULL,
    score         integer NOT NULL CONSTRAINT edit_assessments_score_check CHECK (score BETWEEN 0 AND 100),
    hits          jsonb NOT NULL,
    assessed_at   timestamptz NOT NULL
);
CREATE INDEX edit_assessments_case ON edit_assessments (case_id, assessed_at);
COMMENT ON TABLE edit_assessments IS 'Edits that a rule of the risk score spoke against, with the case that was opened for them.';
