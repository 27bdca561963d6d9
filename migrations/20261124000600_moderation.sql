-- Moderation: cases of every kind (uploads, reports that gather on one subject, appeals) and what decisions do: take-downs,
-- sanctions, copyright; and the risk score that routes submissions.

-- Cases ---------------------------------------------------------------------------------------------------------------

-- Urgency in hours: up to 48 for risk, 6 for each report that weighs as one (at most 10), 4 for each power of ten of downloads.
-- A sum of its own instead of an age that grows: the order of two cases never changes by waiting, so it can be an index.
CREATE FUNCTION case_queue_time(due_at timestamptz, risk integer, reports double precision, reach bigint) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
        SELECT due_at - make_interval(secs => 3600.0 * (0.48 * least(greatest(risk, 0), 100) + 6.0 * least(greatest(reports, 0), 10.0)
            + 4.0 * log(1.0 + greatest(reach, 0)::double precision)))
    $$;

CREATE TABLE cases (
    id               uuid CONSTRAINT cases_pkey PRIMARY KEY,
    kind             text NOT NULL DEFAULT 'submission' CONSTRAINT cases_kind_check CHECK (kind IN ('submission', 'report', 'appeal')),
    subject_kind     text NOT NULL DEFAULT 'submission' CONSTRAINT cases_subject_kind_check CHECK (subject_kind IN
        ('submission', 'template', 'version', 'review', 'user')),
    subject_id       uuid NOT NULL,
    submission_id    uuid CONSTRAINT cases_submission_key UNIQUE CONSTRAINT cases_submission_id_fkey REFERENCES submissions (id),
    template_id      uuid CONSTRAINT cases_template_fkey REFERENCES templates (id),
    respondent_id    uuid CONSTRAINT cases_respondent_fkey REFERENCES users (id),
    excluded_moderators           uuid[] NOT NULL DEFAULT '{}',
    track            text NOT NULL DEFAULT 'first' CONSTRAINT cases_track_check CHECK (track IN
        ('first', 'update', 'trusted', 'report', 'appeal')),
    is_audit         boolean NOT NULL DEFAULT false,
    appeal_of        uuid CONSTRAINT cases_appeal_of_fkey REFERENCES cases (id),
    previous_id      uuid CONSTRAINT cases_previous_fkey REFERENCES cases (id),
    state            text NOT NULL DEFAULT 'open' CONSTRAINT cases_state_check CHECK (state IN
        ('open', 'claimed', 'waiting', 'decided', 'appealed', 'closed')),
    claimed_by       uuid CONSTRAINT cases_claimed_by_fkey REFERENCES users (id),
    claim_expires_at timestamptz,
    -- What makes it urgent.
    risk             integer NOT NULL DEFAULT 0,
    report_count     integer NOT NULL DEFAULT 0,
    report_weight    double precision NOT NULL DEFAULT 0,
    reach            bigint NOT NULL DEFAULT 0,
    due_at      timestamptz NOT NULL,
    queue_at         timestamptz NOT NULL,
    opened_at        timestamptz NOT NULL DEFAULT now(),
    decided_at       timestamptz,
    closed_at        timestamptz,
    CONSTRAINT cases_submission_check CHECK ((submission_id IS NOT NULL) = (kind = 'submission'))
)
-- Moderators leave 64 dead rows a second at the head of the index; the planner's figures must follow.
WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05, fillfactor = 80);
CREATE INDEX cases_todo ON cases (queue_at, id) WHERE state IN ('open', 'claimed', 'waiting');
CREATE INDEX cases_done ON cases (queue_at, id) WHERE state IN ('decided', 'appealed', 'closed');
CREATE INDEX cases_holder ON cases (claimed_by, id) WHERE state IN ('claimed', 'waiting');
CREATE INDEX cases_due ON cases (due_at) WHERE state IN ('open', 'claimed');
CREATE INDEX cases_template ON cases (template_id, opened_at);
CREATE INDEX cases_respondent ON cases (respondent_id, opened_at);
CREATE INDEX cases_settled ON cases (decided_at) WHERE state = 'decided';
CREATE INDEX cases_history ON cases (track, decided_at DESC) WHERE decided_at IS NOT NULL;
-- Reports on one subject gather in one case.
CREATE UNIQUE INDEX cases_open_subject_key ON cases (subject_kind, subject_id) WHERE kind = 'report' AND state IN ('open', 'claimed', 'waiting');
COMMENT ON COLUMN cases.subject_id IS 'What it is about: a submission, template, version, review or user, as subject_kind says.';
COMMENT ON COLUMN cases.respondent_id IS 'Whose work it is about: the uploader, the owner, the writer, the user.';
COMMENT ON COLUMN cases.excluded_moderators IS 'Who is not offered it: the people whose work it is about, and whoever made the decision that is appealed.';
COMMENT ON COLUMN cases.queue_at IS 'The place in the queue: when it is due, earlier by what makes it urgent. Kept by a trigger.';
COMMENT ON COLUMN cases.is_audit IS 'Whether the submission was approved by the rules already, and a moderator looks at it afterwards.';

CREATE FUNCTION cases_set_queue_time() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.submission_id IS NOT NULL AND NEW.respondent_id IS NULL THEN
            SELECT coalesce(NEW.template_id, s.template_id), s.uploader_id INTO NEW.template_id, NEW.respondent_id
            FROM submissions AS s WHERE s.id = NEW.submission_id;
        END IF;
        NEW.subject_id := coalesce(NEW.subject_id, NEW.submission_id);
        NEW.due_at := coalesce(NEW.due_at, NEW.opened_at + interval '72 hours');
        IF NEW.excluded_moderators = '{}' AND NEW.respondent_id IS NOT NULL THEN NEW.excluded_moderators := ARRAY[NEW.respondent_id]; END IF;
    END IF;
    NEW.queue_at := case_queue_time(NEW.due_at, NEW.risk, NEW.report_weight, NEW.reach);
    RETURN NEW;
END $$;
CREATE TRIGGER cases_queue_time BEFORE INSERT OR UPDATE OF due_at, risk, report_weight, reach ON cases
    FOR EACH ROW EXECUTE FUNCTION cases_set_queue_time();

CREATE TABLE decisions (
    id            uuid CONSTRAINT decisions_pkey PRIMARY KEY,
    case_id       uuid NOT NULL CONSTRAINT decisions_case_id_fkey REFERENCES cases (id),
    moderator_id  uuid CONSTRAINT decisions_moderator_id_fkey REFERENCES users (id),
    proposed_by   uuid CONSTRAINT decisions_proposed_by_fkey REFERENCES users (id),
    decision      text NOT NULL,
    reason_code   text NOT NULL,
    message       text NOT NULL,
    evidence      jsonb NOT NULL DEFAULT '[]',
    decided_at    timestamptz NOT NULL DEFAULT now(),
    ends_at       timestamptz,
    overturned_at timestamptz
);
CREATE INDEX decisions_case ON decisions (case_id, decided_at);
COMMENT ON COLUMN decisions.moderator_id IS 'NULL: the service itself, by the rules for trusted authors.';

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

-- Reports -------------------------------------------------------------------------------------------------------------

CREATE TABLE reports (
    id           uuid CONSTRAINT reports_pkey PRIMARY KEY,
    reporter_id  uuid NOT NULL CONSTRAINT reports_reporter_fkey REFERENCES users (id) ON DELETE CASCADE,
    subject_kind text NOT NULL CONSTRAINT reports_subject_kind_check CHECK (subject_kind IN ('template', 'version', 'review', 'user')),
    subject_id   uuid NOT NULL,
    reason       text NOT NULL CONSTRAINT reports_reason_check CHECK (reason IN ('copyright', 'malicious', 'offensive', 'harassment',
        'personal_data', 'spam', 'misleading', 'other')),
    text         text NOT NULL DEFAULT '' CONSTRAINT reports_text_check CHECK (char_length(text) <= 5000),
    weight       double precision NOT NULL DEFAULT 0.5,
    case_id      uuid CONSTRAINT reports_case_fkey REFERENCES cases (id),
    state        text NOT NULL DEFAULT 'open' CONSTRAINT reports_state_check CHECK (state IN ('open', 'closed')),
    outcome      text CONSTRAINT reports_outcome_check CHECK (outcome IN ('upheld', 'dismissed')),
    created_at   timestamptz NOT NULL,
    closed_at    timestamptz,
    CONSTRAINT reports_end_check CHECK ((state = 'open') = (closed_at IS NULL))
);
CREATE UNIQUE INDEX reports_open_key ON reports (reporter_id, subject_kind, subject_id) WHERE state = 'open';
CREATE INDEX reports_subject ON reports (subject_kind, subject_id, created_at) WHERE state = 'open';
CREATE INDEX reports_case ON reports (case_id);
CREATE INDEX reports_reporter ON reports (reporter_id, created_at DESC, id DESC);
COMMENT ON TABLE reports IS 'Complaints for the moderators. One open report for each person and subject.';
COMMENT ON COLUMN reports.weight IS 'What its writer''s word was worth when it came in, 0 to 1: the smoothed share of their reports that were upheld.';

-- Take-downs: they hold everywhere at once and can be undone exactly --------------------------------------------------

CREATE TABLE takedowns (
    id            uuid CONSTRAINT takedowns_pkey PRIMARY KEY,
    subject_kind  text NOT NULL CONSTRAINT takedowns_subject_kind_check CHECK (subject_kind IN
        ('template', 'version', 'review', 'user', 'notice')),
    subject_id    uuid NOT NULL,
    decision_id   uuid,
    reason_code   text NOT NULL,
    message       text NOT NULL,
    taken_down_at timestamptz NOT NULL,
    restored_at   timestamptz,
    restored_by   uuid
);
CREATE UNIQUE INDEX takedowns_open_key ON takedowns (subject_kind, subject_id) WHERE restored_at IS NULL;
CREATE INDEX takedowns_by_time ON takedowns (taken_down_at);
COMMENT ON TABLE takedowns IS 'What moderators and copyright notices took down, and when it was put back. decision_id and restored_by are the decisions'' ids. A notice''s has the kind ''notice'' and the notice''s id.';

CREATE TABLE takedown_items (
    takedown_id uuid NOT NULL CONSTRAINT takedown_items_takedown_fkey REFERENCES takedowns (id) ON DELETE CASCADE,
    item_kind   text NOT NULL CONSTRAINT takedown_items_kind_check CHECK (item_kind IN ('template', 'version', 'review')),
    item_id     uuid NOT NULL,
    CONSTRAINT takedown_items_pkey PRIMARY KEY (takedown_id, item_kind, item_id)
);
CREATE INDEX takedown_items_item ON takedown_items (item_kind, item_id);
COMMENT ON TABLE takedown_items IS 'What went down with a take-down. Something is down while any take-down that was not undone has it.';

-- Numbered, since the guard below stands on it.
CREATE VIEW open_takedown_items AS
    SELECT i.item_kind, i.item_id, d.id AS takedown_id, d.reason_code, d.message, d.taken_down_at
    FROM takedown_items AS i JOIN takedowns AS d ON d.id = i.takedown_id
    WHERE d.restored_at IS NULL;

-- No other way leads out of a take-down, whatever a code path forgets.
CREATE FUNCTION versions_stay_taken_down() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM open_takedown_items AS o WHERE o.item_kind = 'version' AND o.item_id = NEW.id) THEN
        RAISE EXCEPTION 'the version is taken down' USING ERRCODE = 'check_violation', CONSTRAINT = 'versions_taken_down';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER versions_down BEFORE UPDATE OF state ON versions
    FOR EACH ROW WHEN (OLD.state = 'taken_down' AND NEW.state <> 'taken_down') EXECUTE FUNCTION versions_stay_taken_down();

CREATE FUNCTION versions_reject_taken_down_templates() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM templates AS t WHERE t.id = NEW.template_id AND t.taken_down_at IS NOT NULL) THEN
        RAISE EXCEPTION 'the template is taken down' USING ERRCODE = 'check_violation', CONSTRAINT = 'versions_template_taken_down';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER versions_standing BEFORE INSERT ON versions FOR EACH ROW EXECUTE FUNCTION versions_reject_taken_down_templates();

-- Sanctions -----------------------------------------------------------------------------------------------------------

CREATE TABLE sanctions (
    id              uuid CONSTRAINT sanctions_pkey PRIMARY KEY,
    user_id         uuid NOT NULL CONSTRAINT sanctions_user_fkey REFERENCES users (id) ON DELETE CASCADE,
    kind            text NOT NULL CONSTRAINT sanctions_kind_check CHECK (kind IN ('warn', 'suspend', 'ban')),
    scopes          text[] NOT NULL CONSTRAINT sanctions_scopes_check CHECK (scopes <@ ARRAY['uploads', 'reviews', 'reports', 'all']),
    reason_code     text NOT NULL,
    message         text NOT NULL,
    decision_id     uuid,
    imposed_at      timestamptz NOT NULL,
    expires_at      timestamptz,
    lifted_at       timestamptz,
    lifted_decision uuid,
    CONSTRAINT sanctions_end_check CHECK ((kind = 'suspend') = (expires_at IS NOT NULL)),
    CONSTRAINT sanctions_reach_check CHECK ((kind = 'warn') = (scopes = '{}'))
);
CREATE INDEX sanctions_user ON sanctions (user_id, imposed_at DESC);
COMMENT ON TABLE sanctions IS 'Warnings, suspensions and bans. Suspensions end by themselves; what was lifted counts as no strike.';

-- Copyright: notices and counter-notices, with the dates that the statute sets ----------------------------------------

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
    language           text,
    CONSTRAINT copyright_notices_version_check CHECK ((subject_kind = 'version') = (version IS NOT NULL)),
    CONSTRAINT copyright_notices_counter_check CHECK ((countered_at IS NULL) = (restore_from IS NULL))
);
CREATE INDEX copyright_notices_by_time ON copyright_notices (received_at DESC, id DESC);
CREATE INDEX copyright_notices_template ON copyright_notices (template_id);
CREATE INDEX copyright_notices_due ON copyright_notices (restore_from) WHERE state = 'countered';
-- So few e-mails a day for each address.
CREATE INDEX copyright_notices_email ON copyright_notices (lower(email), received_at);
COMMENT ON TABLE copyright_notices IS 'Notices under 17 U.S.C. 512(c)(3) and Article 16 of Regulation (EU) 2022/2065, and what came of them.';
COMMENT ON COLUMN copyright_notices.has_takedown IS 'Whether the notice holds a take-down: of the kind ''notice'', with its id.';
COMMENT ON COLUMN copyright_notices.language IS 'Of the claimant''s e-mails, by what their browser asked for.';

-- The risk score of submissions, and the trusted path -----------------------------------------------------------------

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
    CONSTRAINT risk_assessments_pkey PRIMARY KEY (submission_id, is_shadow),
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
