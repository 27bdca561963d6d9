-- SPDX-License-Identifier: Apache-2.0
-- What nodes of the release that release.sql is of ask its database, with values in place of parameters: UpgradeTests asks it
-- again and again while newer migrations run. One statement in each part; blank lines are between parts only.

-- somebody signs in, and is known by the cookie
INSERT INTO sessions (id, user_id, token_hash, user_agent, network, created_at, last_seen_at, confirmed_at, expires_at)
VALUES (gen_random_uuid(), '00000000-0000-7000-8000-000000000002', uuid_send(gen_random_uuid()), 'Firefox', '192.0.2', now(), now(),
    now(), now() + interval '30 days')

SELECT sessions.id, sessions.user_id, sessions.expires_at, sessions.confirmed_at, sessions.last_seen_at, users.handle, users.role,
    users.disabled_at, EXISTS (SELECT FROM second_factors AS f WHERE f.user_id = users.id AND f.confirmed_at IS NOT NULL)
FROM sessions JOIN users ON users.id = sessions.user_id WHERE sessions.token_hash = '\x11'

UPDATE sessions SET last_seen_at = now() WHERE id = '00000000-0000-7000-8000-000000000011'

UPDATE api_tokens SET last_used_at = now() WHERE id = '00000000-0000-7000-8000-000000000012'
RETURNING id, user_id, name, scopes, is_limited, expires_at, revoked_at

INSERT INTO users (id, handle, display_name, email, password_hash)
VALUES (gen_random_uuid(), 'new-' || gen_random_uuid(), 'New', 'new@example.org', 'scrypt$')

UPDATE users SET display_name = 'Ada ' || md5(random()::text), language = 'en' WHERE handle = 'ada'

INSERT INTO mail_outbox (id, template, user_id, recipient, details, next_attempt_at, created_at)
VALUES (gen_random_uuid(), 'verify', '00000000-0000-7000-8000-000000000001', NULL, '{"name": "Ada"}'::text::jsonb, now(), now())

UPDATE mail_outbox SET attempts = attempts + 1, next_attempt_at = now() + interval '1 minute'
WHERE id IN (
    SELECT id FROM mail_outbox WHERE state = 'waiting' AND next_attempt_at <= now() ORDER BY next_attempt_at LIMIT 10 FOR UPDATE SKIP LOCKED)
RETURNING id, template, user_id, recipient, details::text AS details, attempts, created_at

UPDATE mail_outbox SET state = 'sent', ended_at = now(), details = '{}' WHERE id = (SELECT min(id::text)::uuid FROM mail_outbox WHERE state = 'waiting')

INSERT INTO audit_entries (sequence, at, actor_id, actor, action, subject, reason, details, token_id, request_id, previous_hash, hash,
    format, actor_salt, actor_hash, words_salt, words_hash)
SELECT nextval('changes_sequence_seq') + 1000, now(), '00000000-0000-7000-8000-000000000001', 'ada', 'template.edited', 'template:1',
    NULL, '{}', NULL, 'r1', '\x00', '\x01', 2, '\x02', '\x03', '\x04', '\x05'

SELECT sequence, hash FROM audit_entries ORDER BY sequence DESC LIMIT 1

-- limits and calls with an Idempotency-Key
INSERT INTO rate_limits AS l (bucket, full_at) VALUES ('user:ada', statement_timestamp() + interval '1 second')
ON CONFLICT (bucket) DO UPDATE
    SET full_at = greatest(l.full_at, statement_timestamp()) + (excluded.full_at - statement_timestamp())
RETURNING l.bucket, l.full_at

INSERT INTO idempotency_keys (key_hash, user_id, request_hash, body_hash, attempt_id, lease_expires_at, committed_at, expires_at)
VALUES (uuid_send(gen_random_uuid()), '00000000-0000-7000-8000-000000000001', '\x24', '\x25', gen_random_uuid(),
    statement_timestamp() + interval '60 seconds', statement_timestamp(), statement_timestamp() + interval '1 day')

SELECT c.user_id, c.request_hash, c.body_hash, c.attempt_id, c.status, c.headers, c.response_body, c.lease_expires_at,
    c.committed_at, c.expires_at
FROM idempotency_keys AS c WHERE c.key_hash = '\x23'

-- work
INSERT INTO jobs (id, kind, subject, max_attempts)
VALUES (gen_random_uuid(), 'ingest_upload', '00000000-0000-7000-8000-000000000053', 5)

WITH next AS (
    SELECT id FROM jobs
    WHERE state = 'queued' AND run_at <= now() AND kind = ANY ('{ingest_upload}'::text[])
    ORDER BY run_at, id LIMIT 2 FOR UPDATE SKIP LOCKED
)
UPDATE jobs SET state = 'running', attempts = attempts + 1, worker = 'w1', lease_token = gen_random_uuid(),
    lease_expires_at = now() + 60 * interval '1 second'
FROM next WHERE jobs.id = next.id
RETURNING jobs.id, jobs.kind, jobs.subject, jobs.lease_token, jobs.attempts, jobs.max_attempts

UPDATE jobs SET state = 'done', finished_at = now(), lease_token = NULL, lease_expires_at = NULL, last_error = NULL
WHERE state = 'running' AND lease_token IS NOT NULL AND subject = '00000000-0000-7000-8000-000000000053'

-- browsing and searching
SELECT g.slug, g.name, g.publisher, g.aliases, (coalesce(f.count, 0) + coalesce(n.change, 0))::bigint AS count
FROM game_systems AS g
LEFT JOIN facet_counts AS f ON f.game_system = '' AND f.facet = 's' AND f.value = g.slug
LEFT JOIN (
    SELECT c.value, sum(c.change) AS change FROM facet_changes AS c WHERE c.game_system = '' AND c.facet = 's' GROUP BY 1
) AS n ON n.value = g.slug
ORDER BY lower(g.name), g.slug

SELECT l.id, l.slug, l.name, l.summary, l.author, l.game_system, l.number, l.rating, l.rating_count, l.downloads, l.license,
    l.language, l.tags, l.kind, l.page_count, l.updated_at
FROM (SELECT e.id, e.updated_at
    FROM (SELECT l.id, l.updated_at, l.bloom_low, l.bloom_high, l.rating, l.page_count FROM listings AS l
        ORDER BY l.updated_at DESC, l.id DESC LIMIT 4000) AS e
    WHERE (SELECT listing_bloom_filter('{"=t:printable"}', 0)) & ~bloom_low = 0 AND (SELECT listing_bloom_filter('{"=t:printable"}', 1)) & ~bloom_high = 0) AS e
CROSS JOIN LATERAL (SELECT * FROM listings AS l WHERE l.id = e.id OFFSET 0) AS l
WHERE l.filters @@ '''=t:printable'''::tsquery
ORDER BY e.updated_at DESC, e.id DESC LIMIT 21

SELECT l.id, l.slug, l.name FROM (
    SELECT w.id FROM (SELECT * FROM listing_words AS w WHERE w.words @@ to_tsquery('simple', search_text('fighter')) OFFSET 0) AS w
    ORDER BY w.updated_at DESC, w.id DESC LIMIT 21) AS w
JOIN listings AS l ON l.id = w.id

SELECT m.place, m.id, (ts_rank('{0.05, 0.2, 0.5, 1.0}', m.words, '''fighter'''::tsquery) * 1000000)::integer AS rank
FROM (SELECT * FROM popular_listings AS m WHERE m.words @@ '''fighter'''::tsquery ORDER BY m.place LIMIT 100) AS m

SELECT s.term, s.uses, s.variants FROM search_terms AS s WHERE s.variants && term_variants('fihgter')

SELECT t.id, t.slug, t.name, t.summary, t.description, t.tags, t.license, t.language, t.kind, t.page_count, t.rating, t.rating_count,
    t.downloads, t.created_at, t.updated_at, t.published_at, t.deprecated_at, t.deprecation_message, t.taken_down_at, u.handle,
    u.display_name, g.name, v.number, v.artifact_sha256, v.size_bytes, v.published_at
FROM templates AS t JOIN users AS u ON u.id = t.owner_id JOIN game_systems AS g ON g.slug = t.game_system
LEFT JOIN versions AS v ON v.id = t.latest_version_id
WHERE t.slug = 'adas-fighter'

SELECT v.id, v.number, v.channel, v.state, v.state_reason, v.withdrawn_by, v.changelog, v.artifact_sha256, v.size_bytes, v.page_count,
    v.minimum_client_version, v.published_at
FROM versions AS v WHERE v.template_id = '00000000-0000-7000-8000-000000000041' AND v.state <> 'taken_down'
ORDER BY version_precedence(v.number) COLLATE "C" DESC, v.number COLLATE "C" DESC LIMIT 20

SELECT f.id, f.last_position, f.horizon, c.position, c.kind, c.reason, c.code, c.template_id, c.slug, c.version, c.at
FROM change_feed AS f
LEFT JOIN LATERAL (SELECT * FROM changes WHERE changes.position > 0 ORDER BY changes.position LIMIT 100) AS c ON true
ORDER BY c.position

SELECT number_changes()

SELECT c.slug, c.title, c.summary, i.template_id, i.note, l.name FROM collections AS c
JOIN collection_items AS i ON i.collection = c.slug JOIN listings AS l ON l.id = i.template_id ORDER BY c.slug, i.position

-- publishing and editing
INSERT INTO artifacts (sha256, size_bytes, media_type) VALUES (sha256('one'), 1000, 'application/pdf')
ON CONFLICT (sha256) DO UPDATE SET media_type = artifacts.media_type

INSERT INTO templates (id, slug, owner_id, game_system, name, summary, description, tags, license, language)
SELECT gen_random_uuid(), 'sheet-' || gen_random_uuid(), '00000000-0000-7000-8000-000000000002', 'dnd5e', 'A sheet', 'Of sorts', '',
    '{new}'::text[], 'CC0-1.0', 'en'
WHERE NOT EXISTS (SELECT FROM template_slugs WHERE slug = 'sheet')
ON CONFLICT ON CONSTRAINT templates_slug_key DO NOTHING

INSERT INTO submissions (id, template_id, uploader_id, version, metadata, artifact_sha256, file_name, size_bytes)
SELECT gen_random_uuid(), t.id, t.owner_id, '1.0.0', '{"name": "A sheet"}', sha256('two'), 'sheet.pdf', 2000
FROM templates AS t WHERE t.latest_version_id IS NULL
    AND NOT EXISTS (SELECT FROM submissions AS s WHERE s.template_id = t.id) LIMIT 1
ON CONFLICT DO NOTHING

UPDATE submissions SET state = 'awaiting_review', progress = 1, step = 'awaiting review', findings = '[]', page_count = 1,
    updated_at = now()
WHERE id = (SELECT id FROM submissions WHERE state = 'received' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)

SELECT submissions.id, submissions.state, submissions.progress::float8, submissions.step, submissions.findings,
    submissions.template_id, templates.slug, submissions.version, submissions.file_name, submissions.size_bytes,
    submissions.artifact_sha256, submissions.page_count, submissions.created_at, submissions.updated_at, submissions.uploader_id,
    submissions.original_sha256, submissions.cleaning, submissions.kind, submissions.changes, cases.id, last.decision
FROM submissions JOIN templates ON templates.id = submissions.template_id
LEFT JOIN cases ON cases.submission_id = submissions.id
LEFT JOIN LATERAL (
    SELECT decision FROM decisions WHERE decisions.case_id = cases.id ORDER BY decided_at DESC LIMIT 1
) AS last ON true
WHERE submissions.id = '00000000-0000-7000-8000-000000000053'

SELECT page_index, width, height, rotation, text_characters, form_fields, regions FROM submission_pages
WHERE submission_id = '00000000-0000-7000-8000-000000000051' ORDER BY page_index

UPDATE submission_pages SET regions = '[{"name": "Skills", "x": 0, "y": 0, "width": 0.5, "height": 0.5}]'
WHERE submission_id = '00000000-0000-7000-8000-000000000051' AND page_index = 0

UPDATE templates SET name = COALESCE('Ada''s fighter', name), summary = COALESCE(md5(random()::text), summary),
    tags = COALESCE('{martial,printable}'::text[], tags), updated_at = now()
WHERE id = '00000000-0000-7000-8000-000000000041'

WITH ranked AS (
    SELECT id, page_count, channel, version_precedence(number) COLLATE "C" AS precedence FROM versions
    WHERE template_id = '00000000-0000-7000-8000-000000000042' AND state = 'published'
), choice AS (
    SELECT (SELECT id FROM ranked ORDER BY channel = 'stable' DESC, precedence DESC, id DESC LIMIT 1) AS latest,
        (SELECT id FROM ranked ORDER BY precedence DESC, id DESC LIMIT 1) AS newest
)
UPDATE templates SET latest_version_id = choice.latest, newest_version_id = choice.newest,
    page_count = COALESCE((SELECT page_count FROM ranked WHERE ranked.id = choice.latest), 0)
FROM choice WHERE templates.id = '00000000-0000-7000-8000-000000000042'
RETURNING latest_version_id

-- downloads
SELECT begin_download_day('2026-11-07', sha256('salt'))

WITH fresh AS (
    INSERT INTO download_clients (day, template_id, client)
    SELECT '2026-11-07', '00000000-0000-7000-8000-000000000041', uuid_send(gen_random_uuid())
    WHERE to_regclass('download_clients_20261107') IS NOT NULL
    ON CONFLICT DO NOTHING
    RETURNING day, template_id
)
INSERT INTO download_changes (day, template_id, downloads) SELECT f.day, f.template_id, count(*) FROM fresh AS f GROUP BY 1, 2

SELECT aggregate_downloads()

INSERT INTO user_downloads AS d (user_id, template_id, version_id, downloaded_at)
VALUES ('00000000-0000-7000-8000-000000000002', '00000000-0000-7000-8000-000000000041', '00000000-0000-7000-8000-000000000061', now())
ON CONFLICT (user_id, template_id, version_id) DO UPDATE SET downloaded_at = excluded.downloaded_at

-- reviews and webhooks
INSERT INTO reviews AS r (id, template_id, user_id, version_id, stars, text, created_at, updated_at)
VALUES (gen_random_uuid(), '00000000-0000-7000-8000-000000000041', '00000000-0000-7000-8000-000000000002',
    '00000000-0000-7000-8000-000000000061', 1 + floor(random() * 5)::integer, 'Good.', now(), now())
ON CONFLICT ON CONSTRAINT reviews_author_key DO UPDATE SET version_id = excluded.version_id, stars = excluded.stars,
    text = excluded.text, updated_at = excluded.updated_at, deleted_at = NULL

SELECT r.id, r.template_id, w.handle, r.stars, r.text, v.number, r.helpful, r.unhelpful, r.created_at, r.updated_at, k.stars, k.count,
    k.rating, k.lower_bound
FROM visible_reviews AS r JOIN users AS w ON w.id = r.user_id JOIN versions AS v ON v.id = r.version_id
LEFT JOIN template_ratings AS k ON k.template_id = r.template_id
WHERE r.template_id = '00000000-0000-7000-8000-000000000041' ORDER BY r.created_at DESC, r.id DESC LIMIT 20

INSERT INTO review_votes (review_id, user_id, is_helpful, voted_at)
VALUES ('00000000-0000-7000-8000-000000000072', '00000000-0000-7000-8000-000000000003', random() < 0.5, now())
ON CONFLICT (review_id, user_id) DO UPDATE SET is_helpful = excluded.is_helpful, voted_at = excluded.voted_at

WITH free AS (
    SELECT w.id, w.url, w.secret FROM webhooks AS w JOIN users AS u ON u.id = w.user_id
    WHERE w.disabled_at IS NULL AND (w.lease_expires_at IS NULL OR w.lease_expires_at < now()) AND EXISTS (
        SELECT FROM webhook_deliveries AS d WHERE d.webhook_id = w.id AND d.state = 'pending' AND d.next_attempt_at <= now())
    ORDER BY w.lease_expires_at NULLS FIRST, w.id LIMIT 1 FOR NO KEY UPDATE OF w SKIP LOCKED
), busy AS (
    UPDATE webhooks SET lease_expires_at = now() + interval '10 milliseconds' FROM free WHERE webhooks.id = free.id
), next AS (
    SELECT d.id FROM free CROSS JOIN LATERAL (
        SELECT id FROM webhook_deliveries WHERE webhook_id = free.id AND state = 'pending' AND next_attempt_at <= now()
        ORDER BY next_attempt_at, id LIMIT 1
    ) AS d
)
UPDATE webhook_deliveries AS d SET attempts = d.attempts + 1, tries = d.tries + 1, lease_token = gen_random_uuid(),
    next_attempt_at = now() + interval '1 second'
FROM next, free WHERE d.id = next.id
RETURNING d.id, d.webhook_id, d.body, free.url, free.secret, d.attempts, d.tries, d.lease_token

-- moderation
INSERT INTO reports (id, reporter_id, subject_kind, subject_id, reason, text, state, created_at)
VALUES (gen_random_uuid(), '00000000-0000-7000-8000-000000000003', 'template', gen_random_uuid(), 'spam', '', 'open', now())

INSERT INTO cases (id, submission_id, opened_at)
SELECT gen_random_uuid(), s.id, now() FROM submissions AS s WHERE s.state = 'awaiting_review'
    AND NOT EXISTS (SELECT FROM cases AS c WHERE c.submission_id = s.id) LIMIT 1
ON CONFLICT DO NOTHING

SELECT id FROM cases
WHERE state IN ('open', 'claimed') AND (state = 'open' OR claim_expires_at <= now())
    AND NOT ('00000000-0000-7000-8000-000000000003'::uuid = ANY(excluded_moderators))
    AND NOT EXISTS (SELECT FROM case_proposals AS p
        WHERE p.case_id = cases.id AND p.moderator_id = '00000000-0000-7000-8000-000000000003')
ORDER BY queue_at, id LIMIT 1 FOR UPDATE SKIP LOCKED

UPDATE cases SET state = 'claimed', claimed_by = '00000000-0000-7000-8000-000000000003',
    claim_expires_at = now() + interval '1 hour', risk = 10
WHERE id = '00000000-0000-7000-8000-000000000081'

SELECT id, kind, state, claimed_by, claim_expires_at, is_audit, submission_id, template_id, respondent_id, appeal_of, subject_kind,
    subject_id, track, risk, report_count, report_weight, reach, due_at, queue_at, opened_at
FROM cases WHERE state IN ('open', 'claimed', 'waiting') ORDER BY queue_at, id LIMIT 50

INSERT INTO case_notes (id, case_id, author_id, text, created_at)
VALUES (gen_random_uuid(), '00000000-0000-7000-8000-000000000081', '00000000-0000-7000-8000-000000000003', 'Noted.', now())

SELECT * FROM open_takedown_items AS o WHERE o.item_kind = 'version'
