-- The ids of all live jobs that can match a filter, found by the indexes that claims and moves use. Null if none of these indexes helps, or
-- if there are more than p_at_most.
create or replace function lockstep.few_live_jobs(p_filter jsonb, p_stage_ids integer[], p_at_most integer)
returns uuid[]
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_statuses text[] := array(select jsonb_array_elements_text(coalesce(
    p_filter -> 'statuses', '["scheduled", "pending", "processing", "retrying"]'
  )));
  v_ids uuid[] := '{}';
begin
  if p_filter ? 'workerId' then
    v_ids := array(
      select j.id from lockstep.held_jobs((p_filter ->> 'workerId')::uuid) j
      limit p_at_most + 1
    );
  elsif p_filter ? 'batchId' then
    v_ids := array(
      select j.id from lockstep.jobs j
      where j.batch_id = (p_filter ->> 'batchId')::uuid
      order by j.batch_id    -- an order that only the right index has; so are the ones below
      limit p_at_most + 1
    );
  elsif p_filter ?| array['pipeline', 'stage'] or not v_statuses @> array['scheduled', 'pending', 'processing', 'retrying'] then
    if v_statuses && array['processing'] then
      v_ids := v_ids || array(
        select j.id from lockstep.processing_jobs(p_at_most + 1) j
        limit p_at_most + 1
      );
    end if;
    if v_statuses && array['scheduled', 'retrying'] and cardinality(v_ids) <= p_at_most then
      v_ids := v_ids || array(
        select j.id
        from unnest(p_stage_ids) as s (id)
        cross join lateral (
          select j.id from lockstep.jobs j
          where j.stage_id = s.id and j.position is null
          order by j.scheduled_for, j.id
          limit p_at_most + 1
        ) j
        limit p_at_most + 1
      );
    end if;
    if v_statuses && array['pending'] and cardinality(v_ids) <= p_at_most then
      v_ids := v_ids || array(
        select j.id
        from unnest(p_stage_ids) as s (id)
        cross join lateral (
          (
            select j.id from lockstep.jobs j
            where j.stage_id = s.id and j.position is not null and j.held_by is null and j.status = 'pending'
              and not j.suspect and j.group_key is null
            order by j.priority, j.position
            limit p_at_most + 1
          )
          union all
          (
            select j.id from lockstep.jobs j
            where j.stage_id = s.id and j.position is not null and j.held_by is null and not j.suspect
              and j.group_key is not null
            order by j.priority, j.group_key collate "C", j.position
            limit p_at_most + 1
          )
          union all
          (
            select j.id from lockstep.jobs j
            where j.suspect and j.stage_id = s.id
            order by j.position
            limit p_at_most + 1
          )
        ) j
        limit p_at_most + 1
      );
    end if;
  else
    return null;
  end if;
  return case when cardinality(v_ids) <= p_at_most then v_ids end;
end;
$$;
