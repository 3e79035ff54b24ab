-- The part of the server's state that the queue depends on: dead rows in the table jobs, the oldest transaction that holds back
-- vacuum, and the time. Cheap enough for every second. Transactions that the owner of the functions may not see are left out.
create or replace function lockstep.read_database_health(p_now timestamptz default clock_timestamp())
returns table (at timestamptz, dead_rows bigint, live_rows bigint, oldest_transaction_ms double precision)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select
    p_now,
    pg_stat_get_dead_tuples('lockstep.jobs'::regclass),
    pg_stat_get_live_tuples('lockstep.jobs'::regclass),
    (
      -- greatest() ignores nulls: without the case, no transaction would look like one that has just begun
      select case when count(*) > 0 then greatest(0, date_part('epoch', p_now - min(a.xact_start)) * 1000) end
      from pg_stat_activity a
      where a.datname = current_database()
        and a.pid <> pg_backend_pid()
        and coalesce(a.backend_xmin, a.backend_xid) is not null
        and a.backend_type <> 'autovacuum worker'
    );
$$;
