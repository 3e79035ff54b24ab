-- How find_jobs reads the jobs of a filter in a given order: queries (walks) that each follow an index. A walk runs once for every id in
-- over, which it calls arm.id. It returns at most $1 rows after the place ($2, $3), in the order of ids no further than $4, and says which
-- of them match the filter. The orders are
--   -id          any jobs, newest first
--   -finishedAt  failed and cancelled jobs
--   scheduledFor scheduled and retrying jobs; those that wait for a batch have no time and come last
--   claimOrder   pending jobs, by priority and position
--   claimedAt    processing jobs
create or replace function lockstep.sort_arms(p_filter jsonb, p_sort text, p_backwards boolean)
returns table (over integer[], walk text)
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_live constant text[] := array['scheduled', 'pending', 'processing', 'retrying'];
  v_gathered constant integer := 20000;
  v_statuses text[];
  v_pipeline_ids integer[];
  v_stage_ids integer[];
  v_few uuid[];
  v_is_down boolean := p_sort like '-%' <> p_backwards;
  v_direction text := case when v_is_down then 'desc' else 'asc' end;
  v_sign text := case when v_is_down then '<' else '>' end;
  -- Not beyond the year 9892, since PostgreSQL 14 cannot show a longer interval in a plan.
  v_at constant text := $t$(timestamptz 'epoch' + least($2, 250000000000000000) * interval '1 microsecond')$t$;
  v_sources jsonb := '[]';    -- of [over which ids, live or finished, from, key, range, order]
  v_range text := '';
begin
  v_stage_ids := lockstep.stages_of_filter(p_filter);
  v_pipeline_ids := array(select distinct s.pipeline_id from lockstep.stages s where s.id = any (v_stage_ids));
  v_statuses := array(
    select s.status::lockstep.job_status::text
    from jsonb_array_elements_text(coalesce(
      p_filter -> 'statuses',
      case when p_filter ? 'error' then '["failed"]' else to_jsonb(enum_range(null::lockstep.job_status)) end
    )) as s (status)
  );
  if v_stage_ids is null then
    return;
  end if;

  if p_sort = '-id' then
    -- An id tells when the job was added, except for differences between the clocks of those who draw ids.
    if p_filter ? 'addedAfter' then
      v_range := v_range || format(' and j.id >= %L', lockstep.id_at((extract(epoch from (p_filter ->> 'addedAfter')::timestamptz) * 1000)::bigint - 300000));
    end if;
    if p_filter ? 'addedBefore' then
      v_range := v_range || format(' and j.id < %L', lockstep.id_at((extract(epoch from (p_filter ->> 'addedBefore')::timestamptz) * 1000)::bigint + 300000));
    end if;
    -- $4 ends a round, which reads the same span of ids in all arms.
    v_range := format('j.id %s $3 and j.id %s= $4', v_sign, case when v_is_down then '>' else '<' end) || v_range;

    if v_statuses && v_live and not p_filter ? 'error' then
      if not p_filter ?| array['ids', 'owner'] then
        v_few := lockstep.few_live_jobs(p_filter, v_stage_ids, 5000);
      end if;
      v_sources := v_sources || jsonb_build_array(array['{0}', 'live', 'lockstep.jobs j where ' || case
        when p_filter ? 'ids' then format('j.id = any (%L::uuid[])', array(select jsonb_array_elements_text(p_filter -> 'ids')))
        when p_filter ? 'owner' then format('j.owner = %L', p_filter ->> 'owner')
        when v_few is not null then format('j.id = any (%L::uuid[])', v_few)
        else 'true'
      end]);
    end if;

    if p_filter ? 'error' then
      if v_statuses @> array['failed'] then
        v_sources := v_sources || jsonb_build_array(array['{0}', 'finished', format('lockstep.unsuccessful_jobs j where j.fingerprint = %L', p_filter ->> 'error')]);
      end if;
    elsif p_filter ?| array['ids', 'owner', 'batchId'] and v_statuses && array['completed', 'failed', 'cancelled'] then
      v_sources := v_sources || jsonb_build_array(array['{0}', 'finished', case
        when not v_statuses && array['failed', 'cancelled'] then 'lockstep.completed_jobs'
        when not v_statuses && array['completed'] then 'lockstep.unsuccessful_jobs'
        else 'lockstep.finished_jobs'
      end || ' j where ' || case
        when p_filter ? 'ids' then format('j.pipeline_id = any (%L::integer[]) and j.id = any (%L::uuid[])',
          v_pipeline_ids, array(select jsonb_array_elements_text(p_filter -> 'ids')))
        when p_filter ? 'owner' then format('j.owner = %L', p_filter ->> 'owner')
        else format('j.batch_id = %L', p_filter ->> 'batchId')
      end]);
    elsif v_statuses @> array['completed', 'failed', 'cancelled'] then
      v_sources := v_sources || jsonb_build_array(array[v_pipeline_ids::text, 'finished', 'lockstep.finished_jobs j where j.pipeline_id = arm.id']);
    else
      if v_statuses && array['completed'] then
        v_sources := v_sources || jsonb_build_array(array[v_pipeline_ids::text, 'finished', 'lockstep.completed_jobs j where j.pipeline_id = arm.id']);
      end if;
      if v_statuses @> array['failed', 'cancelled'] then
        v_sources := v_sources || jsonb_build_array(array[v_pipeline_ids::text, 'finished', 'lockstep.unsuccessful_jobs j where j.pipeline_id = arm.id']);
      elsif v_statuses && array['failed', 'cancelled'] then
        v_sources := v_sources || jsonb_build_array(array[
          v_pipeline_ids::text, 'finished',
          format('lockstep.unsuccessful_jobs j where j.pipeline_id = arm.id and j.status = %L',
            case when v_statuses && array['failed'] then 'failed' else 'cancelled' end)
        ]);
      end if;
    end if;
    v_sources := (
      select jsonb_agg(s.source || jsonb_build_array('0::bigint', v_range, format('j.id %s', v_direction)) order by s.number)
      from jsonb_array_elements(v_sources) with ordinality as s (source, number)
    );

  elsif p_sort = '-finishedAt' and v_statuses <@ array['failed', 'cancelled'] then
    select jsonb_agg(array[
      v_pipeline_ids::text, 'finished',
      format('lockstep.unsuccessful_jobs j where j.pipeline_id = arm.id and j.status = %L', s.status),
      '(extract(epoch from j.finished_at) * 1000000)::bigint',
      format('(j.finished_at, j.id) %s (%s, $3)', v_sign, v_at),
      format('j.finished_at %1$s, j.id %1$s', v_direction)
    ]) into v_sources
    from unnest(v_statuses) as s (status);

  elsif p_sort = 'scheduledFor' and v_statuses <@ array['scheduled', 'retrying'] then
    v_sources := jsonb_build_array(
      array[
        v_stage_ids::text, 'live',
        'lockstep.jobs j where j.stage_id = arm.id and j.position is null and j.scheduled_for is not null',
        '(extract(epoch from j.scheduled_for) * 1000000)::bigint',
        format('(j.scheduled_for, j.id) %s (%s, $3)', v_sign, v_at),
        format('j.scheduled_for %1$s, j.id %1$s', v_direction)
      ],
      array[
        v_stage_ids::text, 'live',
        'lockstep.jobs j where j.stage_id = arm.id and j.position is null and j.scheduled_for is null',
        '9000000000000000000',
        format('(9000000000000000000, j.id) %s ($2, $3)', v_sign),
        format('j.scheduled_for %1$s, j.id %1$s', v_direction)
      ]
    );

  elsif p_sort = 'claimOrder' and v_statuses = array['pending'] then
    if exists (
      select from unnest(v_stage_ids) as s (id)
      where (
        select count(*) > v_gathered
        from (
          select from lockstep.jobs j
          where j.stage_id = s.id and j.position is not null and j.held_by is null and not j.suspect and j.group_key is not null
          order by j.priority, j.group_key collate "C", j.position
          limit v_gathered + 1
        ) g
      )
    ) then
      raise exception 'More than % jobs with group keys wait in one stage, too many to sort by claimOrder.', v_gathered
        using errcode = 'LS001', hint = 'Sort by -id, or choose another stage.';
    end if;
    select jsonb_agg(array[
      v_stage_ids::text, 'live',
      s.source,
      'j.priority * 72057594037927936 + j.position',
      format('(j.priority, j.position) %s (($2 / 72057594037927936)::smallint, $2 %% 72057594037927936)', v_sign),
      format('j.priority %1$s, j.position %1$s', v_direction)
    ]) into v_sources
    from unnest(array[
      'lockstep.jobs j where j.stage_id = arm.id and j.position is not null and j.held_by is null and j.status = ''pending'' '
        'and not j.suspect and j.group_key is null',
      format(
        '(select j.* from lockstep.jobs j where j.stage_id = arm.id and j.position is not null and j.held_by is null '
        'and not j.suspect and j.group_key is not null order by j.priority, j.group_key collate "C", j.position limit %s) j where true',
        v_gathered
      ),
      'lockstep.jobs j where j.stage_id = arm.id and j.status = ''pending'' and j.suspect'
    ]) as s (source);

  elsif p_sort = 'claimedAt' and v_statuses = array['processing'] then
    if (
      select count(*) > v_gathered
      from (select from lockstep.processing_jobs(v_gathered + 1) limit v_gathered + 1) g
    ) then
      raise exception 'More than % jobs are processing, too many to sort by claimedAt.', v_gathered
        using errcode = 'LS001', hint = 'Sort by -id.';
    end if;
    v_sources := jsonb_build_array(array[
      '{0}', 'live',
      format('(select j.* from lockstep.processing_jobs(%1$s) j limit %1$s) j where true', v_gathered),
      '(extract(epoch from j.claimed_at) * 1000000)::bigint',
      format('(j.claimed_at, j.id) %s (%s, $3)', v_sign, v_at),
      format('j.claimed_at %1$s, j.id %1$s', v_direction)
    ]);

  else
    raise exception 'Jobs cannot be sorted by "%" with the statuses %.', p_sort, array_to_string(v_statuses, ', ')
      using errcode = 'LS001',
            hint = 'Use -id for any jobs, -finishedAt for failed and cancelled ones, scheduledFor for scheduled and retrying ones, '
              'claimOrder for pending ones, claimedAt for processing ones.';
  end if;

  return query
    select
      (s.source ->> 0)::integer[],
      format(
        'select %2$s as key, j.id, j.pipeline_id, j.status, %5$s as finished_at, (%6$s) as is_meant '
        'from %1$s and %3$s order by %4$s limit $1',
        s.source ->> 2, s.source ->> 3, s.source ->> 4, s.source ->> 5,
        case when s.source ->> 1 = 'live' then 'null::timestamptz' else 'j.finished_at' end,
        lockstep.filter_condition(p_filter, v_stage_ids, s.source ->> 1 = 'live')
      )
    from jsonb_array_elements(v_sources) as s (source);
end;
$$;
