-- Which bucket of the histogram a span falls in: 1 is below a millisecond, each next one twice as long, 30 the rest.
-- 0: not measured. Plain SQL without settings, so that it is inlined.
create or replace function lockstep.time_bucket(p_span interval)
returns smallint
language sql
immutable
parallel safe
as $$
  select case
    when p_span is null then 0    -- asked for by itself: least and greatest pass over nulls
    else least(30, 1 + floor(ln(greatest(1, date_part('epoch', p_span) * 1000 * 2)) / ln(2.0::double precision)))
  end::smallint;
$$;
