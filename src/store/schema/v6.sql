-- Inputs come in no order: an index by them costs half of what storing a call does, and what is found by function is sorted anyway.
DROP INDEX calls_by_function;
CREATE INDEX calls_by_function ON calls (function);
DROP INDEX calls_by_parent;
CREATE INDEX calls_by_parent ON calls (recording, process, parent_number) WHERE parent_number IS NOT NULL;

-- Read by nobody.
ALTER TABLE counts DROP COLUMN path;
ALTER TABLE counts DROP COLUMN raised;
