-- Sends a wake-up to a few workers that sleep for one of these stages; none sleeps, none is sent.
-- NOTIFY takes a database-wide lock at commit, so a busy fleet must send none.
create or replace function lockstep.wake_workers(
  p_stage_ids integer[],
  p_jobs integer default 1,
  p_now timestamptz default clock_timestamp()
)
returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  -- Two at least, in case one has just died; the rest finds its work when these are full, or by polling.
  -- Inside a longer transaction nobody can say who will sleep at its commit: then anyone who serves the stage is told.
  -- (Not simply a later statement: with bound parameters even a call by itself begins some microseconds
  -- after its transaction.)
  perform pg_notify('lockstep_' || replace(w.id::text, '-', ''), '')
  from (
    select w.id
    from lockstep.workers w
    where w.lost_at is null
      and w.lease_until > p_now
      and (
        w.waiting_stage_ids && p_stage_ids
        or (
          statement_timestamp() - transaction_timestamp() > interval '1 millisecond'
          and w.stage_ids && p_stage_ids
        )
      )
    order by (w.waiting_stage_ids && p_stage_ids) desc, random()
    limit least(8, 1 + p_jobs)
  ) w;
end;
$$;
