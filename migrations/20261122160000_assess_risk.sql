-- The risk score of submissions, and the trusted path.

-- The desk brings both; whichever comes first makes them.
ALTER TABLE cases ADD COLUMN IF NOT EXISTS risk integer NOT NULL DEFAULT 0;
ALTER TABLE cases ADD COLUMN IF NOT EXISTS is_audit boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN cases.is_audit IS 'Whether the submission was approved by the rules already, and a moderator looks at it afterwards.';

CREATE TABLE risk_assessments (
    submission_id uuid NOT NULL CONSTRAINT risk_assessments_submission_fkey REFERENCES submissions (id) ON DELETE CASCADE,
    is_shadow     boolean NOT NULL,
    rules_version text NOT NULL,
    score         integer NOT NULL CONSTRAINT risk_assessments_score_check CHECK (score BETWEEN 0 AND 100),
    hits          jsonb NOT NULL,
    facts         jsonb,
    route         text NOT NULL CONSTRAINT risk_assessments_route_check CHECK (route IN ('moderator', 'approved', 'audited')),
    obstacles     text[] NOT NULL DEFAULT '{}',
    assessed_at   timestamptz NOT NULL,
    PRIMARY KEY (submission_id, is_shadow),
    -- The trusted path never takes what a moderator has to see, whatever the code above it does.
    CONSTRAINT risk_assessments_trust_check CHECK (route = 'moderator' OR (score = 0 AND obstacles = '{}'))
);
CREATE INDEX risk_assessments_time ON risk_assessments (assessed_at, submission_id);
COMMENT ON TABLE risk_assessments IS 'What the rules made of a submission when it was read, one row for the rules in force and one for those that are tried beside them.';
COMMENT ON COLUMN risk_assessments.facts IS 'What the rules were told, but for the texts, so that other rules can be tried on it; only with the rules in force.';
COMMENT ON COLUMN risk_assessments.route IS 'Where the submission went: to a moderator, or published at once, or that and to a moderator afterwards.';

-- Nothing with a warning is ever published by the trusted path.
CREATE FUNCTION risk_assessments_refuse_warnings() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM submissions, jsonb_array_elements(submissions.findings) AS finding
        WHERE submissions.id = NEW.submission_id AND finding ->> 'severity' <> 'info')
    THEN
        RAISE EXCEPTION 'a submission with a warning is a moderator''s to approve' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER risk_assessments_trust BEFORE INSERT OR UPDATE ON risk_assessments
    FOR EACH ROW WHEN (NEW.route <> 'moderator') EXECUTE FUNCTION risk_assessments_refuse_warnings();

-- The same file again is looked for among what was refused, too.
CREATE INDEX submissions_artifact ON submissions (artifact_sha256);

-- What moderators said of what the trusted path had published.
CREATE VIEW trusted_audits AS
    SELECT cases.id AS case_id, cases.submission_id, decisions.moderator_id, decisions.decided_at,
        decisions.decision = 'approve' AS agreed
    FROM cases JOIN decisions ON decisions.case_id = cases.id
    WHERE cases.is_audit;
COMMENT ON VIEW trusted_audits IS 'Decisions on audited approvals of the trusted path; agreed where the moderator would have approved too.';

-- Pages with the same words are found however they look now: a margin cut off, other paper.
CREATE INDEX submission_pages_words ON submission_pages USING gin (look_bands(text_hash)) WITH (fastupdate = off)
    WHERE text_hash IS NOT NULL;
