-- The id of the job of one tick: always the same for the same schedule and tick, and in the order of time, like those of new_job_id.
-- It also depends on a secret of this database, so that nobody can predict it and add another job under it.
create or replace function lockstep.tick_job_id(p_name text, p_tick timestamptz)
returns uuid
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select encode(
    set_byte(
      set_byte(
        overlay(v.hash placing substring(int8send(v.ms) from 3) from 1 for 6),
        6, get_byte(v.hash, 6) & 15 | 112      -- version 7
      ),
      8, get_byte(v.hash, 8) & 63 | 128        -- and its variant
    ),
    'hex'
  )::uuid
  from (
    select t.ms, substring(sha256(convert_to(s.secret || ' ' || p_name || ' ' || t.ms, 'UTF8')) from 1 for 16) as hash
    from lockstep.tick_secret s
    cross join (select floor(extract(epoch from p_tick) * 1000)::bigint as ms) t
  ) v;
$$;
