-- A percentile in ms from the histogram of time_bucket: the share p_share of the measured tries took no longer. p_jobs[i] tries fell into
-- p_buckets[i], in any order. Tries count as evenly spread within a bucket, so the answer lies within the right bucket, whose upper limit is
-- twice the lower. Null: nothing was measured.
create or replace function lockstep.bucket_percentile(p_buckets smallint[], p_jobs bigint[], p_share double precision)
returns double precision
language sql
immutable
strict    -- most steps of a chart have no measurements, and so cost nothing
parallel safe
as $$
  select round((least_ms + (most_ms - least_ms) * (p_share * total - before) / jobs)::numeric, 1)::double precision
  from (
    select
      b.jobs::double precision as jobs,
      (sum(b.jobs) over (order by b.bucket) - b.jobs)::double precision as before,
      (sum(b.jobs) over ())::double precision as total,
      case when b.bucket = 1 then 0 else 2.0::double precision ^ (b.bucket - 2) end as least_ms,
      2.0::double precision ^ (b.bucket - 1) as most_ms
    from (
      select m.bucket, sum(m.jobs) as jobs
      from unnest(p_buckets, p_jobs) as m (bucket, jobs)
      where m.bucket > 0
      group by m.bucket
    ) b
  ) b
  where before + jobs >= p_share * total
  order by before
  limit 1;
$$;
