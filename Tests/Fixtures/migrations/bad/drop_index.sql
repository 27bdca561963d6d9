-- expect: index
DROP INDEX templates_by_owner;
