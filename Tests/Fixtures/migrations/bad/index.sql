-- expect: index
CREATE INDEX templates_by_subtitle ON templates (subtitle);
