-- A claim makes a job's row some forty bytes longer: with half of each page left free, one claim in nine found no room for
-- its new version there, and wrote it elsewhere with new entries in the indexes.

alter table lockstep.jobs set (fillfactor = 42);

-- With the addresses of rows that are to be settled, and of those that are claimed.
drop function if exists lockstep.settle_and_claim(
  uuid, uuid, uuid[], uuid[], jsonb, integer[], integer[], bigint[], integer[], timestamptz[], timestamptz
);
drop function if exists lockstep.settle_jobs(uuid[], uuid[], jsonb, integer[], bigint[], uuid, timestamptz);
drop function if exists lockstep.claim_suspect(uuid, uuid, integer[], timestamptz);
