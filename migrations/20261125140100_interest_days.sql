-- Community: what leads people to sheets, by day, in sums.

CREATE TABLE interest_days (
    day         date NOT NULL,
    template_id uuid NOT NULL CONSTRAINT interest_days_template_fkey REFERENCES templates (id) ON DELETE CASCADE,
    kind        text NOT NULL CONSTRAINT interest_days_kind_check CHECK (kind IN ('view', 'source', 'search', 'download', 'install')),
    value       text NOT NULL CONSTRAINT interest_days_value_check CHECK (char_length(value) <= 120),
    count       bigint NOT NULL CONSTRAINT interest_days_count_check CHECK (count > 0),
    CONSTRAINT interest_days_pkey PRIMARY KEY (template_id, kind, day, value)
);
CREATE INDEX interest_days_day ON interest_days (day);
COMMENT ON TABLE interest_days IS 'Sums that tell nobody apart; written once a minute by each node. Kept for two years.';
COMMENT ON COLUMN interest_days.value IS 'A host, a term that three people used that day, or a version''s number; empty for views.';
