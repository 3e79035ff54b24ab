-- Sends a wake-up to a few workers that sleep for this stage; none sleeps, none is sent.
-- NOTIFY takes a database-wide lock at commit, so a busy fleet must send none.
-- The first to be told is the same for ten seconds, then another: who worked a moment ago has its code, its connection and
-- its plans at hand, and of a hundred that sleep nearly all go on sleeping. The others are any: the first may be full, or dead.
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
declare
  v_turn constant bigint := floor(date_part('epoch', p_now) / 10);
begin
  -- Two at least, in case one has just died; the rest finds its work when these are full, or by polling.
  perform pg_notify('lockstep_' || replace(w.id::text, '-', ''), '')
  from (
    select w.id
    from (
      select w.id, row_number() over (order by uuid_hash_extended(w.id, v_turn)) as place
      from lockstep.workers w
      where w.lost_at is null
        and w.lease_until > p_now
        and p_stage_id = any (w.waiting_stage_ids)
    ) w
    order by w.place > 1, random()
    limit least(8, 1 + p_jobs)
  ) w;
end;
$$;
