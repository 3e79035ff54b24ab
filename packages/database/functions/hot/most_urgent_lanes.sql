-- For each stage, the most urgent priority that has waiting jobs; 21 if no job waits. Null if more than the order decides which job is
-- next: the stage is paused or has limits, ageing or waiting jobs with a group. p_places has 20 places per stage: where to begin to look.
-- Plain SQL without settings, so that PostgreSQL inlines it.
create or replace function lockstep.most_urgent_lanes(p_stage_ids integer[], p_places bigint[])
returns table (lanes integer[])
language sql
stable
as $$
  select array_agg(
    case when s.paused_at is null and not s.is_gated and p.ageing_ms is null and (
      select true
      from lockstep.jobs w
      where w.stage_id = s.id and w.position is not null and w.held_by is null and not w.suspect
        and w.group_key is not null
      order by w.priority, w.group_key collate "C", w.position
      limit 1
    ) is null then coalesce(
      (
        select lane
        from generate_series(1, 20) lane
        where (
          select true
          from lockstep.jobs w
          where w.stage_id = s.id and w.priority = lane and w.held_by is null and w.status = 'pending' and not w.suspect
            and w.group_key is null and w.position > coalesce(p_places[(g.ordinal - 1) * 20 + lane], 0)
          order by w.position    -- an order that only the right index has
          limit 1
        )
        limit 1
      ), 21)
    end
    order by g.ordinal
  )
  from unnest(p_stage_ids) with ordinality as g (id, ordinal)
  join lockstep.stages s on s.id = g.id
  join lockstep.pipelines p on p.id = s.pipeline_id;
$$;
