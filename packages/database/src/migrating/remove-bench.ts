import { connectionTarget } from "../connecting/connection-target.ts";
import { openClient } from "../connecting/open-client.ts";
import { inSchema } from "../schema/in-schema.ts";
import { checkedSchema } from "../schema/schema-name.ts";
import type { SchemaOptions } from "../schema/schema-options.ts";
import { refusedConnection } from "./migrate-error.ts";

// One statement, so that either all of it is deleted or nothing.
const removeSql = `
with bench as materialized (
  select p.id from lockstep.pipelines p where p.name = 'lockstep-bench' for update
),
bench_stages as materialized (
  select s.id from lockstep.stages s join bench b on b.id = s.pipeline_id
),
live as (delete from lockstep.jobs where stage_id in (select id from bench_stages) returning 1),
finished as (delete from lockstep.finished_jobs where pipeline_id in (select id from bench) returning 1),
moves as (delete from lockstep.stage_moves where stage_id in (select id from bench_stages)),
counts as (delete from lockstep.stage_counts where stage_id in (select id from bench_stages)),
minutes as (delete from lockstep.stage_history where stage_id in (select id from bench_stages)),
hours as (delete from lockstep.stage_history_by_hour where stage_id in (select id from bench_stages)),
totals as (delete from lockstep.stage_totals where stage_id in (select id from bench_stages)),
stages as (delete from lockstep.stages where id in (select id from bench_stages)),
pipelines as (delete from lockstep.pipelines where id in (select id from bench))
select (select count(*) from live) + (select count(*) from finished) as jobs`;

/**
 * Deletes the pipeline of `lockstep bench` with all its jobs and counters; returns how many jobs it had. It is not a function of the schema,
 * since only the owner of the tables may delete jobs without a trace.
 */
export async function removeBench(options: SchemaOptions): Promise<number> {
  const target = connectionTarget(options, refusedConnection);
  const sql = inSchema(removeSql, checkedSchema(options.schema));
  const client = await openClient(target, { application_name: "lockstep bench" });
  try {
    const { rows } = await client.query<{ jobs: string }>(sql);
    return Number(rows[0]?.jobs);
  } finally {
    await client.end();
  }
}
