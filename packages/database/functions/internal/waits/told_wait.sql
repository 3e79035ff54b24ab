-- What get_job and list_waits say of the wait that a job is in.
create or replace function lockstep.told_wait(p_stage lockstep.stages, p_since timestamptz, p_due_at timestamptz)
returns jsonb
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object(
    'kind', p_stage.kind,
    'signal', case when p_stage.kind = 'wait' then p_stage.name end,
    'since', p_since,
    'until', nullif(p_due_at, lockstep.never()),
    'onTimeout', p_stage.on_timeout,
    'notBy', case when p_stage.not_by_owner then 'owner' end,
    'schema', p_stage.signal_schema,
    'pausedAt', p_stage.paused_at
  );
$$;
