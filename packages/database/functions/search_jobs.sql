-- list_jobs for those who may see payloads: the filter may ask for what one contains, and each row has its first 200
-- characters unless p_preview is false.
create or replace function lockstep.search_jobs(
  p_filter jsonb default '{}',
  p_sort text default '-id',
  p_after jsonb default null,
  p_backwards boolean default false,
  p_limit integer default 50,
  p_look_at integer default 20000,
  p_preview boolean default true
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
  payload_preview text,
  place jsonb
)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select * from lockstep.listed_jobs(p_filter, p_sort, p_after, p_backwards, p_limit, p_preview, p_look_at);
$$;
