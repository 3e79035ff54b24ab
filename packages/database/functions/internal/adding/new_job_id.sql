-- A new id in the order of time (UUID version 7). PostgreSQL has a function for it only from version 18 on.
create or replace function lockstep.new_job_id(p_now timestamptz default clock_timestamp())
returns uuid
language sql
volatile
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $$
  select encode(
    set_bit(
      set_bit(
        overlay(
          uuid_send(gen_random_uuid())
          placing substring(int8send(floor(extract(epoch from p_now) * 1000)::bigint) from 3)
          from 1 for 6
        ),
        52, 1     -- a random id has version 4 (0100); version 7 is 0111
      ),
      53, 1
    ),
    'hex'
  )::uuid;
$$;
