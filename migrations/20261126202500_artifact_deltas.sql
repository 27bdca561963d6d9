-- Catalog: what differs between a file and an older one, for clients that have that.

CREATE TABLE artifact_deltas (
    target_sha256 bytea NOT NULL CONSTRAINT artifact_deltas_target_fkey REFERENCES artifacts (sha256) ON DELETE CASCADE,
    base_sha256   bytea NOT NULL CONSTRAINT artifact_deltas_base_fkey REFERENCES artifacts (sha256) ON DELETE CASCADE,
    sha256        bytea NOT NULL CONSTRAINT artifact_deltas_sha256_fkey REFERENCES artifacts (sha256),
    CONSTRAINT artifact_deltas_pkey PRIMARY KEY (target_sha256, base_sha256)
);
CREATE INDEX artifact_deltas_base ON artifact_deltas (base_sha256);
CREATE INDEX artifact_deltas_sha256 ON artifact_deltas (sha256);
COMMENT ON TABLE artifact_deltas IS 'Files that are sent to who has the base instead of the target: less than half as long, coded as dcz (RFC 9842).';
