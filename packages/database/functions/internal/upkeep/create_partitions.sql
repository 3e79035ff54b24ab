-- Creates the tables for the finished jobs, events and streams of the coming days. If it cannot create one now, it is left for the next time, and
-- doctor names it; until then the rows go into the default table.
create or replace function lockstep.create_partitions(
  p_days integer default 7,
  p_now timestamptz default clock_timestamp()
)
returns integer
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
-- Attaching a table needs an exclusive lock on the default table. While this waits for a reader of it, everybody after that reader waits.
set lock_timeout = '100ms'
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
  foreach v_kind in array array['completed_jobs', 'unsuccessful_jobs', 'events', 'stream_chunks'] loop
    for v_day in 0 .. p_days loop
      v_name := v_kind || '_' || to_char(v_today + v_day, 'YYYYMMDD');
      continue when to_regclass(format('lockstep.%I', v_name)) is not null;
      v_from := (v_today + v_day)::text || ' 00:00:00+00';
      v_to := (v_today + v_day + 1)::text || ' 00:00:00+00';

      begin
        -- Rows that came while the day had no table stay in the default table; retention deletes them there.
        execute format(
          'select exists (select from lockstep.%1$I where %2$I >= %3$L and %2$I < %4$L)',
          v_kind || '_default',
          case v_kind when 'events' then 'at' when 'stream_chunks' then 'begun_at' else 'finished_at' end,
          v_from, v_to
        ) into v_in_default;
        continue when v_in_default;

        -- Attaching a table needs a weaker lock on the parent than creating a partition in place.
        execute format('create table lockstep.%I (like lockstep.%I including all)', v_name, v_kind);
        execute format('revoke all on lockstep.%I from public', v_name);
        -- Most have no primary key, and none inherits the replica identity of its parent.
        execute format('alter table lockstep.%I replica identity full', v_name);
        execute format('alter table lockstep.%I attach partition lockstep.%I for values from (%L) to (%L)', v_kind, v_name, v_from, v_to);
        v_made := v_made + 1;
      exception
        -- Another call creates it at the same time, such as migrate and a worker's retention.
        when duplicate_table or unique_violation or duplicate_object then null;
        -- A row of that day has come since the check. It stays in the default table.
        when check_violation then null;
        when lock_not_available then exit;
      end;
    end loop;
  end loop;
  return v_made;
end;
$$;
