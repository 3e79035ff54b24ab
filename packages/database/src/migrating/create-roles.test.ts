import { randomBytes } from "node:crypto";
import { JobFactory, testDatabase } from "@lockstep/test-support";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRoles } from "./create-roles.ts";
import { migrate } from "./migrate.ts";

const db = testDatabase();
const jobs = new JobFactory(db);
// Not named like ours, which count for what migrate applies.
const stranger = `stranger_${randomBytes(4).toString("hex")}`;

const reads = [
  "applied_digest",
  "branches_of",
  "oldest_code_version",
  "describe_pipelines",
  "explain_job",
  "get_batch",
  "job_rows",
  "list_errors",
  "list_jobs",
  "list_schedules",
  "queue_stats",
  "read_budget_totals",
  "read_budget_usage",
  "read_budgets",
  "read_error_history",
  "schema_version",
];
const detail = [
  "batch_results",
  "count_jobs",
  "count_waits",
  "finished_results",
  "get_job",
  "has_signal",
  "job_effects",
  "job_streams",
  "list_waits",
  "read_ended_waits",
  "read_events",
  "read_streams",
  "search_jobs",
  "shown_hash",
  "signal_job",
  "signal_job_by_key",
  "unknown_jobs",
];
const adds = [
  "add_job",
  "add_jobs",
  "add_jobs_of_pipeline",
  "add_new_jobs",
  "cancel_job",
  "close_batch",
  "define_pipeline",
  "define_pipelines",
  "open_batch",
  "recognize_pipelines",
];
const schedules = ["pause_schedule", "remove_schedule", "resume_schedule"];
const records = ["claim_idempotency_key", "keep_answer", "record_action"];
const bulk = [
  "abort_bulk_action",
  "get_bulk_action",
  "list_bulk_actions",
  "preview_bulk_action",
  "start_bulk_action",
  "step_bulk_action",
];
const operates = [
  "diagnose",
  ...bulk,
  "confirm_effect",
  "fork_job",
  "forget_effects",
  "list_actions",
  "live_jobs",
  "pause_stage",
  "reset_stalled_jobs",
  "resume_stage",
  "retry_job",
  "set_budget_limit",
  "verify",
];
const works = [
  "assert_lease",
  "begin_effect",
  "cancel_requests",
  "children_of",
  "claim_jobs",
  "claim_state",
  "complete_held_job",
  "complete_job",
  "delete_budget_usage",
  "delete_effects",
  "delete_finished_jobs",
  "delete_old_actions",
  "delete_recent_keys",
  "delete_signals",
  "deregister_worker",
  "do_upkeep",
  "drop_old_table",
  "due_schedules",
  "end_due_waits",
  "fail_effect",
  "fail_held_job",
  "fail_job",
  "fan_out_job",
  "finish_effect",
  "finish_job",
  "fire_schedule",
  "fold_counters",
  "heartbeat",
  "note_schedule_problem",
  "pass_on_wake_up",
  "present_claims",
  "register_worker",
  "release_job",
  "renew_leases",
  "report_progress",
  "report_progress_of_jobs",
  "reserve_budgets",
  "set_signal_key",
  "settle_and_claim",
  "skip_job",
  "snooze_job",
  "spend_budgets",
  "sweep_lost_workers",
  "wait_for_jobs",
  "continue_stream",
  "write_streams",
];

const numbers = [
  "read_database_health",
  "read_recovered_jobs",
  "read_retention",
  "read_stage_history",
  "read_stage_totals",
  "read_stage_waits",
];
const granted: Record<string, string[]> = {
  lockstep_viewer: [...reads, "active_workers", ...numbers],
  lockstep_producer: [...reads, ...detail, ...adds, ...schedules, "set_schedule", ...records],
  lockstep_operator: [
    ...reads,
    ...detail,
    "active_workers",
    "cancel_job",
    ...schedules,
    ...records,
    ...operates,
    ...numbers,
  ],
  lockstep_worker: [
    ...reads,
    ...detail,
    ...adds,
    "active_workers",
    ...schedules,
    "set_schedule",
    ...records,
    ...operates,
    ...works,
    ...numbers,
  ],
};

beforeAll(async () => {
  await createRoles({ databaseUrl: db.url });
  await createRoles({ databaseUrl: db.url });
  await migrate({ databaseUrl: db.url });
  await db.query(`create role ${stranger}`);
  await jobs.aPipeline("orders", ["read"]);
});

afterAll(async () => {
  await db.query(`drop role ${stranger}`);
});

async function callableBy(role: string): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    `select proname as name from pg_proc
     where pronamespace = 'lockstep'::regnamespace and has_function_privilege($1, oid, 'execute')`,
    [role],
  );
  return rows.map(({ name }) => name).sort();
}

async function as(role: string): Promise<pg.Client> {
  const client = await db.connect();
  await client.query(`set role ${role}`);
  return client;
}

describe("a role that was granted nothing", () => {
  test("can call no function", async () => {
    expect(await callableBy(stranger)).toEqual([]);
    const client = await as(stranger);
    await expect(client.query("select * from lockstep.queue_stats()")).rejects.toMatchObject({
      code: "42501",
    });
  });

  test("can touch no table and no sequence", async () => {
    const rows = await db.query(
      `select relname from pg_class
       where relnamespace = 'lockstep'::regnamespace
         and case relkind
           when 'S' then has_sequence_privilege($1, oid, 'usage, select, update')
           when 'i' then false when 'I' then false when 'c' then false
           else has_table_privilege($1, oid, 'select, insert, update, delete, truncate, references, trigger')
         end`,
      [stranger],
    );
    expect(rows).toEqual([]);
  });
});

describe.each(Object.entries(granted))("the role %s", (role, functions) => {
  test("can call its functions and no others", async () => {
    expect(await callableBy(role)).toEqual(functions.toSorted());
  });

  test("cannot touch the tables, not even to read", async () => {
    const client = await as(role);
    for (const statement of [
      "select from lockstep.jobs",
      "delete from lockstep.jobs",
      "select from lockstep.workers",
    ]) {
      await expect(client.query(statement)).rejects.toMatchObject({ code: "42501" });
    }
  });

  test("cannot log in", async () => {
    expect(await db.query("select rolcanlogin from pg_roles where rolname = $1", [role])).toEqual([
      { rolcanlogin: false },
    ]);
  });
});

describe("a role does its work through the functions alone:", () => {
  test("a producer adds a job, reads it and cancels it", async () => {
    const client = await as("lockstep_producer");
    const { rows } = await client.query(
      "select id from lockstep.add_job('orders', '{}', p_dedup_key => 'k')",
    );
    expect((await client.query("select status from lockstep.get_job($1)", [rows[0].id])).rows).toEqual([
      { status: "pending" },
    ]);
    expect((await client.query("select lockstep.cancel_job($1) as answer", [rows[0].id])).rows).toEqual([
      { answer: "cancelled" },
    ]);
  });

  test("a worker registers, claims, completes and keeps house", async () => {
    const client = await as("lockstep_worker");
    const worker = "00000000-0000-4000-8000-00000000000a";
    await client.query("select lockstep.add_job('orders')");
    await client.query("select lockstep.register_worker($1, 'w', p_stages => '{orders/read}')", [worker]);
    const { rows } = await client.query("select * from lockstep.claim_jobs($1, '{orders/read}')", [worker]);
    expect(
      (
        await client.query("select lockstep.complete_job($1, $2) as answer", [
          rows[0].id,
          rows[0].claim_token,
        ])
      ).rows,
    ).toEqual([{ answer: "applied" }]);
    await client.query("select lockstep.sweep_lost_workers()");
    await client.query("select lockstep.fold_counters()");
    await client.query("select lockstep.delete_finished_jobs()");
    await client.query("select lockstep.deregister_worker($1)", [worker]);
  });

  test("an operator pauses and resumes a stage, a viewer may not", async () => {
    const operator = await as("lockstep_operator");
    await operator.query("select lockstep.pause_stage('orders', 'read')");
    await operator.query("select lockstep.resume_stage('orders', 'read')");
    const viewer = await as("lockstep_viewer");
    await expect(viewer.query("select lockstep.pause_stage('orders', 'read')")).rejects.toMatchObject({
      code: "42501",
    });
    expect((await viewer.query("select * from lockstep.queue_stats()")).rowCount).toBeGreaterThan(0);
  });
});
