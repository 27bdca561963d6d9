-- Trust: signed metadata of the catalog (The Update Framework 1.0), and the keys that sign it online.

CREATE TABLE trust_keys (
    id         uuid CONSTRAINT trust_keys_pkey PRIMARY KEY,
    key_id     text NOT NULL CONSTRAINT trust_keys_key_id_key UNIQUE,
    role       text NOT NULL CONSTRAINT trust_keys_role_check CHECK (role IN ('timestamp', 'snapshot', 'bins')),
    secret     bytea NOT NULL,
    created_at timestamptz NOT NULL
);
COMMENT ON TABLE trust_keys IS 'Private keys of the roles that are signed online, sealed. Which of them count the root and the targets say.';

CREATE TABLE trust_metadata (
    role          text NOT NULL,
    version       bigint NOT NULL,
    bytes         bytea NOT NULL,
    expires_at    timestamptz NOT NULL,
    created_at    timestamptz NOT NULL,
    superseded_at timestamptz,
    CONSTRAINT trust_metadata_pkey PRIMARY KEY (role, version)
);
CREATE INDEX trust_metadata_superseded ON trust_metadata (superseded_at) WHERE superseded_at IS NOT NULL;
COMMENT ON TABLE trust_metadata IS 'Files of metadata as they are served. Readers begin at the newest timestamp, which comes with all that it names.';
COMMENT ON COLUMN trust_metadata.superseded_at IS 'Since when there is a later one; readers may be at this one for a while yet.';

CREATE TABLE trust_targets (
    version_id  uuid CONSTRAINT trust_targets_pkey PRIMARY KEY,
    template_id uuid NOT NULL,
    bin         integer NOT NULL,
    path        text NOT NULL,
    sha256      bytea NOT NULL,
    size_bytes  bigint NOT NULL,
    custom      text NOT NULL
);
CREATE INDEX trust_targets_of_template ON trust_targets (template_id);
CREATE INDEX trust_targets_of_bin ON trust_targets (bin);
COMMENT ON TABLE trust_targets IS 'What the bins say of each version: derived from the catalog, kept so that one bin can be written alone.';

CREATE TABLE trust_bins (
    number         integer CONSTRAINT trust_bins_pkey PRIMARY KEY,
    last_version   bigint NOT NULL DEFAULT 0,
    version        bigint,
    staged_version bigint,
    expires_at     timestamptz,
    is_dirty       boolean NOT NULL DEFAULT true
);
CREATE INDEX trust_bins_dirty ON trust_bins (number) WHERE is_dirty;
COMMENT ON COLUMN trust_bins.version IS 'The one that the snapshot names.';
COMMENT ON COLUMN trust_bins.staged_version IS 'One that was signed with other keys, for the targets that wait in trust_state.';

CREATE TABLE trust_state (
    id              boolean CONSTRAINT trust_state_pkey PRIMARY KEY DEFAULT true CONSTRAINT trust_state_single CHECK (id),
    bin_count       integer NOT NULL,
    feed_id         uuid,
    position        bigint NOT NULL DEFAULT 0,
    is_syncing      boolean NOT NULL DEFAULT true,
    synced_until    uuid,
    pending_root    bytea,
    pending_targets bytea
);
COMMENT ON TABLE trust_state IS 'How far the publisher is in the change feed, and what the keepers of the offline keys handed in.';
COMMENT ON COLUMN trust_state.synced_until IS 'While all templates are gone through: the last one that was.';
