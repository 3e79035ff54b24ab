-- What retention keeps, a row for completed jobs, for unsuccessful ones (failed or cancelled) and for events: since when, as
-- the oldest table of a day says, and about how many rows; and how long ago retention ran last. From the catalogue alone.
-- How long things are kept is a setting of the workers, so that it does not say when the next day goes.
create or replace function lockstep.read_retention(p_now timestamptz default clock_timestamp())
returns table (
  kept text,
  since timestamptz,
  age_ms double precision,
  estimated_rows bigint,
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
      select date_part('epoch', p_now - nullif(u.done_at, '-infinity')) * 1000
      from lockstep.upkeep u
      where u.task = 'retention'
    )
  from unnest(array['completed_jobs', 'unsuccessful_jobs', 'events']) with ordinality as k (name, ordinal)
  cross join lateral (
    select
      min(to_date(substring(c.relname from '_([0-9]{8})$'), 'YYYYMMDD'))::timestamp at time zone 'UTC' as since,
      -- Statistics are of a moment ago, but a crash loses them; the planner's estimate stays, and is -1 before the first.
      coalesce(sum(greatest(pg_stat_get_live_tuples(c.oid), c.reltuples::bigint, 0)), 0)::bigint as estimated_rows
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent = format('lockstep.%I', k.name)::regclass
  ) t
  order by k.ordinal;
$$;
