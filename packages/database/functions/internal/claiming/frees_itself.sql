-- Whether this worker is the one in the fleet that should run dry to take a suspect: the live worker with the smallest id that serves the
-- stage. This needs no vote and no state, and if that worker dies, the next one takes its place.
create or replace function lockstep.frees_itself(p_worker_id uuid, p_stage_ids integer[], p_now timestamptz)
returns boolean
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select exists (
    select
    from lockstep.jobs j
    where j.suspect and j.status = 'pending' and j.stage_id = any (p_stage_ids)
      and p_worker_id = (
        select w.id
        from lockstep.workers w
        where w.lost_at is null and w.lease_until > p_now and j.stage_id = any (w.stage_ids)
        order by w.id
        limit 1
      )
  );
$$;
