-- Ends waiting jobs as failed if they did not start by their startBy, up to 1,000 per call. Returns how many.
-- It counts and shows no attempt, since there was none.
create or replace function lockstep.expire_jobs(p_now timestamptz default clock_timestamp())
returns integer
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_job record;
  v_count integer := 0;
begin
  for v_job in
    with expired as materialized (
      select j.id, j.start_by
      from lockstep.jobs j
      where j.start_by <= p_now and j.held_by is null and j.status <> 'processing'
      order by j.start_by
      limit 1000
      for update skip locked
    )
    select e.id, e.start_by from expired e order by e.id
  loop
    perform lockstep.finish_waiting_job(
      v_job.id, 'failed',
      jsonb_build_object(
        'name', 'ExpiredError',
        'message', format(
          'It had to start by %s, but had not started.',
          to_char(v_job.start_by at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"')
        )
      ),
      p_now
    );
    v_count := v_count + 1;
  end loop;
  return v_count;
end;
$$;
