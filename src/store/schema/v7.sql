-- Edits may be kept by what differs since an earlier decision; what was decided at once is found by its moment.
CREATE INDEX decisions_by_at ON decisions (at);
