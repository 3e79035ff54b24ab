import type { Client } from "pg";

/**
 * An hour of work that did not happen, for the charts: by minute and by hour, as the counters are folded. Straight into the table,
 * because no worker can have worked before it started.
 */
export async function addHistory(client: Client): Promise<void> {
  await client.query(`
    with minutes as (
      insert into lockstep.stage_history as h (minute, stage_id, moved_from, moved_to, wait_bucket, run_bucket, jobs)
      select date_trunc('minute', now()) - m * interval '1 minute', s.id, moved_from, moved_to,
        case when moved_from = 'processing' then greatest(1, wait + (random() * 2)::integer) else 0 end,
        case when moved_from = 'processing' then run + (random() * 2)::integer else 0 end,
        greatest(1, (share * (18 + 9 * sin(m / 7.0 + s.id) + 4 * random())))::bigint
      from generate_series(1, 180) m
      cross join (
        select s.*, p.name as pipeline, s.ordinal = max(s.ordinal) over (partition by s.pipeline_id) as is_last
        from lockstep.stages s join lockstep.pipelines p on p.id = s.pipeline_id
      ) s
      cross join lateral (
        values
          ('', 'pending', 1.0),
          ('pending', 'processing', 1.0),
          ('processing', case when s.is_last then 'completed' else '' end, 0.97),
          ('processing', 'failed', case when s.name = 'model-analysis' then 0.08 else 0.01 end),
          ('processing', 'retrying', 0.03)
      ) v (moved_from, moved_to, share)
      cross join lateral (
        select case when s.name = 'model-analysis' then 13 else 7 end as wait,
          case s.name when 'model-analysis' then 14 when 'website-analysis' then 12 else 9 end as run
      ) t
      where share > 0.02 or m % 11 = 3
      on conflict do nothing
      returning h.*
    )
    insert into lockstep.stage_history_by_hour as h (hour, stage_id, moved_from, moved_to, wait_bucket, run_bucket, jobs)
    select date_trunc('hour', m.minute, 'UTC'), m.stage_id, m.moved_from, m.moved_to, m.wait_bucket, m.run_bucket, sum(m.jobs)
    from minutes m
    group by 1, 2, 3, 4, 5, 6
    on conflict (hour, stage_id, moved_from, moved_to, wait_bucket, run_bucket) do update set jobs = h.jobs + excluded.jobs`);
  // A day of failures like those there are, more of them lately, and what the counters would know of them.
  await client.query(`
    with copied as (
      insert into lockstep.finished_jobs
      select (jsonb_populate_record(f, jsonb_build_object(
        'id', left(lockstep.id_at((extract(epoch from t.at) * 1000)::bigint)::text, 14) || right(gen_random_uuid()::text, 22),
        'added_at', t.at, 'ready_at', t.at, 'finished_at', t.at + interval '1 second'))).*
      from lockstep.finished_jobs f
      cross join generate_series(1, 24) n
      cross join lateral (select f.finished_at - interval '1 day' * sqrt(random()) * n / 24 as at) t
      where f.status = 'failed' and n % 4 <> 1
      returning stage_id
    )
    insert into lockstep.stage_moves (at, stage_id, moved_from, moved_to, wait_bucket, run_bucket, jobs)
    select now(), c.stage_id, '', 'failed', 0, 0, count(*) from copied c group by c.stage_id`);
}
