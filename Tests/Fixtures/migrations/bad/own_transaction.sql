-- expect: other
COMMIT;
