-- SPDX-License-Identifier: Apache-2.0
-- A little of everything that a running market has, for release.sql. scripts/make-schema-fixture enters it into an empty
-- database of the present schema. Ids end in the number that queries.sql knows them by.

INSERT INTO users (id, handle, display_name, email, email_verified_at, password_hash, role, created_at) VALUES
    ('00000000-0000-7000-8000-000000000001', 'ada', 'Ada', 'ada@example.org', '2026-11-01', 'scrypt$', 'user', '2026-11-01'),
    ('00000000-0000-7000-8000-000000000002', 'ben', 'Ben', NULL, NULL, 'scrypt$', 'user', '2026-11-01'),
    ('00000000-0000-7000-8000-000000000003', 'cleo', 'Cleo', 'cleo@example.org', '2026-11-01', NULL, 'moderator', '2026-11-01');
INSERT INTO sessions (id, user_id, token_hash, user_agent, network, created_at, expires_at, last_seen_at) VALUES
    ('00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000001', '\x11', 'Firefox', '192.0.2', '2026-11-02',
        '2036-11-02', '2026-11-02');
INSERT INTO api_tokens (id, user_id, name, token_hash, scopes, is_limited, created_at, expires_at) VALUES
    ('00000000-0000-7000-8000-000000000012', '00000000-0000-7000-8000-000000000001', 'ci', '\x12', '{templates:write}', true,
        '2026-11-02', '2036-11-02');
INSERT INTO known_devices (user_id, device_hash, first_seen, last_seen) VALUES
    ('00000000-0000-7000-8000-000000000001', '\x13', '2026-11-02', '2026-11-02');
INSERT INTO sign_in_failures (subject, failed_at) VALUES ('user:ben', '2026-11-02');
INSERT INTO second_factors (user_id, secret, created_at, confirmed_at, last_step) VALUES
    ('00000000-0000-7000-8000-000000000003', '\x14', '2026-11-02', '2026-11-02', 1);
INSERT INTO recovery_codes (user_id, code_hash, keyed_by) VALUES
    ('00000000-0000-7000-8000-000000000003', '\x15', 'second_factor');
INSERT INTO identities (id, user_id, issuer, subject, email, linked_at) VALUES
    ('00000000-0000-7000-8000-000000000016', '00000000-0000-7000-8000-000000000002', 'https://id.example.org', '7', NULL, '2026-11-02');
INSERT INTO mail_links (token_hash, user_id, purpose, email, created_at, expires_at) VALUES
    ('\x17', '00000000-0000-7000-8000-000000000001', 'verify', 'ada@example.org', '2026-11-02', '2036-11-02');
INSERT INTO mail_outbox (id, template, user_id, details, next_attempt_at, created_at) VALUES
    ('00000000-0000-7000-8000-000000000018', 'verify', '00000000-0000-7000-8000-000000000001', '{"name": "Ada"}', '2026-11-02', '2026-11-02');
INSERT INTO audit_entries (sequence, at, actor_id, actor, action, subject, details, previous_hash, hash, format, actor_salt,
    actor_hash, words_salt, words_hash) VALUES
    (1, '2026-11-02', '00000000-0000-7000-8000-000000000003', 'cleo', 'case.decided', 'case:1', '{}', '\x00', '\x01', 2, '\x02',
        '\x03', '\x04', '\x05');
INSERT INTO audit_checkpoints (sequence, head, at, key_id, signature) VALUES
    (1, sha256('\x01'), '2026-11-02', 'k1', '\x06');

INSERT INTO jobs (id, kind, subject, state, attempts, created_at) VALUES
    ('00000000-0000-7000-8000-000000000021', 'ingest_upload', '00000000-0000-7000-8000-000000000053', 'queued', 0, '2026-11-03'),
    ('00000000-0000-7000-8000-000000000022', 'ingest_upload', '00000000-0000-7000-8000-000000000051', 'done', 1, '2026-11-03');
INSERT INTO rate_limits (bucket, full_at) VALUES ('user:ada', '2026-11-03');
INSERT INTO idempotency_keys (key_hash, user_id, request_hash, attempt_id, lease_expires_at, committed_at, expires_at) VALUES
    ('\x23', '00000000-0000-7000-8000-000000000001', '\x24', '00000000-0000-7000-8000-000000000025', '2026-11-03', '2026-11-03',
        '2036-11-03');

INSERT INTO game_systems (slug, name, publisher, aliases, created_at) VALUES
    ('dnd5e', 'Dungeons & Dragons 5e', 'Wizards of the Coast', '{D&D,5e}', '2026-11-01'),
    ('call-of-cthulhu', 'Call of Cthulhu', 'Chaosium', '{CoC}', '2026-11-01');
INSERT INTO artifacts (sha256, size_bytes, media_type, created_at) VALUES
    (sha256('one'), 1000, 'application/pdf', '2026-11-04'),
    (sha256('two'), 2000, 'application/pdf', '2026-11-04'),
    (sha256('three'), 3000, 'application/pdf', '2026-11-04'),
    (sha256('picture'), 400, 'image/webp', '2026-11-04');
INSERT INTO templates (id, slug, owner_id, game_system, name, summary, description, tags, license, language, created_at,
    updated_at) VALUES
    ('00000000-0000-7000-8000-000000000041', 'adas-fighter', '00000000-0000-7000-8000-000000000001', 'dnd5e', 'Ada''s fighter',
        'A sheet for fighters', 'With room for feats.', '{martial,printable}', 'CC-BY-4.0', 'en', '2026-11-04', '2026-11-05'),
    ('00000000-0000-7000-8000-000000000042', 'investigator', '00000000-0000-7000-8000-000000000002', 'call-of-cthulhu',
        'Ermittlerbogen', 'Für die 1920er', '', '{printable}', 'CC0-1.0', 'de', '2026-11-04', '2026-11-06');
INSERT INTO submissions (id, template_id, uploader_id, version, metadata, artifact_sha256, file_name, size_bytes, state,
    progress, step, findings, page_count, created_at, updated_at) VALUES
    ('00000000-0000-7000-8000-000000000051', '00000000-0000-7000-8000-000000000041', '00000000-0000-7000-8000-000000000001',
        '1.0.0', '{"name": "Ada''s fighter"}', sha256('one'), 'fighter.pdf', 1000, 'published', 1, 'published', '[]', 1,
        '2026-11-04', '2026-11-05'),
    ('00000000-0000-7000-8000-000000000052', '00000000-0000-7000-8000-000000000042', '00000000-0000-7000-8000-000000000002',
        '0.9.0', '{"name": "Ermittlerbogen"}', sha256('two'), 'bogen.pdf', 2000, 'published', 1, 'published', '[]', 1,
        '2026-11-04', '2026-11-06'),
    ('00000000-0000-7000-8000-000000000053', '00000000-0000-7000-8000-000000000041', '00000000-0000-7000-8000-000000000001',
        '1.1.0', '{"name": "Ada''s fighter", "changelog": "Feats"}', sha256('three'), 'fighter.pdf', 3000, 'awaiting_review',
        1, 'awaiting review', '[{"code": "links", "severity": "info"}]', 1, '2026-11-07', '2026-11-07');
INSERT INTO submission_pages (submission_id, page_index, width, height, rotation, text_characters, form_fields, regions,
    page_text, perceptual_hash, text_hash)
    SELECT id, 0, 595, 842, 0, 100, 12, '[{"name": "Abilities", "x": 0.1, "y": 0.1, "width": 0.2, "height": 0.2}]',
        'Strength Dexterity', ('x' || encode(substr(artifact_sha256, 1, 8), 'hex'))::bit(64),
        ('x' || encode(substr(artifact_sha256, 9, 8), 'hex'))::bit(64)
    FROM submissions;
INSERT INTO previews (submission_id, page_index, width, height, sha256)
    SELECT id, 0, 320, 453, sha256('picture') FROM submissions;
INSERT INTO page_layouts (submission_id, page_index, layout) SELECT id, 0, '{"words": []}' FROM submissions;
INSERT INTO page_differences (submission_id, page_index, other_submission_id, other_page_index, width, height, sha256) VALUES
    ('00000000-0000-7000-8000-000000000053', 0, '00000000-0000-7000-8000-000000000051', 0, 320, 453, sha256('picture'));
INSERT INTO preset_pages (submission_id, page_index, width, height, perceptual_hash, regions) VALUES
    ('00000000-0000-7000-8000-000000000051', 0, 595, 842, B'1'::bit(64), '[]');
INSERT INTO versions (id, template_id, submission_id, number, artifact_sha256, file_name, size_bytes, page_count, changelog,
    published_at) VALUES
    ('00000000-0000-7000-8000-000000000061', '00000000-0000-7000-8000-000000000041', '00000000-0000-7000-8000-000000000051',
        '1.0.0', sha256('one'), 'fighter.pdf', 1000, 1, 'First', '2026-11-05'),
    ('00000000-0000-7000-8000-000000000062', '00000000-0000-7000-8000-000000000042', '00000000-0000-7000-8000-000000000052',
        '0.9.0', sha256('two'), 'bogen.pdf', 2000, 1, '', '2026-11-06');
UPDATE templates SET latest_version_id = v.id, newest_version_id = v.id, page_count = 1, published_at = v.published_at
    FROM versions AS v WHERE v.template_id = templates.id;
INSERT INTO template_authors (template_id, user_id, role, added_at) VALUES
    ('00000000-0000-7000-8000-000000000041', '00000000-0000-7000-8000-000000000003', 'contributor', '2026-11-05');
INSERT INTO template_invitations (id, template_id, inviter_id, invitee_id, role, created_at, expires_at) VALUES
    ('00000000-0000-7000-8000-000000000063', '00000000-0000-7000-8000-000000000041', '00000000-0000-7000-8000-000000000001',
        '00000000-0000-7000-8000-000000000002', 'maintainer', '2026-11-05', '2036-11-05');
INSERT INTO api_token_templates (token_id, template_id) VALUES
    ('00000000-0000-7000-8000-000000000012', '00000000-0000-7000-8000-000000000041');
INSERT INTO download_changes (day, template_id, downloads) VALUES ('2026-11-05', '00000000-0000-7000-8000-000000000041', 3);
SELECT aggregate_downloads();
INSERT INTO download_changes (day, template_id, downloads) VALUES ('2026-11-06', '00000000-0000-7000-8000-000000000041', 1);
INSERT INTO user_downloads (user_id, template_id, version_id, downloaded_at) VALUES
    ('00000000-0000-7000-8000-000000000002', '00000000-0000-7000-8000-000000000041', '00000000-0000-7000-8000-000000000061',
        '2026-11-06');
INSERT INTO collections (slug, title, created_at, updated_at) VALUES ('best', 'The best', '2026-11-06', '2026-11-06');
INSERT INTO collection_items (collection, template_id, position) VALUES ('best', '00000000-0000-7000-8000-000000000041', 1);
INSERT INTO catalog_dumps (day, sha256, size_bytes, templates, feed_id, position, created_at)
    SELECT '2026-11-06', sha256('two'), 2000, 2, id, 0, '2026-11-06' FROM change_feed;
SELECT number_changes();

INSERT INTO webhooks (id, user_id, url, events, covers, secret, created_at) VALUES
    ('00000000-0000-7000-8000-000000000071', '00000000-0000-7000-8000-000000000001', 'https://example.org/hook',
        '{review.created,submission.decided}', 'own', '\x71', '2026-11-06');
INSERT INTO reviews (id, template_id, user_id, version_id, stars, text, created_at, updated_at) VALUES
    ('00000000-0000-7000-8000-000000000072', '00000000-0000-7000-8000-000000000041', '00000000-0000-7000-8000-000000000002',
        '00000000-0000-7000-8000-000000000061', 4, 'Good.', '2026-11-06', '2026-11-06');
UPDATE reviews SET text = 'Very good.', stars = 5, updated_at = '2026-11-07';
INSERT INTO review_replies (review_id, author_id, text, created_at, updated_at) VALUES
    ('00000000-0000-7000-8000-000000000072', '00000000-0000-7000-8000-000000000001', 'Thanks.', '2026-11-07', '2026-11-07');
INSERT INTO review_votes (review_id, user_id, is_helpful, voted_at) VALUES
    ('00000000-0000-7000-8000-000000000072', '00000000-0000-7000-8000-000000000003', true, '2026-11-07');
INSERT INTO webhook_attempts (delivery_id, number, at, duration_ms, status)
    SELECT id, 1, '2026-11-07', 20, 500 FROM webhook_deliveries;

INSERT INTO risk_assessments (submission_id, is_shadow, rules_version, score, hits, route, assessed_at) VALUES
    ('00000000-0000-7000-8000-000000000053', false, 'r1', 20, '[]', 'moderator', '2026-11-07');
INSERT INTO cases (id, submission_id, risk, opened_at) VALUES
    ('00000000-0000-7000-8000-000000000081', '00000000-0000-7000-8000-000000000053', 20, '2026-11-07');
INSERT INTO cases (id, kind, subject_kind, subject_id, template_id, respondent_id, track, state, opened_at, decided_at) VALUES
    ('00000000-0000-7000-8000-000000000082', 'report', 'template', '00000000-0000-7000-8000-000000000042',
        '00000000-0000-7000-8000-000000000042', '00000000-0000-7000-8000-000000000002', 'report', 'decided', '2026-11-07',
        '2026-11-08');
INSERT INTO reports (id, reporter_id, subject_kind, subject_id, reason, case_id, state, outcome, created_at, closed_at) VALUES
    ('00000000-0000-7000-8000-000000000083', '00000000-0000-7000-8000-000000000001', 'template',
        '00000000-0000-7000-8000-000000000042', 'copyright', '00000000-0000-7000-8000-000000000082', 'closed', 'upheld',
        '2026-11-07', '2026-11-08');
INSERT INTO decisions (id, case_id, moderator_id, decision, reason_code, message, decided_at) VALUES
    ('00000000-0000-7000-8000-000000000084', '00000000-0000-7000-8000-000000000082', '00000000-0000-7000-8000-000000000003',
        'warn', 'copyright', 'Please mind whose art it is.', '2026-11-08');
INSERT INTO case_notes (id, case_id, author_id, text, created_at) VALUES
    ('00000000-0000-7000-8000-000000000085', '00000000-0000-7000-8000-000000000081', '00000000-0000-7000-8000-000000000003', 'Mine.',
        '2026-11-08');
INSERT INTO case_messages (id, case_id, author_id, side, text, created_at) VALUES
    ('00000000-0000-7000-8000-000000000086', '00000000-0000-7000-8000-000000000081', '00000000-0000-7000-8000-000000000003',
        'moderator', 'Whose font is it?', '2026-11-08');
INSERT INTO case_proposals (case_id, moderator_id, decision, reason_code, message, proposed_at) VALUES
    ('00000000-0000-7000-8000-000000000081', '00000000-0000-7000-8000-000000000003', 'reject', 'copyright', 'No.', '2026-11-08');
INSERT INTO cases (id, kind, subject_kind, subject_id, template_id, respondent_id, track, appeal_of, opened_at) VALUES
    ('00000000-0000-7000-8000-000000000087', 'appeal', 'template', '00000000-0000-7000-8000-000000000042',
        '00000000-0000-7000-8000-000000000042', '00000000-0000-7000-8000-000000000002', 'appeal',
        '00000000-0000-7000-8000-000000000082', '2026-11-08');
INSERT INTO appeals (id, case_id, appealed_case, decision_id, appellant_id, text, created_at) VALUES
    ('00000000-0000-7000-8000-000000000088', '00000000-0000-7000-8000-000000000087', '00000000-0000-7000-8000-000000000082',
        '00000000-0000-7000-8000-000000000084', '00000000-0000-7000-8000-000000000002', 'It is mine.', '2026-11-08');
INSERT INTO sanctions (id, user_id, kind, scopes, reason_code, message, imposed_at) VALUES
    ('00000000-0000-7000-8000-000000000089', '00000000-0000-7000-8000-000000000002', 'warn', '{}', 'copyright', 'Please mind.',
        '2026-11-08');
INSERT INTO takedowns (id, subject_kind, subject_id, reason_code, message, taken_down_at, restored_at) VALUES
    ('00000000-0000-7000-8000-00000000008a', 'review', '00000000-0000-7000-8000-000000000072', 'spam', 'Spam.', '2026-11-08',
        '2026-11-09');
INSERT INTO takedown_items (takedown_id, item_kind, item_id) VALUES
    ('00000000-0000-7000-8000-00000000008a', 'review', '00000000-0000-7000-8000-000000000072');
INSERT INTO copyright_notices (id, subject_kind, template_id, name, email, address, phone, work, explanation, signature,
    received_at, changed_at) VALUES
    ('00000000-0000-7000-8000-00000000008b', 'template', '00000000-0000-7000-8000-000000000042', 'Dora', 'dora@example.org',
        'Street 1', '1', 'A map', 'It is mine.', 'Dora', '2026-11-08', '2026-11-08');
INSERT INTO edit_assessments (id, template_id, case_id, rules_version, score, hits, assessed_at) VALUES
    ('00000000-0000-7000-8000-00000000008c', '00000000-0000-7000-8000-000000000042', '00000000-0000-7000-8000-000000000082', 'r1', 30,
        '[]', '2026-11-08');

SELECT aggregate_facet_changes();
SELECT rebuild_listings();
SELECT rebuild_terms();
SELECT rebuild_popular(1000);
SELECT recompute_rating_priors('2026-11-09');
