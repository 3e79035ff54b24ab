-- Refuses a time zone that PostgreSQL does not know by name. An abbreviation or an offset would ignore summer time.
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
  -- Reads the zone files, which takes a while: asked only when a zone is new to a schedule.
  if not exists (select from pg_timezone_names z where lower(z.name) = lower(p_time_zone)) then
    raise exception 'Schedule "%" cannot be set: there is no time zone "%".', p_schedule, p_time_zone
      using errcode = 'LS001', hint = 'Give an IANA name such as Europe/Berlin, or UTC.';
  end if;
end;
$$;
