-- A batch with its counters. No row: there is no such batch, or retention has deleted it.
create or replace function lockstep.get_batch(p_id uuid)
returns table (
  id uuid,
  state text,
  total integer,
  completed integer,
  failed integer,
  cancelled integer,
  added_at timestamptz,
  closed_at timestamptz,
  finished_at timestamptz,
  waiting_job_id uuid,
  on_failure text
)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select
    b.id,
    case when b.finished_at is not null then 'finished' when b.closed_at is not null then 'closed' else 'open' end,
    b.total, b.completed, b.failed, b.cancelled, b.added_at, b.closed_at, b.finished_at, b.waiting_job_id, b.on_failure
  from lockstep.batches b
  where b.id = p_id;
$$;
