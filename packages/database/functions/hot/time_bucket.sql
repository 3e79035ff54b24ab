-- The bucket of the histogram that a span falls in. Bucket 1 is below one millisecond, 2 below two, 3 below four, and so on; 30 is
-- the rest, and 0 means not measured. Plain SQL without settings, so that PostgreSQL inlines it.
create or replace function lockstep.time_bucket(p_span interval)
returns smallint
language sql
immutable
parallel safe
as $$
  select case
    when p_span is null then 0    -- needed, since least and greatest ignore nulls
    else least(30, 1 + floor(ln(greatest(1, date_part('epoch', p_span) * 1000 * 2)) / ln(2.0::double precision)))
  end::smallint;
$$;
