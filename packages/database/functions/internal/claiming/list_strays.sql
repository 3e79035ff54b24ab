-- Lists strays as held: jobs that were claimed from the line and are neither listed as held nor in a range of their claim. No function of
-- ours leaves such a job, but neither a heartbeat nor a sweep would find it, so it would be processing for ever.
-- Claims take jobs from the front of a lane, and these leave the lane within seconds. So a stray is among the first jobs of its lane,
-- and only those are checked. Returns how many it listed.
create or replace function lockstep.list_strays(p_now timestamptz)
returns integer
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  with recursive
  -- the lanes that have jobs, each found by one step in the index
  lanes as (
    (
      select j.stage_id, j.priority
      from lockstep.jobs j
      where j.position is not null and j.held_by is null and not j.suspect and j.group_key is null
      order by j.stage_id, j.priority, j.position
      limit 1
    )
    union all
    select following.stage_id, following.priority
    from lanes l
    cross join lateral (
      select j.stage_id, j.priority
      from lockstep.jobs j
      where j.position is not null and j.held_by is null and not j.suspect and j.group_key is null
        and (j.stage_id, j.priority) > (l.stage_id, l.priority)
      order by j.stage_id, j.priority, j.position
      limit 1
    ) following
  ),
  strays as materialized (
    select j.id, j.claim_token
    from lanes l
    cross join lateral (
      select j.id, j.claim_token, j.claimed_at, j.worker_id, j.stage_id, j.priority, j.position, j.status
      from lockstep.jobs j
      where j.stage_id = l.stage_id and j.priority = l.priority
        and j.position is not null and j.held_by is null and not j.suspect and j.group_key is null
      order by j.position
      limit 100
    ) j
    where j.status = 'processing'
      -- younger ones have a range, or are found a minute later
      and j.claimed_at < p_now - interval '15 seconds'
      and not exists (
        select from lockstep.claimed_ranges r
        where r.worker_id = j.worker_id and r.claim_token = j.claim_token
          and r.stage_id = j.stage_id and r.priority = j.priority and j.position between r.first_position and r.last_position
      )
    order by j.id    -- all functions lock jobs in this order
  ),
  locked as materialized (
    select j.id
    from strays s
    cross join lateral (
      select j.id from lockstep.jobs j
      where j.id = s.id and j.claim_token = s.claim_token and j.held_by is null
      for update skip locked
    ) j
  ),
  listed as (
    update lockstep.jobs j
    set held_by = j.worker_id
    from locked l
    where lockstep.is_same_id(j.id, l.id)
  )
  select count(*)::integer from locked;
$$;
