-- SPDX-License-Identifier: Apache-2.0
-- :count templates with one published version of two pages each.
BEGIN;
INSERT INTO game_systems (slug, name, publisher, aliases) VALUES ('bench', 'Bench', 'Nobody', '{}');
INSERT INTO users (id, handle, display_name, email) VALUES ('00000000-0000-7000-8000-000000000001', 'bench', 'Bench', 'bench@example.org');
INSERT INTO artifacts (sha256, size_bytes, media_type) VALUES (sha256('bench'), 200000, 'application/pdf');
CREATE TEMP TABLE made AS
    SELECT n, gen_random_uuid() AS template, gen_random_uuid() AS version, gen_random_uuid() AS submission FROM generate_series(1, :count) AS n;
INSERT INTO templates (id, slug, owner_id, game_system, name, summary, description, tags, license, language, page_count, downloads, published_at)
    SELECT template, 'bench-' || n, '00000000-0000-7000-8000-000000000001', 'bench', 'Bench sheet number ' || n, 'A sheet for measuring, number ' || n,
           repeat('A sentence of a description. ', 10), '{bench,measure}', 'CC-BY-4.0', 'en', 2, n % 1000, now() - n * interval '1 minute' FROM made;
INSERT INTO submissions (id, template_id, uploader_id, version, metadata, artifact_sha256, file_name, size_bytes, state, page_count)
    SELECT submission, template, '00000000-0000-7000-8000-000000000001', '1.0.0', '{}', sha256('bench'), 'bench.pdf', 200000, 'published', 2 FROM made;
INSERT INTO submission_pages (submission_id, page_index, width, height, rotation, text_characters, form_fields, regions)
    SELECT submission, page, 595, 842, 0, 1200, 40,
           (SELECT jsonb_agg(jsonb_build_object('id', 'r' || r, 'name', 'Region ' || r, 'rect', jsonb_build_object('x', 0.1, 'y', r * 0.1, 'width', 0.8, 'height', 0.09),
                                                'scale', 1.2, 'pageIndex', page, 'confidence', 0.9, 'source', 'detected')) FROM generate_series(0, 8) AS r)
    FROM made, generate_series(0, 1) AS page;
INSERT INTO versions (id, template_id, submission_id, number, artifact_sha256, file_name, size_bytes, page_count, changelog)
    SELECT version, template, submission, '1.0.0', sha256('bench'), 'bench.pdf', 200000, 2, 'First.' FROM made;
INSERT INTO users (id, handle, display_name, email) VALUES ('00000000-0000-7000-8000-000000000002', 'reviewer', 'Reviewer', 'reviewer@example.org');
UPDATE templates SET latest_version_id = made.version FROM made WHERE templates.id = made.template;
INSERT INTO reviews (id, template_id, user_id, version_id, stars, text, created_at, updated_at)
    SELECT gen_random_uuid(), template, '00000000-0000-7000-8000-000000000002', version, 4, 'A sentence of a review.', now(), now() FROM made;
COMMIT;
VACUUM (ANALYZE);
