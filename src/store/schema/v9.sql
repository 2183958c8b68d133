-- Lines of a function that ran only in calls that were not kept, as a JSON list; 0 in it: it is not known which ones.
ALTER TABLE counts ADD COLUMN missed TEXT NOT NULL DEFAULT '[]';
