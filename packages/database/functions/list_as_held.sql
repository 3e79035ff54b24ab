-- Lists as held what these workers claimed some seconds ago and still have: jobs that take their time leave the line that claims
-- go through, at the cost of an entry in the indexes, and those that are soon done never pay for it.
-- What others have locked stays for the next time, and its range with it.
create or replace function lockstep.list_as_held(p_worker_ids uuid[], p_now timestamptz)
returns void
language plpgsql    -- part of every heartbeat, and so planned once for a connection
security definer
set search_path = pg_catalog, pg_temp
-- One sane plan whatever the statistics say: by index, row by row, in order.
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_bitmapscan = off
set enable_material = off
set random_page_cost = 0
set plan_cache_mode = force_generic_plan
as $$
begin
  with ranges as materialized (
    select r.ctid as place, r as claimed
    from lockstep.claimed_ranges r
    where r.worker_id = any (p_worker_ids) and r.claimed_at < p_now - interval '5 seconds'
  ),
  held as materialized (
    select j.id, j.claim_token
    from ranges r
    cross join lateral lockstep.jobs_of_range(r.claimed) j
    order by j.id    -- everyone locks jobs in this order
  ),
  locked as materialized (
    select j.id
    from held h
    cross join lateral (
      select j.id from lockstep.jobs j where j.id = h.id and j.claim_token = h.claim_token for update skip locked
    ) j
  ),
  listed as (
    update lockstep.jobs j
    set listed_as = 'processing', held_by = j.worker_id
    from locked l
    where lockstep.is_same_id(j.id, l.id)
  )
  delete from lockstep.claimed_ranges r
  using ranges
  where r.ctid = ranges.place
    and (select count(*) from locked) = (select count(*) from held);
end;
$$;
