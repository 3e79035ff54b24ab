-- What retention keeps: a row each for completed jobs, unsuccessful jobs (failed or cancelled), events and chunks of streams. It says since
-- when, by the oldest day table, and about how many rows; how many tables are past their time but could not be dropped, because a session
-- holds them (doctor says which one); and how long ago retention last ran. It reads no jobs, events or chunks.
-- How long things are kept is a setting of the workers, so this function cannot say when the next day is dropped.
create or replace function lockstep.read_retention(p_now timestamptz default clock_timestamp())
returns table (
  kept text,
  since timestamptz,
  age_ms double precision,
  estimated_rows bigint,
  held_tables integer,
  ran_ms double precision    -- null: never
)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select
    k.name,
    t.since,
    date_part('epoch', p_now - t.since) * 1000,
    t.estimated_rows,
    (
      select count(*)::integer from lockstep.held_tables h where h.name ~ format('^%s_[0-9]{8}$', k.name)
    ),
    (
      select date_part('epoch', p_now - nullif(u.done_at, '-infinity')) * 1000
      from lockstep.upkeep u
      where u.task = 'retention'
    )
  from unnest(array['completed_jobs', 'unsuccessful_jobs', 'events', 'stream_chunks']) with ordinality as k (name, ordinal)
  cross join lateral (
    select
      min(to_date(substring(c.relname from '_([0-9]{8})$'), 'YYYYMMDD'))::timestamp at time zone 'UTC' as since,
      -- The statistics are recent, but a crash loses them. The planner's estimate survives, and is -1 before the first one.
      coalesce(sum(greatest(pg_stat_get_live_tuples(c.oid), c.reltuples::bigint, 0)), 0)::bigint as estimated_rows
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent = format('lockstep.%I', k.name)::regclass
  ) t
  order by k.ordinal;
$$;
