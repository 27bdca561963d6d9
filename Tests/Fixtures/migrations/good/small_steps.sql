UPDATE templates SET subtitle = '' WHERE id IN (SELECT id FROM templates WHERE subtitle IS NULL ORDER BY id LIMIT 1000);
