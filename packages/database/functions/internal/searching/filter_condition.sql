-- A filter as the text of an SQL condition on a row j of jobs or finished_jobs. All values in it are quoted.
create or replace function lockstep.filter_condition(p_filter jsonb, p_stage_ids integer[], p_is_live boolean)
returns text
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(string_agg(c.condition, ' and '), 'true')
  from (
    select case f.key
      when 'statuses' then format('j.status = any (%L::lockstep.job_status[])',
        array(select jsonb_array_elements_text(f.value))::lockstep.job_status[])
      when 'pipeline' then format('j.pipeline_id = (select p.id from lockstep.pipelines p where p.name = %L)', f.value #>> '{}')
      when 'stage' then format('j.stage_id = any (%L::integer[])', p_stage_ids)
      when 'owner' then format('j.owner = %L', f.value #>> '{}')
      when 'groupKey' then format('j.group_key = %L', f.value #>> '{}')
      when 'dedupKey' then format('j.dedup_key = %L', f.value #>> '{}')
      when 'tag' then format('j.tags @> %L::text[]', array[f.value #>> '{}'])
      when 'workerId' then format('j.worker_id = %L', (f.value #>> '{}')::uuid)
      when 'batchId' then format('j.batch_id = %L', (f.value #>> '{}')::uuid)
      when 'error' then case when p_is_live then 'false' else format('j.fingerprint = %L', f.value #>> '{}') end
      when 'addedAfter' then format('j.added_at >= %L', (f.value #>> '{}')::timestamptz)
      when 'addedBefore' then format('j.added_at < %L', (f.value #>> '{}')::timestamptz)
      when 'payload' then format('j.payload @> %L::jsonb', f.value)
      when 'ids' then format('j.id = any (%L::uuid[])', array(select jsonb_array_elements_text(f.value))::uuid[])
    end as condition
    from jsonb_each(p_filter) f
  ) c;
$$;
