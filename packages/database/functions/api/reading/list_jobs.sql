-- The jobs that match a filter, sorted, one page per call. Payloads are not shown, and the filter cannot ask for them.
-- See find_jobs for the arguments, and for the last row without an id.
create or replace function lockstep.list_jobs(
  p_filter jsonb default '{}',
  p_sort text default '-id',
  p_after jsonb default null,
  p_backwards boolean default false,
  p_limit integer default 50,
  p_look_at integer default 20000
)
returns table (
  id uuid,
  pipeline text,
  stage text,
  status lockstep.job_status,
  priority integer,
  attempt integer,
  losses integer,
  progress integer,
  progress_note text,
  owner text,
  group_key text,
  dedup_key text,
  batch_id uuid,
  tags text[],
  added_at timestamptz,
  scheduled_for timestamptz,
  claimed_at timestamptz,
  finished_at timestamptz,
  cancel_requested_at timestamptz,
  worker_id uuid,
  error jsonb,
  fingerprint text,
  version text,
  place jsonb
)
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  if p_filter ? 'payload' then
    raise exception 'list_jobs cannot search payloads.' using errcode = 'LS001', hint = 'Use search_jobs.';
  end if;
  return query
    select
      l.id, l.pipeline, l.stage, l.status, l.priority, l.attempt, l.losses, l.progress, l.progress_note, l.owner, l.group_key,
      l.dedup_key, l.batch_id, l.tags, l.added_at, l.scheduled_for, l.claimed_at, l.finished_at, l.cancel_requested_at,
      l.worker_id, l.error, l.fingerprint, l.version, l.place
    from lockstep.listed_jobs(p_filter, p_sort, p_after, p_backwards, p_limit, false, p_look_at) l;
end;
$$;
