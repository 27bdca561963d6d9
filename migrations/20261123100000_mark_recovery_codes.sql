-- Recovery codes are marked with a key of their second factor's secret, so that the market's sealing keys can be dropped.

ALTER TABLE recovery_codes ADD COLUMN keyed_by text NOT NULL DEFAULT 'secret_keys'
    CONSTRAINT recovery_codes_keyed_by_check CHECK (keyed_by IN ('secret_keys', 'second_factor'));
COMMENT ON TABLE recovery_codes IS 'HMAC-SHA256 of single-use codes. keyed_by says with which key: of the second factor''s sealed secret, or, in older rows, of SHEETMARKET_SECRET_KEYS itself.';
