-- How many jobs will be claimed before a job that waits in a stage: the more urgent ones, those before it in its own group, and as many
-- of every other group as take their turns meanwhile. The jobs without a group count as one more group.
-- Counts up to 10001, and looks at no more than 2000 groups. It does not take ageing and limits into account.
create or replace function lockstep.jobs_ahead(
  p_stage_id integer,
  p_priority integer,
  p_group_key text,
  p_position bigint
)
returns integer
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_most constant integer := 10001;
  v_in_line integer;
  v_ahead integer;
begin
  if p_group_key is null then
    select count(*) into v_in_line
    from (
      select from lockstep.jobs j
      where j.stage_id = p_stage_id and j.priority = p_priority and j.held_by is null and j.status = 'pending' and not j.suspect
        and j.group_key is null and j.position < p_position
      order by j.position
      limit v_most
    ) a;
  else
    select count(*) into v_in_line
    from (
      select from lockstep.jobs j
      where j.stage_id = p_stage_id and j.priority = p_priority and j.held_by is null and not j.suspect
        and j.group_key is not null and j.group_key collate "C" = p_group_key and j.position < p_position
      order by j.group_key collate "C", j.position
      limit v_most
    ) a;
  end if;

  v_ahead := v_in_line + (
    select count(*)
    from (
      select from lockstep.jobs j
      where j.stage_id = p_stage_id and j.priority < p_priority and j.position is not null and j.held_by is null
        and j.status = 'pending' and not j.suspect and j.group_key is null
      order by j.priority, j.position
      limit v_most - v_in_line
    ) a
  );
  v_ahead := v_ahead + (
    select count(*)
    from (
      select from lockstep.jobs j
      where j.stage_id = p_stage_id and j.priority < p_priority and j.position is not null and j.held_by is null
        and not j.suspect and j.group_key is not null
      order by j.priority, j.group_key collate "C", j.position
      limit v_most - v_ahead
    ) a
  );

  if v_in_line > 0 then
    if p_group_key is not null then
      v_ahead := v_ahead + (
        select count(*)
        from (
          select from lockstep.jobs j
          where j.stage_id = p_stage_id and j.priority = p_priority and j.position is not null and j.held_by is null
            and j.status = 'pending' and not j.suspect and j.group_key is null
          order by j.position
          limit least(v_in_line, v_most - v_ahead)
        ) a
      );
    end if;
    v_ahead := v_ahead + (
      -- each group is found by one step in the index
      with recursive groups as (
        (
          select j.group_key, 1 as number
          from lockstep.jobs j
          where j.stage_id = p_stage_id and j.priority = p_priority and j.position is not null and j.held_by is null
            and not j.suspect and j.group_key is not null
          order by j.group_key collate "C", j.position
          limit 1
        )
        union all
        select following.group_key, g.number + 1
        from groups g
        cross join lateral (
          select j.group_key
          from lockstep.jobs j
          where j.stage_id = p_stage_id and j.priority = p_priority and j.position is not null and j.held_by is null
            and not j.suspect and j.group_key is not null and j.group_key collate "C" > g.group_key
          order by j.group_key collate "C", j.position
          limit 1
        ) following
        where g.number <= 2000
      )
      select count(*)
      from (
        select
        from groups g
        cross join lateral (
          select from lockstep.jobs j
          where j.stage_id = p_stage_id and j.priority = p_priority and j.position is not null and j.held_by is null
            and not j.suspect and j.group_key is not null and j.group_key collate "C" = g.group_key
          order by j.group_key collate "C", j.position
          limit v_in_line
        ) a
        where g.group_key is distinct from p_group_key
        limit v_most - v_ahead
      ) a
    );
  end if;
  return least(v_ahead, v_most);
end;
$$;
