-- list_jobs for callers that may see payloads: the filter may name what the payload contains, and each row has the first 200 characters
-- of it, unless p_preview is false.
create or replace function lockstep.search_jobs(
  p_filter jsonb default '{}',
  p_sort text default '-id',
  p_after jsonb default null,
  p_backwards boolean default false,
  p_limit integer default 50,
  p_look_at integer default 20000,
  p_preview boolean default true
)
returns setof lockstep.listed_job
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select * from lockstep.listed_jobs(p_filter, p_sort, p_after, p_backwards, p_limit, p_preview, p_look_at);
$$;
