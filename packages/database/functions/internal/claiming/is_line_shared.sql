-- Whether another worker has claimed from the line of a stage within the last second.
create or replace function lockstep.is_line_shared(p_stage_id integer, p_worker_id uuid, p_now timestamptz)
returns boolean
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  return exists (
    select
    from (
      select r.worker_id
      from lockstep.claimed_ranges r
      where r.stage_id = p_stage_id and r.claimed_at > p_now - interval '1 second'
      order by r.claimed_at desc
      limit 20
    ) r
    where r.worker_id <> p_worker_id
  );
end;
$$;
