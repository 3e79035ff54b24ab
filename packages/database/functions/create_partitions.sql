-- Makes the tables for the finished jobs and the events of the coming days.
create or replace function lockstep.create_partitions(
  p_days integer default 7,
  p_now timestamptz default clock_timestamp()
)
returns integer
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_today date := (p_now at time zone 'UTC')::date;
  v_kind text;
  v_name text;
  v_from text;
  v_to text;
  v_in_default boolean;
  v_made integer := 0;
begin
  foreach v_kind in array array['completed_jobs', 'unsuccessful_jobs', 'events'] loop
    for v_day in 0 .. p_days loop
      v_name := v_kind || '_' || to_char(v_today + v_day, 'YYYYMMDD');
      continue when to_regclass(format('lockstep.%I', v_name)) is not null;
      v_from := (v_today + v_day)::text || ' 00:00:00+00';
      v_to := (v_today + v_day + 1)::text || ' 00:00:00+00';

      -- What came while the day had no table stays where it is; retention deletes it there.
      execute format(
        'select exists (select from lockstep.%1$I where %2$I >= %3$L and %2$I < %4$L)',
        v_kind || '_default', case when v_kind = 'events' then 'at' else 'finished_at' end, v_from, v_to
      ) into v_in_default;
      continue when v_in_default;

      -- Attaching asks a weaker lock of the parent than creating in place.
      execute format('create table lockstep.%I (like lockstep.%I including all)', v_name, v_kind);
      execute format('revoke all on lockstep.%I from public', v_name);
      execute format('alter table lockstep.%I attach partition lockstep.%I for values from (%L) to (%L)', v_kind, v_name, v_from, v_to);
      v_made := v_made + 1;
    end loop;
  end loop;
  return v_made;
end;
$$;
