-- Tells nodes of whatever may change who is who, since they remember for some seconds who showed which credential.

CREATE FUNCTION credentials_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- When something was last used changes nothing of what it is good for.
    IF TG_OP = 'UPDATE' AND to_jsonb(OLD) - '{last_used_at,last_seen_at}'::text[] = to_jsonb(NEW) - '{last_used_at,last_seen_at}'::text[] THEN
        RETURN NULL;
    END IF;
    PERFORM pg_notify('credentials', '');
    RETURN NULL;
END $$;
CREATE TRIGGER users_credentials AFTER UPDATE OR DELETE ON users FOR EACH ROW EXECUTE FUNCTION credentials_changed();
CREATE TRIGGER sessions_credentials AFTER UPDATE OR DELETE ON sessions FOR EACH ROW EXECUTE FUNCTION credentials_changed();
CREATE TRIGGER api_tokens_credentials AFTER UPDATE OR DELETE ON api_tokens FOR EACH ROW EXECUTE FUNCTION credentials_changed();
