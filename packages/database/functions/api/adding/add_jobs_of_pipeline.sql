-- Adds many jobs of one pipeline, all or none, that have only an id and a payload. Most jobs are like this, and add_new_jobs spends time on
-- all other options. p_payloads is an array in the order of p_ids, which are new as in add_new_jobs; p_payloads_are_checked is as in
-- add_jobs. Returns rows only for jobs that are not new and pending, so usually none.
create or replace function lockstep.add_jobs_of_pipeline(
  p_pipeline text,
  p_ids uuid[],
  p_payloads jsonb,
  p_payloads_are_checked boolean default false,
  p_now timestamptz default clock_timestamp()
)
returns table (id uuid, created boolean, status lockstep.job_status)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_pipeline_id integer;
  v_stage_id integer;
  v_added integer;
  v_jobs jsonb;
  v_all_fit boolean;
begin
  if coalesce(jsonb_typeof(p_payloads), 'null') <> 'array' or cardinality(p_ids) is distinct from jsonb_array_length(p_payloads) then
    raise exception 'add_jobs_of_pipeline needs a JSON array with one payload for each of the % ids.', coalesce(cardinality(p_ids), 0)
      using errcode = 'LS001';
  end if;

  select p.id, s.id
  into v_pipeline_id, v_stage_id
  from lockstep.pipelines p
  join lockstep.stages s on s.pipeline_id = p.id and s.ordinal = 1
  where p.name = p_pipeline and not p.logs_events and p.max_pending is null
    and (p_payloads_are_checked or p.payload_schema is null);

  if found then
    -- If all payloads together are small enough, each of them is. One text costs less than a text for each.
    v_all_fit := pg_column_size(p_payloads) <= 131072 and octet_length(p_payloads::text) <= 262144;
    begin
      insert into lockstep.jobs (id, added_at, pipeline_id, stage_id, ready_at, status, payload, position)
      select g.id, p_now, v_pipeline_id, v_stage_id, p_now, 'pending', g.payload, nextval('lockstep.job_positions')
      from rows from (unnest(p_ids), jsonb_array_elements(p_payloads)) as g (id, payload)
      where v_all_fit or lockstep.payload_fits(g.payload);

      get diagnostics v_added = row_count;
      if v_added = cardinality(p_ids) then
        -- counts the jobs, and at the commit wakes workers that sleep for this stage (wake_at_commit)
        insert into lockstep.stage_moves (at, stage_id, moved_from, moved_to, jobs, wakes_for)
        values (p_now, v_stage_id, '', 'pending', v_added, v_added);
        return;
      end if;
    exception when unique_violation then
      null;    -- some ids were not new: add_jobs handles this
    end;
  end if;

  select jsonb_agg(jsonb_build_object('pipeline', p_pipeline, 'id', g.id, 'payload', g.payload) order by g.ordinality)
  into v_jobs
  from rows from (unnest(p_ids), jsonb_array_elements(p_payloads)) with ordinality as g (id, payload, ordinality);
  perform lockstep.refuse_unfit_jobs(v_jobs, p_now);
  return query
    select a.id, a.created, a.status
    from lockstep.add_jobs(
      coalesce(v_jobs, '[]'), p_payloads_are_checked => p_payloads_are_checked, p_now => p_now
    ) a
    where not (a.created and a.status = 'pending');
end;
$$;
