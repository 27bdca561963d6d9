-- What a template is besides a character sheet, and what its importer made of the uploaded file.

ALTER TABLE templates
    ADD COLUMN kind text NOT NULL DEFAULT 'sheet' CONSTRAINT templates_kind_check CHECK (kind ~ '^[a-z][a-z_]{0,39}$');
COMMENT ON COLUMN templates.kind IS 'sheet, skill_library, region_preset, vocabulary, …; the same for all versions.';

ALTER TABLE submissions
    ADD COLUMN kind text NOT NULL DEFAULT 'sheet' CONSTRAINT submissions_kind_check CHECK (kind ~ '^[a-z][a-z_]{0,39}$'),
    ADD COLUMN outline jsonb,
    ADD COLUMN upload_sha256 bytea;
COMMENT ON COLUMN submissions.outline IS 'A readable rendering of a kind without pages: sections with rows, as plain text.';
COMMENT ON COLUMN submissions.upload_sha256 IS 'Hash of the uploaded file when an importer made another artifact of it; its bytes are not kept.';

-- Sheets are nearly all there is; the others are few and wanted by themselves.
CREATE INDEX templates_by_kind ON templates (kind, updated_at DESC, id DESC)
    WHERE latest_version_id IS NOT NULL AND kind <> 'sheet';
