-- Claims one job that must run alone, for a worker that holds nothing. Rows as settle_and_claim.
create or replace function lockstep.claim_suspect(
  p_worker_id uuid,
  p_claim_token uuid,
  p_stage_ids integer[],
  p_now timestamptz
)
returns table (
  kind text,
  id uuid,
  stage_id integer,
  attempt smallint,
  priority smallint,
  "position" bigint,
  owner text,
  tags text[],
  payload jsonb,
  outputs jsonb,
  detail jsonb
)
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  with picked as materialized (
    select j.id
    from lockstep.jobs j
    where j.suspect and j.status = 'pending' and j.stage_id = any (p_stage_ids)
    order by j.position
    limit 1
    for update skip locked
  ),
  claimed as (
    update lockstep.jobs j
    set status = 'processing',
        claim_token = coalesce(p_claim_token, gen_random_uuid()),
        worker_id = p_worker_id,
        claimed_at = p_now,
        attempt = j.attempt + 1
    from picked
    where j.id = picked.id
    returning j.*
  ),
  counted as (
    insert into lockstep.stage_moves (at, stage_id, moved_from, moved_to, jobs)
    select p_now, c.stage_id, 'pending', 'processing', 1
    from claimed c
  )
  select 'claimed', c.id, c.stage_id, c.attempt, c.priority, c.position,
    c.owner, c.tags, c.payload, c.outputs, null::jsonb
  from claimed c;
$$;
