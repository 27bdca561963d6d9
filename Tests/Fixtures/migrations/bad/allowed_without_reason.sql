-- expect: other
-- allow drop: because
DROP TABLE favorites;
