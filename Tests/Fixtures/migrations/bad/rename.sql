-- expect: rename rename rename rename
ALTER TABLE templates RENAME COLUMN summary TO abstract;
ALTER TABLE templates RENAME summary TO abstract;
ALTER TABLE templates RENAME TO sheets;
ALTER INDEX templates_by_owner RENAME TO sheets_by_owner;
