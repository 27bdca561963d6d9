-- SPDX-License-Identifier: Apache-2.0
-- What a worker does of a job belongs to the trace of whoever entered it.
ALTER TABLE jobs ADD COLUMN trace_parent text;
COMMENT ON COLUMN jobs.trace_parent IS 'The trace in which the job was entered, as the field traceparent of W3C Trace Context; null where nothing was traced.';
