-- Scopes that were parts of others, and tokens for named templates. Tokens that there are go on doing what they could:
-- writing reviews was part of templates:write, and who administers had every scope there was.
-- An old node knows nothing of limits: make limited tokens once all nodes are new.

UPDATE api_tokens SET scopes = scopes || '{reviews:write}'::text[]
    WHERE 'templates:write' = ANY (scopes) AND NOT 'reviews:write' = ANY (scopes);
UPDATE api_tokens SET scopes = scopes || '{webhooks}'::text[]
    WHERE 'administration' = ANY (scopes) AND NOT 'webhooks' = ANY (scopes);

ALTER TABLE api_tokens ADD COLUMN is_limited boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN api_tokens.is_limited IS 'Whether the token acts on the templates of api_token_templates alone, should those be none.';

CREATE TABLE api_token_templates (
    token_id    uuid NOT NULL CONSTRAINT api_token_templates_token_fkey REFERENCES api_tokens (id) ON DELETE CASCADE,
    template_id uuid NOT NULL CONSTRAINT api_token_templates_template_fkey REFERENCES templates (id) ON DELETE CASCADE,
    PRIMARY KEY (token_id, template_id)
);
COMMENT ON TABLE api_token_templates IS 'What limited tokens act on.';
