-- How fast a stage was served recently: how many attempts their handlers ended there, and in how many seconds.
-- Counts from the first minute within the last ten in which an attempt ended; what is older says little about the present.
create or replace function lockstep.stage_service(p_stage_id integer, p_now timestamptz)
returns table (tries bigint, seconds double precision)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select sum(m.jobs)::bigint, greatest(date_part('epoch', p_now - min(m.minute)), 1)
  from (
    select h.minute, h.jobs
    from lockstep.stage_history h
    where h.stage_id = p_stage_id and h.minute >= p_now - interval '10 minutes' and h.minute <= p_now and h.run_bucket > 0
    union all
    select date_trunc('minute', m.at), m.jobs
    from lockstep.stage_moves m
    where m.stage_id = p_stage_id and m.at >= p_now - interval '10 minutes' and m.at <= p_now and m.run_bucket > 0
  ) m
  having sum(m.jobs) > 0;
$$;
