import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";

const db = testDatabase();

// The public functions with the arguments that are promised; further ones must have defaults.
const contract: Record<string, string[]> = {
  define_pipeline: ["p_name", "p_stages"],
  add_job: ["p_pipeline", "p_payload", "p_priority", "p_scheduled_for", "p_dedup_key", "p_owner", "p_id"],
  add_jobs: ["p_jobs"],
  register_worker: ["p_worker_id", "p_name", "p_lease"],
  heartbeat: ["p_worker_id"],
  claim_jobs: ["p_worker_id", "p_stages", "p_batch_size"],
  complete_job: ["p_id", "p_claim_token", "p_output"],
  complete_held_job: ["p_id", "p_claim_token", "p_output"],
  assert_lease: ["p_id", "p_claim_token"],
  fail_held_job: ["p_id", "p_claim_token", "p_error"],
  fail_job: ["p_id", "p_claim_token", "p_error", "p_retry", "p_retry_after"],
  release_job: ["p_id", "p_claim_token"],
  report_progress: ["p_id", "p_claim_token", "p_percent", "p_note"],
  cancel_job: ["p_id"],
  retry_job: ["p_id", "p_from_stage"],
  record_action: ["p_user", "p_action", "p_target", "p_outcome", "p_request_id", "p_detail"],
  list_actions: [],
  claim_idempotency_key: ["p_user", "p_key", "p_request_hash"],
  keep_answer: ["p_user", "p_key", "p_request_hash", "p_answer"],
  pause_stage: ["p_pipeline", "p_stage"],
  resume_stage: ["p_pipeline", "p_stage"],
  reset_stalled_jobs: [],
  queue_stats: [],
  active_workers: [],
  get_job: ["p_id"],
  list_jobs: [],
  explain_job: ["p_id"],
  verify: [],
  read_events: ["p_cursor", "p_owner", "p_pipeline", "p_job_id", "p_limit", "p_until"],
  diagnose: [],
  snooze_job: ["p_id", "p_claim_token", "p_for"],
  begin_effect: ["p_id", "p_claim_token", "p_key", "p_retry_unknown"],
  finish_effect: ["p_id", "p_claim_token", "p_key", "p_value"],
  fail_effect: ["p_id", "p_claim_token", "p_key", "p_may_have_happened"],
  job_effects: ["p_id"],
  forget_effects: ["p_id", "p_key"],
  confirm_effect: ["p_id", "p_key", "p_value"],
  schema_version: [],
  set_schedule: ["p_name", "p_pipeline", "p_cron"],
  pause_schedule: ["p_name"],
  resume_schedule: ["p_name"],
  remove_schedule: ["p_name"],
  list_schedules: [],
};

interface FunctionRow {
  name: string;
  inputs: string[];
  defaults: number;
  definer: boolean;
  settings: string[] | null;
  language: string;
}

async function functions(): Promise<FunctionRow[]> {
  return db.query<FunctionRow>(`
    select
      p.proname as name,
      coalesce((
        select array_agg(a.name order by a.ordinality)
        from unnest(p.proargnames, p.proargmodes) with ordinality as a (name, mode, ordinality)
        where coalesce(a.mode, 'i') = 'i'
      ), '{}') as inputs,
      p.pronargdefaults as defaults,
      p.prosecdef as definer,
      p.proconfig as settings,
      l.lanname as language
    from pg_proc p
    join pg_language l on l.oid = p.prolang
    where p.pronamespace = 'lockstep'::regnamespace
    order by p.proname`);
}

test("every public function has the promised arguments, and only defaults beyond them", async () => {
  const found = new Map((await functions()).map((row) => [row.name, row]));
  for (const [name, promised] of Object.entries(contract)) {
    const row = found.get(name);
    expect(row, name).toBeDefined();
    expect(row?.inputs.slice(0, promised.length), name).toEqual(promised);
    expect((row?.inputs.length ?? 0) - (row?.defaults ?? 0), name).toBeLessThanOrEqual(promised.length);
  }
});

test("no function has an overload", async () => {
  const names = (await functions()).map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
});

test("the time is the last argument wherever it is one", async () => {
  for (const { name, inputs } of await functions()) {
    if (inputs.includes("p_now")) expect(inputs.at(-1), name).toBe("p_now");
  }
});

test("every function that runs as its owner has a search path of its own", async () => {
  for (const { name, definer, settings } of await functions()) {
    if (definer) expect(settings, name).toContain("search_path=pg_catalog, pg_temp");
  }
});

test("every function with settings of its own switches JIT off, since a steered plan would be compiled at each execution", async () => {
  for (const { name, definer, language, settings } of await functions()) {
    // One without any is of its caller's statement, and runs under its caller's settings.
    if (settings === null)
      expect({ name, definer, language }).toEqual({ name, definer: false, language: "sql" });
    else expect(settings, name).toContain("jit=off");
  }
});

test("the schema's version is that of its newest migration", async () => {
  const [newest] = await db.query("select max(version) as version from lockstep.migrations");
  expect(await db.value("schema_version")).toBe(newest?.version);
});
