-- Lists the jobs as held that these workers claimed more than five seconds ago and still hold. Long jobs thus leave the line that claims
-- read, at the cost of new index entries; short jobs never pay for this.
-- Jobs that others have locked stay for the next time, and so do the ranges.
create or replace function lockstep.list_as_held(p_worker_ids uuid[], p_now timestamptz)
returns void
language plpgsql    -- planned once per connection, since it is part of every heartbeat
security definer
set search_path = pg_catalog, pg_temp
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
    order by j.id    -- all functions lock jobs in this order
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
    set held_by = j.worker_id
    from locked l
    where lockstep.is_same_id(j.id, l.id)
  )
  delete from lockstep.claimed_ranges r
  using ranges
  where r.ctid = ranges.place
    and (select count(*) from locked) = (select count(*) from held);
end;
$$;
