-- Retention: deletes dedup keys that are no longer taken, and records of debounced adds after an hour, at most once per interval for the
-- whole fleet, up to 5,000 of each per call. Returns the larger of how many keys it checked and how many adds it deleted; 5,000 means that
-- there may be more.
create or replace function lockstep.delete_recent_keys(
  p_interval interval default '0',
  p_now timestamptz default clock_timestamp()
)
returns integer
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_keys integer;
  v_adds integer;
begin
  if not lockstep.take_upkeep('recent_keys', p_interval, p_now) then
    return 0;
  end if;

  with due as materialized (
    select k.pipeline_id, k.owner, k.mode, k.key, k.job_id
    from lockstep.recent_keys k
    where k.expires_at < p_now
    order by k.expires_at
    limit 5000
    for update skip locked
  ),
  judged as materialized (
    select
      d.*,
      -- a debounced job that still waits must be found by its key, however long it waits
      d.mode = 'debounce' and exists (
        select from lockstep.jobs j where j.id = d.job_id and j.status in ('scheduled', 'pending') and j.history is null
      ) as is_waiting
    from due d
  ),
  gone as (
    delete from lockstep.recent_keys k
    using judged d
    where k.pipeline_id = d.pipeline_id and k.owner = d.owner and k.mode = d.mode and k.key = d.key and not d.is_waiting
  ),
  kept as (
    update lockstep.recent_keys k
    set expires_at = p_now + interval '1 hour'
    from judged d
    where k.pipeline_id = d.pipeline_id and k.owner = d.owner and k.mode = d.mode and k.key = d.key and d.is_waiting
  )
  select count(*) into v_keys from judged;

  with gone as materialized (
    select d.id
    from lockstep.debounced_adds d
    where d.added_at < p_now - interval '1 hour'
    order by d.added_at
    limit 5000
    for update skip locked
  )
  delete from lockstep.debounced_adds d using gone where d.id = gone.id;
  get diagnostics v_adds = row_count;

  return greatest(v_keys, v_adds);
end;
$$;
