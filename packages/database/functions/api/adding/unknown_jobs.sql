-- Which of these jobs do not exist, neither live nor finished, for callers that wait for results. An open transaction may still add
-- such a job. It is certain that nobody will once all transactions have ended that were open when the job was first missing.
--   open_from   the oldest transaction that is open now; all older ones have ended
--   begun_until the transaction of this call; every transaction that wrote before it has a smaller number (the end of a snapshot does
--               not say that)
--   age_ms      how long ago the id was drawn; null if the id does not tell
create or replace function lockstep.unknown_jobs(p_ids uuid[], p_now timestamptz default clock_timestamp())
returns table (id uuid, open_from text, begun_until text, age_ms double precision)
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  select
    g.id,
    pg_snapshot_xmin(pg_current_snapshot())::text,
    pg_current_xact_id()::text,
    case when substr(g.id::text, 15, 1) = '7' then date_part('epoch', p_now) * 1000 - lockstep.ms_of_id(g.id) end
  from unnest(p_ids) as g (id)
  where not exists (select from lockstep.jobs j where j.id = g.id)
    and not exists (
      select from lockstep.finished_jobs f
      where f.pipeline_id = any (array(select p.id from lockstep.pipelines p)) and f.id = g.id
    );
$$;
