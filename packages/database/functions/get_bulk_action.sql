-- One bulk action with how far it has come.
create or replace function lockstep.get_bulk_action(p_id uuid)
returns table (
  id uuid,
  action text,
  filter jsonb,
  ids integer,
  from_stage text,
  status text,
  asked_by text,
  matched bigint,
  is_matched_exact boolean,
  done integer,
  skipped jsonb,
  failed integer,
  failures jsonb,
  started_at timestamptz,
  stepped_at timestamptz,
  finished_at timestamptz
)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select
    b.id, b.action, b.filter, cardinality(b.ids), b.from_stage, b.status, b.asked_by, b.matched, b.is_matched_exact, b.done,
    b.skipped, b.failed, b.failures, b.started_at, b.stepped_at, b.finished_at
  from lockstep.bulk_actions b
  where b.id = p_id;
$$;
