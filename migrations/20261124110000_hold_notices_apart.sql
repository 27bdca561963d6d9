-- A copyright notice holds its work down by a take-down of its own, beside those of moderators and of other notices: each ends
-- on its own, and the work is back with the last. Old nodes go on writing. A short lock on takedowns.

ALTER TABLE takedowns
    DROP CONSTRAINT takedowns_subject_kind_check,
    ADD CONSTRAINT takedowns_subject_kind_check CHECK (subject_kind IN ('template', 'version', 'review', 'user', 'notice'));
COMMENT ON TABLE takedowns IS 'What moderators and copyright notices took down, and when it was put back. decision_id and restored_by are the decisions'' ids. A notice''s has the kind ''notice'' and the notice''s id.';
COMMENT ON COLUMN copyright_notices.has_takedown IS 'Whether the notice holds a take-down: of the kind ''notice'', with its id.';

-- What notices already hold becomes theirs.
UPDATE takedowns AS d SET subject_kind = 'notice', subject_id = n.id
FROM copyright_notices AS n
LEFT JOIN versions AS v ON v.template_id = n.template_id AND v.number = n.version
WHERE n.has_takedown AND d.restored_at IS NULL AND d.decision_id IS NULL AND d.reason_code = 'copyright'
    AND d.subject_kind = n.subject_kind
    AND d.subject_id = CASE WHEN n.subject_kind = 'template' THEN n.template_id ELSE v.id END;

-- Notices that found their work down, and that were not answered for yet, hold it, too. It is down: nothing else moves.
INSERT INTO takedowns (id, subject_kind, subject_id, reason_code, message, taken_down_at)
SELECT n.id, 'notice', n.id, 'copyright', n.name || ' says that this infringes their copyright.', n.changed_at
FROM copyright_notices AS n
LEFT JOIN versions AS v ON v.template_id = n.template_id AND v.number = n.version
WHERE NOT n.has_takedown AND n.state IN ('taken_down', 'countered', 'suit_filed') AND EXISTS (
    SELECT FROM open_takedown_items AS o
    WHERE o.item_kind = n.subject_kind
        AND o.item_id = CASE WHEN n.subject_kind = 'template' THEN n.template_id ELSE v.id END);
INSERT INTO takedown_items (takedown_id, item_kind, item_id)
SELECT d.id, 'template', n.template_id FROM takedowns AS d JOIN copyright_notices AS n ON n.id = d.id
WHERE d.subject_kind = 'notice' AND n.subject_kind = 'template'
UNION ALL
SELECT d.id, 'version', v.id FROM takedowns AS d JOIN copyright_notices AS n ON n.id = d.id
JOIN versions AS v ON v.template_id = n.template_id AND (n.version IS NULL OR v.number = n.version)
WHERE d.subject_kind = 'notice';
UPDATE copyright_notices AS n SET has_takedown = true
WHERE NOT n.has_takedown AND EXISTS (SELECT FROM takedowns AS d WHERE d.id = n.id AND d.restored_at IS NULL);
