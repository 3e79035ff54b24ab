// On a server of its own: wal_level belongs to a whole server.
import { randomUUID } from "node:crypto";
import { startPostgres } from "@lockstep/local-postgres";
import { forgetClaims } from "@lockstep/test-support";
import { createEngine, definePipeline, giveUp, retryLater, snooze } from "lockstep";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { folderInMemory } from "../../packages/test-support/src/folder-in-memory.ts";
import { FunctionCaller } from "../../packages/test-support/src/function-caller.ts";

// Generous: a busy machine is slow.
const soon = { timeout: 25_000 };
let server: Awaited<ReturnType<typeof startPostgres>>;
let client: pg.Client;
let functions: FunctionCaller;

beforeAll(async () => {
  server = await startPostgres({
    temporaryFolder: await folderInMemory(),
    settings: { wal_level: "logical", fsync: "off", synchronous_commit: "off", track_functions: "all" },
  });
  const engine = createEngine({ databaseUrl: server.url, pipelines: [], logger: null });
  await engine.migrate();
  await engine.stop();
  client = new pg.Client({ connectionString: server.url });
  await client.connect();
  functions = new FunctionCaller(client);
  await client.query("create publication everything for all tables");
  await client.query("select pg_create_logical_replication_slot('reader', 'pgoutput')");
});

afterAll(async () => {
  await client.end();
  await server.stop();
});

const seen = new Set<string>();
const letters = definePipeline<string>("letters", { events: true })
  .stage("write", { retry: { baseMs: 1 }, concurrency: 4, breaker: { minAttempts: 1_000 } }, async (job) => {
    await job.once("sent", () => 1);
    const text = job.stream("text");
    await text.write("draft");
    expect(await text.written()).toEqual(["draft"]);
    text.rewind();
    await text.write("fair copy");
    job.progress(50);
    if (seen.has(job.jobId)) return 1;
    seen.add(job.jobId);
    if (job.payload === "retry") return retryLater({ afterMs: 1 });
    if (job.payload === "snooze") return snooze({ forMs: 1 });
    if (job.payload === "throw") throw new Error("at the first attempt");
    return job.payload === "give up" ? giveUp("It is of no use.") : 1;
  })
  .stage("send", ({ output }) => output);

test("a worker does all that handlers ask for under a publication for all tables, and is told of no error", async () => {
  const engine = createEngine({ databaseUrl: server.url, pipelines: [letters], logger: null });
  const errors: unknown[] = [];
  engine.on("engine.error", ({ error }) => errors.push(error));
  await engine.start();
  const ways = ["done", "retry", "snooze", "throw"];
  const added = await engine.addMany(
    letters,
    ways.flatMap((payload) => [
      { payload },
      { payload, owner: "ada", groupKey: "a" },
      { payload, dedupKey: `k ${payload}` },
    ]),
  );
  for (const { id } of added) expect(await engine.result(id)).toBe(1);
  const { id } = await engine.add(letters, "give up");
  await expect(engine.result(id)).rejects.toThrow("It is of no use.");
  expect(await engine.retry(id)).toMatchObject({ answer: "applied" });
  expect(await engine.result(id)).toBe(1);
  await engine.stop();
  expect(errors).toEqual([]);
});

interface Claimed {
  id: string;
  claim_token: string;
}

const call = <R = Record<string, unknown>>(name: string, args: Record<string, unknown> = {}) =>
  functions.rows<R>(name, args);
const at = (seconds: number) => new Date(Date.now() + seconds * 1_000);
const held = (job?: Claimed) => ({ p_id: job?.id, p_claim_token: job?.claim_token });

/** A worker of one stage: its id, and how it claims. */
async function aWorkerOf(stage: string) {
  const worker = randomUUID();
  await call("register_worker", { p_worker_id: worker, p_name: "w", p_stages: [stage] });
  const claim = (size: number) =>
    call<Claimed>("claim_jobs", { p_worker_id: worker, p_stages: [stage], p_batch_size: size });
  return { worker, claim };
}

test("schedules tick, pause, resume and tell their problem", async () => {
  await call("define_pipeline", {
    p_name: "reports",
    p_stages: [{ name: "write" }],
    p_options: { events: true },
  });
  await call("set_schedule", { p_name: "hourly", p_pipeline: "reports", p_cron: "0 * * * *" });
  const [due] = await call<{ revision: string }>("due_schedules", { p_pipelines: ["reports"] });
  const schedule = { p_name: "hourly", p_revision: due?.revision };
  const [first, second] = [at(-60), at(-30)];
  const fire = async (ticks: object) => (await call("fire_schedule", { ...schedule, ...ticks }))[0];
  expect(await fire({ p_tick: null, p_due: null, p_next: first })).toMatchObject({ answer: "moved" });
  expect(await fire({ p_tick: first, p_due: first, p_next: second })).toMatchObject({ answer: "fired" });
  expect(await fire({ p_tick: second, p_due: second, p_next: at(60) })).toMatchObject({ answer: "fired" });
  await call("note_schedule_problem", { ...schedule, p_problem: "nobody reads it" });
  await call("pause_schedule", { p_name: "hourly" });
  await call("resume_schedule", { p_name: "hourly" });
  await call("remove_schedule", { p_name: "hourly" });
  const { worker, claim } = await aWorkerOf("reports/write");
  const ticks = await claim(10);
  expect(ticks).toHaveLength(2);
  for (const tick of ticks) await call("complete_job", held(tick));
  await call("deregister_worker", { p_worker_id: worker });
});

test("budgets are reserved, spent, waited for and deleted", async () => {
  await call("define_pipeline", {
    p_name: "questions",
    p_stages: [{ name: "ask", spends: { tokens: null } }],
    p_options: { budgets: [{ name: "tokens", per: "owner", limit: 100, everyMs: 60_000 }] },
  });
  await call("add_jobs", {
    p_jobs: [1, 2, 3].map(() => ({ pipeline: "questions", owner: "ada" })),
  });
  const { worker, claim } = await aWorkerOf("questions/ask");
  const [first, second, third] = await claim(3);
  const reserve = (job: Claimed | undefined, amount: number) => ({
    id: job?.id,
    token: job?.claim_token,
    amounts: { tokens: amount },
  });
  const answers = await call("reserve_budgets", {
    p_jobs: [reserve(first, 60), reserve(second, 60), reserve(third, 10)],
  });
  expect(answers.filter(({ answer }) => answer === "waits").length).toBeGreaterThan(0);
  await call("spend_budgets", {
    p_spends: [{ id: first?.id, token: first?.claim_token, budget: "tokens", total: 7 }],
  });
  await call("complete_job", held(first));
  await call("set_budget_limit", { p_name: "tokens", p_limit: 1_000, p_scope: "ada", p_by: "grace" });
  await call("set_budget_limit", { p_name: "tokens", p_limit: null, p_scope: "ada", p_by: "grace" });
  await call("sweep_lost_workers");
  for (const { id } of await call<Claimed>("live_jobs", { p_pipelines: ["questions"] })) {
    await call("cancel_job", { p_id: id });
  }
  await call("sweep_lost_workers", { p_cancel_grace: "0", p_now: at(1) });
  const [deleted] = await call("delete_budget_usage", { p_now: at(100 * 86_400) });
  expect(Number(deleted?.delete_budget_usage)).toBeGreaterThan(0);
  await call("deregister_worker", { p_worker_id: worker });
});

test("jobs fan out and batches end, whatever becomes of their jobs", async () => {
  await call("define_pipeline", { p_name: "books", p_stages: [{ name: "split" }, { name: "join" }] });
  await call("define_pipeline", {
    p_name: "pages",
    p_stages: [{ name: "read" }],
    p_options: { events: true },
  });
  const books = await aWorkerOf("books/split");
  const pages = await aWorkerOf("pages/read");
  const endAll = async () => {
    const [done, failed, ...others] = await pages.claim(10);
    await call("complete_job", held(done));
    await call("fail_job", { ...held(failed), p_error: { message: "torn" }, p_retry: false });
    for (const other of others) await call("complete_job", held(other));
    return others.length + 2;
  };
  for (const p_on_failure of ["fail", "continue", "ignore"]) {
    await call("add_job", { p_pipeline: "books" });
    const [book] = await books.claim(1);
    const page = { pipeline: "pages" };
    expect(
      await functions.value("fan_out_job", { ...held(book), p_children: [page, page, page], p_on_failure }),
    ).toBe("applied");
    expect(await endAll()).toBe(3);
  }
  const [batch] = await call<{ id: string }>("open_batch", { p_follower: { pipeline: "pages" } });
  for (let n = 0; n < 3; n += 1) {
    await call("add_jobs", { p_jobs: [{ pipeline: "pages", batchId: batch?.id }] });
  }
  await call("close_batch", { p_id: batch?.id });
  expect(await endAll()).toBe(3);
  await call("complete_job", held((await pages.claim(1))[0]));
  for (const { worker } of [books, pages]) await call("deregister_worker", { p_worker_id: worker });
});

test("jobs are signalled by id and by key, time out, and their signals are deleted", async () => {
  await call("define_pipeline", {
    p_name: "loans",
    p_stages: [{ name: "ask" }, { name: "approval", kind: "wait", waitMs: 1_000, onTimeout: "continue" }],
    p_options: { events: true },
  });
  for (let n = 0; n < 3; n += 1) await call("add_job", { p_pipeline: "loans" });
  const { worker, claim } = await aWorkerOf("loans/ask");
  const [byId, byKey, late] = await claim(3);
  await call("set_signal_key", { ...held(byKey), p_key: "loan 2" });
  for (const job of [byId, byKey, late]) await call("complete_job", held(job));
  const answer = { p_name: "approval", p_value: true };
  expect(await functions.value("signal_job", { ...answer, p_id: byId?.id })).toBe("signalled");
  expect(await call("signal_job_by_key", { ...answer, p_pipeline: "loans", p_key: "loan 2" })).toMatchObject([
    { answer: "signalled" },
  ]);
  expect(await call("end_due_waits", { p_now: at(2) })).toMatchObject([{ ended: 1 }]);
  await client.query("delete from lockstep.finished_jobs");
  await call("delete_signals", { p_keep: "1 day", p_now: at(3 * 86_400) });
  expect((await client.query("select from lockstep.signals")).rows).toEqual([]);
  await call("deregister_worker", { p_worker_id: worker });
});

test("effects, jobs that end in their handler's transaction, claims after a crash, and stages that are paused, too", async () => {
  await call("define_pipeline", { p_name: "mails", p_stages: [{ name: "send" }] });
  await call("add_jobs_of_pipeline", {
    p_pipeline: "mails",
    p_ids: Array.from({ length: 8 }, () => randomUUID()),
    p_payloads: Array.from({ length: 8 }, (_, n) => n),
  });
  const { worker, claim } = await aWorkerOf("mails/send");
  const claimed = await claim(8);
  const { rows: stages } = await client.query<{ id: number }>(
    "select s.id from lockstep.stages s join lockstep.pipelines p on p.id = s.pipeline_id where p.name = 'mails'",
  );
  const stageIds = stages.map(({ id }) => id);
  await forgetClaims({ query: async (text) => (await client.query(text)).rows });
  const presented = await call("present_claims", {
    p_worker_id: worker,
    p_ids: claimed.map(({ id }) => id),
    p_tokens: claimed.map((job) => job.claim_token),
    p_stage_ids: claimed.flatMap(() => stageIds),
    p_attempts: claimed.map(() => 1),
  });
  expect(presented).toEqual([]);

  const [first, second, third, fourth, fifth, ...others] = claimed;
  for (const [p_key, p_may_have_happened] of [
    ["sure", false],
    ["unsure", true],
  ] as const) {
    await call("begin_effect", { ...held(first), p_key });
    await call("fail_effect", { ...held(first), p_key, p_may_have_happened });
  }
  await call("confirm_effect", { p_id: first?.id, p_key: "unsure", p_value: 1 });
  await call("begin_effect", { ...held(first), p_key: "sent" });
  await call("finish_effect", { ...held(first), p_key: "sent", p_value: 1 });
  await call("report_progress", { ...held(first), p_percent: 50, p_log: [{ message: "half" }] });
  await call("report_progress_of_jobs", {
    p_reports: [{ id: first?.id, token: first?.claim_token, percent: 60 }],
  });
  await call("assert_lease", held(first));
  await call("complete_held_job", { ...held(first), p_output: 1 });
  await call("claim_state", held(first));
  await call("forget_effects", { p_id: first?.id });
  await call("fail_held_job", { ...held(second), p_error: { message: "broken" } });
  await call("retry_job", { p_id: second?.id });
  await call("snooze_job", { ...held(third), p_for: "1 second" });
  await call("skip_job", held(third));
  await call("finish_job", { ...held(fourth), p_result: 1 });
  await call("complete_job", { ...held(fourth), p_output: 1 });
  await call("fork_job", { p_id: fourth?.id });
  await call("cancel_job", { p_id: fifth?.id });
  await call("unknown_jobs", { p_ids: [first?.id, randomUUID()] });
  await call("pause_stage", { p_pipeline: "mails", p_stage: "send" });
  await call("resume_stage", { p_pipeline: "mails", p_stage: "send" });
  await call("do_upkeep", { p_worker_id: worker });
  await call("wait_for_jobs", { p_worker_id: worker, p_stage_ids: stageIds });
  await call("pass_on_wake_up", { p_worker_id: worker, p_stage_ids: stageIds });
  await call("reset_stalled_jobs");
  await call("read_events", { p_cursor: "start" });
  await call("deregister_worker", { p_worker_id: worker });
  expect(await call("sweep_lost_workers", { p_now: at(60) })).toMatchObject([{ lost_jobs: others.length }]);
});

test("moves by hand, heartbeats, sweeps, folds and retention go on, and every change can be decoded", async () => {
  await call("define_pipeline", {
    p_name: "orders",
    p_stages: [{ name: "read", rate: { jobs: 100, perMs: 1_000 }, groupRate: { jobs: 10, perMs: 1_000 } }],
  });
  const add = async (job: object = {}) =>
    (await call<{ id: string }>("add_jobs", { p_jobs: [{ pipeline: "orders", ...job }] }))[0];
  const [loser, other] = [await aWorkerOf("orders/read"), await aWorkerOf("orders/read")];
  for (let n = 0; n < 6; n += 1) await add({ groupKey: `g ${n % 2}`, owner: "ada" });
  // Some seconds later a heartbeat lists them as held; a lost worker's come back.
  const [failing, released, ...lost] = await loser.claim(4);
  await call("heartbeat", { p_worker_id: loser.worker, p_in_doubt: true, p_now: at(10) });
  await call("fail_job", { ...held(failing), p_error: { message: "broken" }, p_retry: false });
  await call("release_job", held(released));
  expect(await call("sweep_lost_workers", { p_now: at(60) })).toMatchObject([{ lost_jobs: lost.length }]);
  expect(await call("retry_job", { p_id: failing?.id })).toMatchObject([{ answer: "applied" }]);

  for (const dedup of [{ forMs: 1_000 }, { throttleMs: 1_000 }, { debounceMs: 1_000 }]) {
    for (let n = 0; n < 2; n += 1) await add({ dedupKey: JSON.stringify(dedup), dedup, payload: n });
  }
  const [batch] = await call<{ id: string }>("open_batch");
  await add({ batchId: batch?.id, startBy: at(30) });
  await call("close_batch", { p_id: batch?.id });
  expect(await call("sweep_lost_workers", { p_now: at(3_600) })).toMatchObject([{ expired_jobs: 1 }]);
  const request = { p_user: "ada", p_key: "k", p_request_hash: "h" };
  await call("claim_idempotency_key", request);
  await call("keep_answer", { ...request, p_answer: { status: 201 } });
  await call("record_action", { p_user: "ada", p_action: "jobs.cancel" });
  const bulk = await functions.value<string>("start_bulk_action", {
    p_action: "cancel",
    p_filter: { pipeline: "orders" },
  });
  await call("step_bulk_action", { p_id: bulk });
  await call("abort_bulk_action", { p_id: bulk });
  for (const { worker } of [loser, other]) await call("deregister_worker", { p_worker_id: worker });

  // What is older than every table, what is folded, and what is past its time.
  const longAgo = new Date("2020-01-01T12:00:00Z");
  const old = await add({ owner: "ada" });
  await call("cancel_job", { p_id: old?.id, p_now: longAgo });
  await client.query("select lockstep.add_job('orders', p_owner => 'ada', p_now => $1)", [longAgo]);
  const inAYear = at(366 * 86_400);
  for (const name of [
    "fold_counters",
    "delete_finished_jobs",
    "delete_effects",
    "delete_recent_keys",
    "delete_old_actions",
  ]) {
    await call(name, { p_now: inAYear });
  }
  const dropped = new Set<string>();
  for (let place = ""; ; ) {
    const [row] = await call<{ name: string; place: string }>("drop_old_table", {
      p_place: place,
      p_now: inAYear,
    });
    if (row === undefined) break;
    dropped.add(row.name);
    place = row.place;
  }
  expect(dropped.size).toBeGreaterThan(10);
  // Into the new tables, and out of them again.
  const [late] = await call<{ id: string }>("add_job", { p_pipeline: "orders", p_now: inAYear });
  await call("cancel_job", { p_id: late?.id, p_now: inAYear });
  expect(await call("retry_job", { p_id: late?.id, p_now: inAYear })).toMatchObject([{ answer: "applied" }]);

  const { rows } = await client.query(
    `select count(*)::integer as changes
     from pg_logical_slot_get_binary_changes('reader', null, null, 'proto_version', '1', 'publication_names', 'everything')`,
  );
  expect(rows[0].changes).toBeGreaterThan(500);
});

test("every table of the schema has a primary key or a replica identity, those of days that were made later too", async () => {
  const { rows } = await client.query(
    `select c.relname as name
     from pg_class c
     where c.relnamespace = 'lockstep'::regnamespace and c.relkind in ('r', 'p') and c.relreplident <> 'f'
       and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)`,
  );
  expect(rows).toEqual([]);
  expect(await functions.rows("diagnose_publications", {})).toMatchObject([{ severity: "ok" }]);
});

test("no function that somebody may call and that may write was left out here", async () => {
  // A connection tells what it has called at the latest when it ends.
  await client.end();
  client = new pg.Client({ connectionString: server.url });
  await client.connect();
  functions = new FunctionCaller(client);
  const notCalled = async () =>
    (
      await client.query<{ name: string }>(
        `select p.proname as name
         from pg_proc p
         where p.pronamespace = 'lockstep'::regnamespace and p.provolatile = 'v'
           and exists (
             select from unnest('{lockstep_viewer,lockstep_producer,lockstep_operator,lockstep_worker}'::text[]) r
             where has_function_privilege(r, p.oid, 'execute')
           )
           and not exists (select from pg_stat_user_functions f where f.funcid = p.oid and f.calls > 0)
         order by 1`,
      )
    ).rows.map(({ name }) => name);
  await expect.poll(notCalled, soon).toEqual([]);
});
