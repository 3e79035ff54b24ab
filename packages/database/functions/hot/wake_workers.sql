-- Sends a wake-up to a few workers that sleep for this stage; if none sleeps, none is sent.
-- NOTIFY takes a database-wide lock at commit, so a busy fleet must send none.
-- One worker is woken first for ten seconds, then another one: a worker that ran a moment ago still has its code, connection and
-- plans in memory, and nearly all others can go on sleeping. The rest are chosen at random, in case the first is full or dead.
-- Workers that have sent no heartbeat for half of their lease, which is longer than the time between two heartbeats, come last:
-- they may be dead or frozen, and a job for which only such workers were woken would wait until they are swept.
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
  -- One more than there are jobs, in case one has just died; at most eight. Other workers find jobs when these are full, or by polling.
  perform pg_notify('lockstep_' || replace(w.id::text, '-', ''), '')
  from (
    select w.id
    from (
      select w.id, w.is_late, row_number() over (order by w.is_late, uuid_hash_extended(w.id, v_turn)) as place
      from (
        select w.id, w.lease_until - w.lease / 2 < p_now as is_late
        from lockstep.workers w
        where w.lost_at is null
          and w.lease_until > p_now
          and p_stage_id = any (w.waiting_stage_ids)
      ) w
    ) w
    order by w.place > 1, w.is_late, random()
    limit least(8, 1 + p_jobs)
  ) w;
end;
$$;
