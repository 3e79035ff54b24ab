-- After a crash of PostgreSQL, which may have lost the claims of the last moments, a worker presents the claims that it holds. A lost claim
-- is valid again, under its token, if its job waits as it did before the claim and nobody has claimed it since.
-- Each array has one element per claim: the job, the token, and the stage and attempt that came with the claim. Returns the claims that stay
-- lost. Afterwards the worker may claim again; until then settle_and_claim gives it no jobs.
create or replace function lockstep.present_claims(
  p_worker_id uuid,
  p_ids uuid[] default '{}',
  p_tokens uuid[] default '{}',
  p_stage_ids integer[] default '{}',
  p_attempts integer[] default '{}',
  p_now timestamptz default clock_timestamp()
)
returns table (job_id uuid, claim_token uuid)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_epoch uuid;
  v_is_alive boolean;
  v_gated integer[];
  v_stage_id integer;
  v_ids uuid[];
  v_key_stages integer[];
  v_keys text[];
  v_called_at constant timestamptz := clock_timestamp();
begin
  if array_length(p_ids, 1) is distinct from array_length(p_tokens, 1)
    or array_length(p_ids, 1) is distinct from array_length(p_stage_ids, 1)
    or array_length(p_ids, 1) is distinct from array_length(p_attempts, 1)
  then
    raise exception 'present_claims needs a token, a stage and an attempt for each job, but got % ids, % tokens, % stages and % attempts.',
      cardinality(p_ids), cardinality(p_tokens), cardinality(p_stage_ids), cardinality(p_attempts)
      using errcode = 'LS001';
  end if;

  insert into lockstep.claim_epoch (began_at) values (p_now) on conflict do nothing;
  select e.id into v_epoch from lockstep.claim_epoch e where e.is_current;
  update lockstep.workers w set claim_epoch = v_epoch where w.id = p_worker_id and w.lost_at is null;
  v_is_alive := found;

  if v_is_alive and cardinality(p_ids) > 0 then
    v_gated := array(select s.id from lockstep.stages s where s.id = any (p_stage_ids) and s.is_gated order by s.id);
    if cardinality(v_gated) > 0 then
      p_now := lockstep.lock_gates(v_gated, v_called_at, p_now);
    end if;

    with given as materialized (
      select distinct on (g.id) g.id, g.token, g.stage_id, g.attempt
      from unnest(p_ids, p_tokens, p_stage_ids, p_attempts) as g (id, token, stage_id, attempt)
      order by g.id    -- all functions lock jobs in this order
    ),
    forgotten as materialized (
      select j.id, g.token, j.stage_id, j.status, j.group_key
      from given g
      cross join lateral (
        select j.id, j.stage_id, j.status, j.group_key
        from lockstep.jobs j
        where j.id = g.id
          and j.stage_id = g.stage_id
          and j.attempt = g.attempt - 1
          -- the claim had promoted a due job, and that is lost with the claim
          and (j.status = 'pending' or j.status in ('scheduled', 'retrying') and j.scheduled_for <= p_now)
          -- a claim that has ended, whoever ended it, was not lost
          and not exists (select from unnest(j.history) h where h.claim_token = g.token)
        for update
      ) j
    ),
    held as (
      update lockstep.jobs j
      set status = 'processing',
          position = coalesce(j.position, nextval('lockstep.job_positions')),
          claim_token = f.token,
          worker_id = p_worker_id,
          held_by = p_worker_id,
          claimed_at = p_now,
          attempt = j.attempt + 1,
          counted = f.stage_id = any (v_gated)
      from forgotten f
      where lockstep.is_same_id(j.id, f.id)
      returning j.id, j.noted
    ),
    counted as (
      insert into lockstep.stage_moves (at, stage_id, moved_from, moved_to, jobs, wakes_for)
      select p_now, m.stage_id, m.moved_from, m.moved_to, count(*), case when m.moved_to = 'pending' then count(*) end
      from (
        select f.stage_id, f.status::text as moved_from, 'pending' as moved_to from forgotten f where f.status <> 'pending'
        union all
        select f.stage_id, 'pending', 'processing' from forgotten f
      ) m
      group by m.stage_id, m.moved_from, m.moved_to
    )
    select array_agg(f.stage_id), array_agg(coalesce(f.group_key, '')), array(select h.id from held h where h.noted)
    into v_key_stages, v_keys, v_ids
    from forgotten f;

    -- What they had reserved is lost with their claims. They run already, so it is reserved whether or not there is room.
    insert into lockstep.budget_reservations (job_id, budget_id, scope, period_began, amount)
    select j.id, n.budget_id, n.scope, lockstep.budget_period(b.every_ms, p_now), n.amount
    from unnest(p_ids, p_tokens) as g (id, token)
    join lockstep.jobs j on j.id = g.id and j.claim_token = g.token and j.counted and j.stage_id = any (v_gated)
    cross join lateral lockstep.budget_needs(j.stage_id, j.owner, j.group_key, null) n
    join lockstep.budgets b on b.id = n.budget_id
    on conflict (job_id, budget_id) do update set is_granted = false;

    foreach v_stage_id in array v_gated loop
      if v_stage_id = any (v_key_stages) then
        perform lockstep.use_rates(
          v_stage_id,
          array(select k.key from unnest(v_key_stages, v_keys) as k (stage_id, key) where k.stage_id = v_stage_id),
          p_now
        );
      end if;
    end loop;
    if cardinality(v_ids) > 0 then
      perform lockstep.log_claims(v_ids, p_now);
    end if;
  end if;

  return query
    select g.id, g.token
    from unnest(p_ids, p_tokens) as g (id, token)
    where not exists (select from lockstep.jobs j where j.id = g.id and j.claim_token = g.token);
end;
$$;
