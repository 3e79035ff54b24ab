-- The jobs that a worker holds and that are to be cancelled.
create or replace function lockstep.cancel_requests(p_worker_id uuid)
returns setof uuid
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select j.id
  from lockstep.jobs j
  where j.cancel_requested_at is not null and j.worker_id = p_worker_id;
$$;
