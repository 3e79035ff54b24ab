-- What may keep the queue from working well on this server: a row for each check, with SQL that repairs it if there is any.
-- From p_dead_rows and p_index_bytes on, dead rows and large indexes are reported.
create or replace function lockstep.diagnose(
  p_dead_rows bigint default 50000,
  p_index_bytes bigint default 67108864,
  p_now timestamptz default clock_timestamp()
)
returns table (check_name text, severity text, finding text, advice text, repair_sql text)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select d.* from lockstep.diagnose_settings() d
  union all
  select d.* from lockstep.diagnose_vacuum(p_dead_rows, p_index_bytes, p_now) d
  union all
  select d.* from lockstep.diagnose_work(p_now) d
  union all
  select d.* from lockstep.diagnose_retention(p_now) d
  union all
  select d.* from lockstep.diagnose_publications() d;
$$;
