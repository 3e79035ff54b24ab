-- Raises an error if PostgreSQL knows no time zone with this name. Abbreviations and offsets are not accepted, since they ignore summer
-- time.
create or replace function lockstep.require_time_zone(p_schedule text, p_time_zone text)
returns void
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if p_time_zone is null or p_time_zone = 'UTC' then
    return;
  end if;
  -- This reads the zone files, which takes a while, so it is done only if the zone is new to the schedule.
  if not exists (select from pg_timezone_names z where lower(z.name) = lower(p_time_zone)) then
    raise exception 'Schedule "%" cannot be set: there is no time zone "%".', p_schedule, p_time_zone
      using errcode = 'LS001', hint = 'Use an IANA name such as Europe/Berlin, or UTC.';
  end if;
end;
$$;
