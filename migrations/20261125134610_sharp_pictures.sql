-- Ingest: pages get a sharper picture for the viewer, drawn some time after the inspection.

ALTER TABLE submission_pages ADD COLUMN picture_width integer;
COMMENT ON COLUMN submission_pages.picture_width IS 'Width of the sharper picture in previews, in pixels; NULL before it is drawn, and where it would be no wider than what the inspection drew.';
