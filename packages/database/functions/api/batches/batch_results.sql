-- The finished jobs of a batch in the order of their ids, one page per call. p_after is the last id of the previous page.
create or replace function lockstep.batch_results(p_id uuid, p_after uuid default null, p_limit integer default 1000)
returns table (id uuid, status lockstep.job_status, result jsonb, error jsonb)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select f.id, f.status, f.result, f.error
  from lockstep.finished_jobs f
  where f.batch_id = p_id and f.id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
  order by f.id
  limit least(greatest(p_limit, 1), 1000);
$$;
