-- The span in ms that this share of the measured tries did not exceed, from the histogram of time_bucket: p_jobs[i] tries
-- fell into p_buckets[i], in any order. Inside a bucket they are taken as evenly spread, so the answer lies between the
-- limits of the right bucket, the larger of which is twice the smaller. Null: nothing was measured.
create or replace function lockstep.bucket_percentile(p_buckets smallint[], p_jobs bigint[], p_share double precision)
returns double precision
language sql
immutable
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
