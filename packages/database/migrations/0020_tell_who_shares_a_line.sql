-- A worker that claims learns whether others have just claimed from the same line: the newest ranges of a stage tell.
create index claimed_ranges_of_stage on lockstep.claimed_ranges (stage_id, claimed_at);
