-- Locks the gates of these stages until the transaction ends: claims there come one after the other, and each sees what the ones before it
-- took, so that no limit is exceeded. Returns the time for rates: p_now plus the time since p_called_at, which includes the wait for the
-- locks (the statement may have begun much earlier), but not before the claim that last used a rate. That claim dropped the starts that
-- were too old for it, and a claim at an earlier time would have to count them.
create or replace function lockstep.lock_gates(p_stage_ids integer[], p_called_at timestamptz, p_now timestamptz)
returns timestamptz
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_locked integer;
  v_used_at timestamptz;
  v_now timestamptz;
begin
  for v_try in 1 .. 2 loop
    select count(*), max(g.used_at) into v_locked, v_used_at
    from (
      select g.used_at from lockstep.stage_gates g where g.stage_id = any (p_stage_ids) order by g.stage_id for update
    ) g;
    exit when v_locked = cardinality(p_stage_ids);
    insert into lockstep.stage_gates (stage_id)
    select s.id from unnest(p_stage_ids) as s (id) order by s.id
    on conflict do nothing;
  end loop;

  v_now := p_now + (clock_timestamp() - p_called_at);
  -- If used_at is further ahead, PostgreSQL's clock was set back since.
  return case when v_used_at between v_now and v_now + interval '10 seconds' then v_used_at else v_now end;
end;
$$;
