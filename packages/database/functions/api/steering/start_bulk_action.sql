-- Begins to cancel or retry the jobs that match a filter (as in list_jobs), or those with the given ids. It changes no job yet;
-- step_bulk_action does that. Jobs that are added later are not affected. Returns the id of the bulk action.
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
    -- From new to old, like the jobs of a filter; each id once.
    case when p_ids is not null then array(select distinct i.id from unnest(p_ids) as i (id) order by i.id desc) end,
    p_from_stage, 'running', coalesce(p_user, ''), c.jobs, c.exact, p_now, p_now
  from lockstep.preview_bulk_action(p_action, p_filter, p_ids, p_from_stage) c;
  return v_id;
end;
$$;
