-- What became of letters and of deliveries to webhooks, counted for /metrics by all nodes together: workers answer no requests.
-- One row each, so that whoever counts two things in a transaction waits once.

CREATE TABLE outbox_totals (
    outbox    text CONSTRAINT outbox_totals_pkey PRIMARY KEY CONSTRAINT outbox_totals_outbox_check CHECK (outbox IN ('mail', 'webhooks')),
    sent      bigint NOT NULL DEFAULT 0,
    failed    bigint NOT NULL DEFAULT 0,
    abandoned bigint NOT NULL DEFAULT 0,
    dropped   bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
INSERT INTO outbox_totals (outbox) VALUES ('mail'), ('webhooks');
COMMENT ON TABLE outbox_totals IS 'Since this table was made. failed counts attempts, the others letters and deliveries; dropped ones had nobody to go to.';

CREATE FUNCTION count_mail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE outbox_totals SET sent = sent + (NEW.state = 'sent')::int, abandoned = abandoned + (NEW.state = 'dead')::int,
        dropped = dropped + (NEW.state = 'dropped')::int,
        failed = failed + (NEW.state = 'dead' OR NEW.state = 'waiting')::int
    WHERE outbox = 'mail';
    RETURN NULL;
END $$;
CREATE TRIGGER mail_outbox_ended AFTER UPDATE OF state ON mail_outbox
    FOR EACH ROW WHEN (OLD.state = 'waiting' AND NEW.state <> 'waiting') EXECUTE FUNCTION count_mail();
-- Put off after an attempt: nothing else writes down a problem of one that goes on waiting.
CREATE TRIGGER mail_outbox_failed AFTER UPDATE OF problem ON mail_outbox
    FOR EACH ROW WHEN (NEW.state = 'waiting') EXECUTE FUNCTION count_mail();

CREATE FUNCTION count_webhook_attempt() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE outbox_totals SET sent = sent + (NEW.status IS NOT NULL AND NEW.status BETWEEN 200 AND 299)::int,
        failed = failed + (NEW.status IS NULL OR NEW.status NOT BETWEEN 200 AND 299)::int
    WHERE outbox = 'webhooks';
    RETURN NULL;
END $$;
CREATE TRIGGER webhook_attempts_counted AFTER INSERT ON webhook_attempts
    FOR EACH ROW EXECUTE FUNCTION count_webhook_attempt();

CREATE FUNCTION count_webhook_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE outbox_totals SET abandoned = abandoned + 1 WHERE outbox = 'webhooks';
    RETURN NULL;
END $$;
CREATE TRIGGER webhook_deliveries_abandoned AFTER UPDATE OF state ON webhook_deliveries
    FOR EACH ROW WHEN (OLD.state = 'pending' AND NEW.state = 'failed') EXECUTE FUNCTION count_webhook_end();
