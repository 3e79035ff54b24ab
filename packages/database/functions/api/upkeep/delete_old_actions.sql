-- Retention: deletes recorded actions, bulk actions and forks after p_keep, and expired idempotency keys, at most once per interval for the
-- whole fleet, up to 5,000 of each per call. Returns the largest of the four numbers; 5,000 means that there may be more.
create or replace function lockstep.delete_old_actions(
  p_keep interval default '90 days',
  p_interval interval default '0',
  p_now timestamptz default clock_timestamp()
)
returns integer
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_actions integer;
  v_bulk_actions integer;
  v_forks integer;
  v_keys integer;
begin
  if not lockstep.take_upkeep('recorded_actions', p_interval, p_now) then
    return 0;
  end if;

  -- Ids are close enough to the order of time: the oldest rows have the smallest ids.
  with oldest as materialized (
    select a.id, a.at from lockstep.recorded_actions a order by a.id limit 5000
  )
  delete from lockstep.recorded_actions a using oldest o where a.id = o.id and o.at < p_now - p_keep;
  get diagnostics v_actions = row_count;

  with oldest as materialized (
    select b.id, b.finished_at from lockstep.bulk_actions b order by b.id limit 5000
  )
  delete from lockstep.bulk_actions b using oldest o where b.id = o.id and o.finished_at < p_now - p_keep;
  get diagnostics v_bulk_actions = row_count;

  with oldest as materialized (
    select f.job_id from lockstep.forks f where f.forked_at < p_now - p_keep order by f.forked_at limit 5000
  )
  delete from lockstep.forks f using oldest o where f.job_id = o.job_id;
  get diagnostics v_forks = row_count;

  with gone as materialized (
    select k.user_name, k.owner, k.key
    from lockstep.idempotency_keys k
    where k.expires_at < p_now
    order by k.expires_at
    limit 5000
    for update skip locked
  )
  delete from lockstep.idempotency_keys k
  using gone
  where k.user_name = gone.user_name and k.owner = gone.owner and k.key = gone.key;
  get diagnostics v_keys = row_count;

  return greatest(v_actions, v_bulk_actions, v_forks, v_keys);
end;
$$;
