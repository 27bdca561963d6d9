-- Cases of every kind: uploads, reports that gather on one subject, appeals; with notes, a thread with the uploader,
-- proposals that a second moderator confirms, and a stored place in the queue. Old nodes go on opening and deciding cases of
-- submissions: what they do not know is filled in by a trigger. A short lock on cases, decisions and reports.

ALTER TABLE cases ALTER COLUMN submission_id DROP NOT NULL;
ALTER TABLE cases
    DROP CONSTRAINT cases_state_check,
    ADD CONSTRAINT cases_state_check CHECK (state IN ('open', 'claimed', 'waiting', 'decided', 'appealed', 'closed')),
    ADD COLUMN kind text NOT NULL DEFAULT 'submission' CONSTRAINT cases_kind_check CHECK (kind IN ('submission', 'report', 'appeal')),
    ADD COLUMN subject_kind text NOT NULL DEFAULT 'submission' CONSTRAINT cases_subject_kind_check CHECK (subject_kind IN
        ('submission', 'template', 'version', 'review', 'user')),
    ADD COLUMN subject_id uuid,
    ADD COLUMN template_id uuid CONSTRAINT cases_template_fkey REFERENCES templates (id),
    ADD COLUMN respondent_id uuid CONSTRAINT cases_respondent_fkey REFERENCES users (id),
    ADD COLUMN barred uuid[] NOT NULL DEFAULT '{}',
    ADD COLUMN track text NOT NULL DEFAULT 'first' CONSTRAINT cases_track_check CHECK (track IN
        ('first', 'update', 'trusted', 'report', 'appeal')),
    ADD COLUMN is_audit boolean NOT NULL DEFAULT false,
    ADD COLUMN risk integer NOT NULL DEFAULT 0,
    ADD COLUMN report_count integer NOT NULL DEFAULT 0,
    ADD COLUMN report_weight double precision NOT NULL DEFAULT 0,
    ADD COLUMN reach bigint NOT NULL DEFAULT 0,
    ADD COLUMN promised_at timestamptz,
    ADD COLUMN queue_at timestamptz,
    ADD COLUMN appeal_of uuid CONSTRAINT cases_appeal_of_fkey REFERENCES cases (id),
    ADD COLUMN previous_id uuid CONSTRAINT cases_previous_fkey REFERENCES cases (id),
    ADD COLUMN closed_at timestamptz;
COMMENT ON COLUMN cases.subject_id IS 'What it is about: a submission, template, version, review or user, as subject_kind says.';
COMMENT ON COLUMN cases.respondent_id IS 'Whose work it is about: the uploader, the owner, the writer, the user.';
COMMENT ON COLUMN cases.barred IS 'Who is not offered it: the people whose work it is about, and whoever made the decision that is appealed.';
COMMENT ON COLUMN cases.queue_at IS 'The place in the queue: when it was promised, earlier by what makes it urgent. Kept by a trigger.';

-- Urgency in hours: up to 48 for risk, 6 for each report that weighs as one (at most 10), 4 for each power of ten of downloads.
-- A sum of its own instead of an age that grows: the order of two cases never changes by waiting, so it can be an index.
CREATE FUNCTION case_place(promised timestamptz, risk integer, reports double precision, reach bigint) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
        SELECT promised - make_interval(secs => 3600.0 * (0.48 * least(greatest(risk, 0), 100) + 6.0 * least(greatest(reports, 0), 10.0)
            + 4.0 * log(1.0 + greatest(reach, 0)::double precision)))
    $$;

CREATE FUNCTION cases_keep_place() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.submission_id IS NOT NULL AND NEW.respondent_id IS NULL THEN
            SELECT coalesce(NEW.template_id, s.template_id), s.uploader_id INTO NEW.template_id, NEW.respondent_id
            FROM submissions AS s WHERE s.id = NEW.submission_id;
        END IF;
        NEW.subject_id := coalesce(NEW.subject_id, NEW.submission_id);
        NEW.promised_at := coalesce(NEW.promised_at, NEW.opened_at + interval '72 hours');
        IF NEW.barred = '{}' AND NEW.respondent_id IS NOT NULL THEN NEW.barred := ARRAY[NEW.respondent_id]; END IF;
    END IF;
    NEW.queue_at := case_place(NEW.promised_at, NEW.risk, NEW.report_weight, NEW.reach);
    RETURN NEW;
END $$;
CREATE TRIGGER cases_place BEFORE INSERT OR UPDATE OF promised_at, risk, report_weight, reach ON cases
    FOR EACH ROW EXECUTE FUNCTION cases_keep_place();

UPDATE cases SET subject_id = s.id, template_id = s.template_id, respondent_id = s.uploader_id, barred = ARRAY[s.uploader_id],
    promised_at = cases.opened_at + interval '72 hours'
FROM submissions AS s WHERE s.id = cases.submission_id;

ALTER TABLE cases
    ALTER COLUMN subject_id SET NOT NULL,
    ALTER COLUMN promised_at SET NOT NULL,
    ALTER COLUMN queue_at SET NOT NULL,
    ADD CONSTRAINT cases_submission_check CHECK ((submission_id IS NOT NULL) = (kind = 'submission'));

DROP INDEX cases_queue;
CREATE INDEX cases_todo ON cases (queue_at, id) WHERE state IN ('open', 'claimed', 'waiting');
CREATE INDEX cases_done ON cases (queue_at, id) WHERE state IN ('decided', 'appealed', 'closed');
CREATE INDEX cases_holder ON cases (claimed_by, id) WHERE state IN ('claimed', 'waiting');
CREATE INDEX cases_promised ON cases (promised_at) WHERE state IN ('open', 'claimed');
CREATE INDEX cases_template ON cases (template_id, opened_at);
CREATE INDEX cases_respondent ON cases (respondent_id, opened_at);
CREATE INDEX cases_settled ON cases (decided_at) WHERE state = 'decided';
CREATE INDEX cases_history ON cases (track, decided_at DESC) WHERE decided_at IS NOT NULL;
-- Reports on one subject gather in one case.
CREATE UNIQUE INDEX cases_open_subject_key ON cases (subject_kind, subject_id) WHERE kind = 'report' AND state IN ('open', 'claimed', 'waiting');

-- Moderators leave 64 dead rows a second at the head of the index; the planner's figures must follow.
ALTER TABLE cases SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05, fillfactor = 80);

ALTER TABLE decisions
    ALTER COLUMN moderator_id DROP NOT NULL,
    ADD COLUMN evidence jsonb NOT NULL DEFAULT '[]',
    ADD COLUMN ends_at timestamptz,
    ADD COLUMN proposed_by uuid CONSTRAINT decisions_proposed_by_fkey REFERENCES users (id),
    ADD COLUMN overturned_at timestamptz;
COMMENT ON COLUMN decisions.moderator_id IS 'NULL: the service itself, by the rules for trusted authors.';

CREATE TABLE case_proposals (
    case_id      uuid CONSTRAINT case_proposals_pkey PRIMARY KEY CONSTRAINT case_proposals_case_fkey REFERENCES cases (id) ON DELETE CASCADE,
    moderator_id uuid NOT NULL CONSTRAINT case_proposals_moderator_fkey REFERENCES users (id),
    decision     text NOT NULL,
    reason_code  text NOT NULL,
    message      text NOT NULL,
    evidence     jsonb NOT NULL DEFAULT '[]',
    ends_at      timestamptz,
    proposed_at  timestamptz NOT NULL
);
COMMENT ON TABLE case_proposals IS 'Decisions that wait for a second moderator. Gone once confirmed or declined; the audit log keeps them.';

CREATE TABLE case_notes (
    id         uuid CONSTRAINT case_notes_pkey PRIMARY KEY,
    case_id    uuid NOT NULL CONSTRAINT case_notes_case_fkey REFERENCES cases (id) ON DELETE CASCADE,
    author_id  uuid NOT NULL CONSTRAINT case_notes_author_fkey REFERENCES users (id),
    text       text NOT NULL CONSTRAINT case_notes_text_check CHECK (char_length(text) BETWEEN 1 AND 4000),
    created_at timestamptz NOT NULL
);
CREATE INDEX case_notes_case ON case_notes (case_id, id);
COMMENT ON TABLE case_notes IS 'What moderators tell each other; nobody else ever reads it.';

CREATE TABLE case_messages (
    id         uuid CONSTRAINT case_messages_pkey PRIMARY KEY,
    case_id    uuid NOT NULL CONSTRAINT case_messages_case_fkey REFERENCES cases (id) ON DELETE CASCADE,
    author_id  uuid NOT NULL CONSTRAINT case_messages_author_fkey REFERENCES users (id),
    side       text NOT NULL CONSTRAINT case_messages_side_check CHECK (side IN ('moderator', 'uploader')),
    is_hidden  boolean NOT NULL DEFAULT false,
    text       text NOT NULL CONSTRAINT case_messages_text_check CHECK (char_length(text) BETWEEN 1 AND 4000),
    created_at timestamptz NOT NULL
);
CREATE INDEX case_messages_case ON case_messages (case_id, id);
COMMENT ON COLUMN case_messages.is_hidden IS 'Whether the uploader is not told which moderator wrote it.';

CREATE TABLE appeals (
    id            uuid CONSTRAINT appeals_pkey PRIMARY KEY,
    case_id       uuid NOT NULL CONSTRAINT appeals_case_key UNIQUE CONSTRAINT appeals_case_fkey REFERENCES cases (id),
    appealed_case uuid NOT NULL CONSTRAINT appeals_appealed_case_fkey REFERENCES cases (id),
    decision_id   uuid NOT NULL CONSTRAINT appeals_decision_key UNIQUE CONSTRAINT appeals_decision_fkey REFERENCES decisions (id),
    appellant_id  uuid NOT NULL CONSTRAINT appeals_appellant_fkey REFERENCES users (id),
    text          text NOT NULL CONSTRAINT appeals_text_check CHECK (char_length(text) BETWEEN 1 AND 4000),
    created_at    timestamptz NOT NULL,
    outcome       text CONSTRAINT appeals_outcome_check CHECK (outcome IN ('upheld', 'overturned')),
    ended_at      timestamptz,
    CONSTRAINT appeals_end_check CHECK ((outcome IS NULL) = (ended_at IS NULL))
);
CREATE INDEX appeals_appellant ON appeals (appellant_id, id);
COMMENT ON TABLE appeals IS 'A decision is appealed once. The appeal is decided in a case of its own, by somebody else.';

ALTER TABLE reports
    ADD COLUMN IF NOT EXISTS case_id uuid CONSTRAINT reports_case_fkey REFERENCES cases (id),
    ADD COLUMN IF NOT EXISTS outcome text CONSTRAINT reports_outcome_check CHECK (outcome IN ('upheld', 'dismissed'));
CREATE INDEX IF NOT EXISTS reports_case ON reports (case_id);

-- No code path can forget it: what a moderator has to look at is published by a decision that stands in `decisions` before.
-- What the rules for trusted authors publish has no case, or one that looks at it afterwards.
CREATE FUNCTION submissions_need_approval() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM cases AS c WHERE c.submission_id = NEW.id AND NOT c.is_audit)
        AND NOT EXISTS (SELECT FROM decisions AS d JOIN cases AS c ON c.id = d.case_id
            WHERE c.submission_id = NEW.id AND d.decision = 'approve') THEN
        RAISE EXCEPTION 'a submission is published by an approval only'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'submissions_approval_check';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER submissions_approval BEFORE UPDATE OF state ON submissions
    FOR EACH ROW WHEN (NEW.state = 'published' AND OLD.state <> 'published') EXECUTE FUNCTION submissions_need_approval();
