-- Ends waiting jobs as failed if they did not start by their startBy, up to 1,000 per call. Returns how many, and the moves for note_moves.
-- It counts and shows no attempt, since there was none.
create or replace function lockstep.expire_jobs(
  p_now timestamptz default clock_timestamp(),
  out expired integer,
  out moves lockstep.job_move[]
)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_ends lockstep.job_end[];
begin
  select array_agg((
    j.id, j.claim_token, 'failed', null, false, null, null,
    jsonb_build_object(
      'name', 'ExpiredError',
      'message', format(
        'It had to start by %s, but had not started.',
        to_char(j.start_by at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"')
      )
    ),
    null, null, null
  )::lockstep.job_end)
  into v_ends
  from (
    select j.id, j.claim_token, j.start_by
    from lockstep.jobs j
    where j.start_by <= p_now and j.held_by is null and j.status <> 'processing'
    order by j.start_by
    limit 1000
    for update skip locked
  ) j;
  expired := coalesce(cardinality(v_ends), 0);
  if expired > 0 then
    moves := lockstep.finish_jobs(v_ends, p_now);
  end if;
end;
$$;
