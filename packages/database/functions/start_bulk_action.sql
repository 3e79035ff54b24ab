-- Begins to cancel or retry the jobs of a filter (as list_jobs takes it), or those with the given ids. Nothing is done to a job
-- yet: step_bulk_action does that. Jobs that are added from now on are not meant. Returns the id of the bulk action.
create or replace function lockstep.start_bulk_action(
  p_action text,
  p_filter jsonb default '{}',
  p_ids uuid[] default null,
  p_from_stage text default null,
  p_user text default '',
  p_now timestamptz default clock_timestamp()
)
returns uuid
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_filter jsonb := lockstep.bulk_filter(p_action, p_filter, p_ids, p_from_stage);
  v_id uuid := lockstep.new_job_id(p_now);
begin
  insert into lockstep.bulk_actions (
    id, action, filter, ids, from_stage, status, asked_by, matched, is_matched_exact, started_at, stepped_at
  )
  select
    v_id, p_action, v_filter,
    -- From new to old, as a filter is gone through; each once.
    case when p_ids is not null then array(select distinct i.id from unnest(p_ids) as i (id) order by i.id desc) end,
    p_from_stage, 'running', coalesce(p_user, ''), c.jobs, c.exact, p_now, p_now
  from lockstep.preview_bulk_action(p_action, p_filter, p_ids, p_from_stage) c;
  return v_id;
end;
$$;
