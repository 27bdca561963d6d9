-- expect: other
-- allow anything: this is no rule of the linter at all
SELECT 1;
