-- A bulk action and how far it has come. looked_to is how far back in time it has searched for jobs that match its filter. It is null
-- before the first step, at the end, if ids were given, and if the ids of the jobs tell no time.
create or replace function lockstep.get_bulk_action(p_id uuid)
returns setof lockstep.shown_bulk_action
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select
    b.id, b.action, b.filter, cardinality(b.ids), b.from_stage, b.status, b.asked_by, b.matched, b.is_matched_exact, b.done,
    b.skipped, b.failed, b.failures, b.started_at, b.stepped_at, b.finished_at,
    case
      when b.status = 'running' and lockstep.ms_of_id((b.place ->> 'id')::uuid) between 946684800000 and extract(epoch from b.started_at) * 1000 + 86400000
        then to_timestamp(lockstep.ms_of_id((b.place ->> 'id')::uuid) / 1000.0)
    end
  from lockstep.bulk_actions b
  where b.id = p_id;
$$;
