import type { TestDatabase } from "@lockstep/test-support";

const pipelineCount = 12;
/** Who holds what is being processed. */
export const holderId = "7d7c7a4e-0000-4000-8000-000000000001";

const finishedJobs = 120_000;

/**
 * 120,000 finished jobs of six days, half of them of one pipeline, and 12,100 live ones: several times what any read may look
 * at. What failed is older than 30,000 that were cancelled. Straight into the tables: through the functions it would take
 * minutes. With the counts of all that, and the history of two busy pipelines.
 */
export async function addManyJobs(db: TestDatabase): Promise<void> {
  for (let number = 1; number <= pipelineCount; number++) {
    const stages = [{ name: "read" }, { name: "write" }];
    await db.call("define_pipeline", { p_name: `pipeline-${number}`, p_stages: stages });
  }
  await db.query("select lockstep.create_partitions(7, now() - interval '6 days')");
  await db.query(`
    create table numbered_stages as
    select row_number() over (order by p.id) as number, p.id as pipeline_id, s.id as stage_id
    from lockstep.pipelines p join lockstep.stages s on s.pipeline_id = p.id and s.ordinal = 2`);
  const numbers = `generate_series(1, ${finishedJobs}) i`;
  await db.query(finished("completed_jobs", "'completed'", `${numbers} where i % 4 < 2`));
  await db.query(finished("unsuccessful_jobs", "'failed'", `${numbers} where i % 4 >= 2 and i <= 60000`));
  await db.query(finished("unsuccessful_jobs", "'cancelled'", `${numbers} where i % 4 >= 2 and i > 60000`));
  const liveNumbers = (from: number, to: number) =>
    `generate_series(${finishedJobs + from}, ${finishedJobs + to}) i`;
  await db.query(live("'pending'", liveNumbers(1, 6_000)));
  await db.query(
    live("(case when i % 2 = 0 then 'scheduled' else 'retrying' end)", liveNumbers(6_001, 12_000)),
  );
  await db.query(live("'processing'", liveNumbers(12_001, 12_100)));
  await db.query(`
    insert into lockstep.stage_counts
    select stage_id, status, count(*) from lockstep.finished_jobs group by 1, 2
    union all
    select stage_id, status, count(*) from lockstep.jobs group by 1, 2`);
  await db.query(`
    with minutes as (
      insert into lockstep.stage_history (minute, stage_id, moved_from, moved_to, wait_bucket, run_bucket, jobs)
      select minute, s.id, v.moved_from, case when v.moved_to = 'completed' and s.ordinal = 1 then '' else v.moved_to end,
        v.wait_bucket, v.run_bucket, 5
      from generate_series(date_trunc('minute', now()) - interval '6 days', now(), interval '1 minute') minute
      cross join (
        select s.* from lockstep.stages s join lockstep.pipelines p on p.id = s.pipeline_id
        where p.name in ('pipeline-1', 'pipeline-2')
      ) s
      cross join (values
        ('', 'pending', 0, 0), ('pending', 'processing', 0, 0), ('processing', 'completed', 8, 10)
      ) v (moved_from, moved_to, wait_bucket, run_bucket)
      returning *
    )
    insert into lockstep.stage_history_by_hour (hour, stage_id, moved_from, moved_to, wait_bucket, run_bucket, jobs)
    select date_trunc('hour', minute, 'UTC'), stage_id, moved_from, moved_to, wait_bucket, run_bucket, sum(jobs)
    from minutes
    group by 1, 2, 3, 4, 5, 6`);
}

// Four seconds apart, as ids of version 7, which are in the order of their times.
const numbered = `
  cross join lateral (
    select
      (lpad(to_hex((extract(epoch from now()) * 1000)::bigint - 530000000 + i * 4000::bigint), 12, '0')
        || '7000' || '8000' || lpad(to_hex(i), 12, '0'))::uuid as id,
      now() - interval '530000 seconds' + i * interval '4 seconds' as at,
      case when i % 2 = 0 then 1 else 2 + (i / 2) % ${pipelineCount - 1} end as stage
  ) n
  join numbered_stages s on s.number = n.stage`;

const columns =
  "id, added_at, pipeline_id, stage_id, ready_at, attempt, losses, priority, owner, tags, payload";
const values = `
  n.id, n.at, s.pipeline_id, s.stage_id, n.at, 1, 0, 10,
  case when i % 100 = 0 then 'user-' || i / 100 % 10 end,
  case when i % 1000 = 7 then '{nightly}'::text[] end,
  jsonb_build_object('doc', 'contract-' || i || '.pdf', 'customer', i % 5000, 'note', repeat('x', 60))`;

function finished(table: string, status: string, from: string): string {
  const [series, condition] = from.split(" where ");
  return `
    insert into lockstep.${table} (${columns}, finished_at, claimed_at, status, error, fingerprint)
    select ${values}, n.at + interval '3 seconds', n.at, ${status},
      case when ${status} = 'failed' then jsonb_build_object('name', 'Error', 'message', 'broken ' || i) end,
      case when ${status} = 'failed' then 'kind-' || i % 70 end
    from ${series} ${numbered} where ${condition}`;
}

function live(status: string, from: string): string {
  const isHeld = `${status} = 'processing'`;
  return `
    insert into lockstep.jobs (
      ${columns}, position, status, group_key, scheduled_for, claim_token, worker_id, held_by, claimed_at
    )
    select ${values}, case when ${status} not in ('scheduled', 'retrying') then i end, ${status}::lockstep.job_status,
      case when i % 4 = 0 then 'group-' || i % 100 end,
      case when ${status} in ('scheduled', 'retrying') then n.at + interval '1 day' end,
      case when ${isHeld} then gen_random_uuid() end,
      case when ${isHeld} then '${holderId}'::uuid end,
      case when ${isHeld} then '${holderId}'::uuid end,
      case when ${isHeld} then n.at end
    from ${from} ${numbered}`;
}
