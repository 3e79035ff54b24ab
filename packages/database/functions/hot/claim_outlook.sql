-- What a claim must know before it begins, in one row, since most of what an idle worker's call costs is the overhead of its statements.
-- Each lookup in jobs has an "order by" that only the right index has. Without it, an "exists" on fresh tables was planned as a scan of all
-- waiting jobs. Plain SQL without settings, so that PostgreSQL inlines it.
create or replace function lockstep.claim_outlook(
  p_worker_id uuid,
  p_stage_ids integer[],
  p_due_after timestamptz[],
  p_now timestamptz
)
returns table (
  is_alive boolean,             -- not true: the worker's lease is over
  is_known boolean,             -- not true: PostgreSQL has crashed since the worker presented its claims
  epoch_began timestamptz,
  open_stages integer[],        -- those that are not paused
  gated_stages integer[],       -- those with limits, a breaker or budgets
  spending_stages integer[],    -- those with budgets
  turn_stages integer[],        -- those where limits, ageing or groups decide which job is next
  has_suspect boolean,          -- true: some stage, not only of these, has a suspect
  first_due timestamptz         -- when the next of the jobs that wait for a time is due
)
language sql
stable
as $$
  select
    (select true from lockstep.workers w where w.id = p_worker_id and w.lost_at is null and w.lease_until > p_now),
    (
      select w.claim_epoch = e.id
      from lockstep.workers w
      join lockstep.claim_epoch e on e.is_current
      where w.id = p_worker_id
    ),
    (select e.began_at from lockstep.claim_epoch e where e.is_current),
    coalesce(array_agg(s.id) filter (where s.paused_at is null), '{}'),
    coalesce(array_agg(s.id) filter (where s.is_gated), '{}'),
    array_agg(s.id) filter (where s.spends is not null),
    coalesce(array_agg(s.id) filter (where
      s.is_gated
      or p.ageing_ms is not null
      or (
        select true
        from lockstep.jobs j
        where j.stage_id = s.id and j.position is not null and j.held_by is null and not j.suspect and j.group_key is not null
        order by j.priority, j.group_key collate "C", j.position
        limit 1
      )
    ), '{}'),
    (select true from lockstep.jobs j where j.suspect order by j.stage_id, j.position limit 1),
    (
      select min(j.scheduled_for)
      from unnest(p_stage_ids, p_due_after) as d (id, due_after)
      cross join lateral (
        select j.scheduled_for
        from lockstep.jobs j
        where j.stage_id = d.id
          and j.position is null
          and j.scheduled_for > coalesce(d.due_after, '-infinity')
        order by j.scheduled_for
        limit 1
      ) j
    )
  from lockstep.stages s
  join lockstep.pipelines p on p.id = s.pipeline_id
  where s.id = any (p_stage_ids);
$$;
