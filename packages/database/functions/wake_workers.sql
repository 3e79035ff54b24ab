-- Sends a wake-up to a few workers that sleep for this stage; none sleeps, none is sent.
-- NOTIFY takes a database-wide lock at commit, so a busy fleet must send none.
create or replace function lockstep.wake_workers(
  p_stage_id integer,
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
  perform pg_notify('lockstep_' || replace(w.id::text, '-', ''), '')
  from (
    select w.id
    from lockstep.workers w
    where w.lost_at is null
      and w.lease_until > p_now
      and p_stage_id = any (w.waiting_stage_ids)
    order by random()
    limit least(8, 1 + p_jobs)
  ) w;
end;
$$;
