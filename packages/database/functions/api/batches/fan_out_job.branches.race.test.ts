import { type ClaimedJob, JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import type pg from "pg";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;
let other: string;

const stages = ["order/enrich", "order/ship", "order:enrich:logo/run", "order:enrich:text/run"];

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("order", ["enrich", "ship"]);
  for (const name of ["logo", "text"]) {
    await db.call("define_pipeline", {
      p_name: `order:enrich:${name}`,
      p_stages: [{ name: "run", maxAttempts: 1, maxLosses: 1 }],
      p_options: { branchOf: "order" },
    });
  }
});

interface Scene {
  readonly order: string;
  readonly logo: ClaimedJob;
  readonly text: ClaimedJob;
}

/** An order whose two branches run, each on a worker of its own. */
async function aScene(): Promise<Scene> {
  await db.query(
    "truncate lockstep.jobs, lockstep.finished_jobs, lockstep.batches, lockstep.workers, lockstep.stage_moves",
  );
  worker = await jobs.aWorker({ serves: stages, leaseSeconds: 3_600 });
  other = await jobs.aWorker({ serves: stages, leaseSeconds: 60 });
  const { id, claim_token } = await jobs.aClaimedJob({
    pipeline: "order",
    by: worker,
    stage: "order/enrich",
  });
  await db.value("fan_out_job", {
    ...{ p_id: id, p_claim_token: claim_token, p_returns: "branches", p_now: noon },
    p_children: ["logo", "text"].map((branch) => ({ pipeline: `order:enrich:${branch}`, branch })),
  });
  const [logo] = await jobs.claimAs(worker, { stage: "order:enrich:logo/run" });
  const [text] = await jobs.claimAs(other, { stage: "order:enrich:text/run" });
  if (!logo || !text) throw new Error("The branches are not there.");
  return { order: id, logo, text };
}

type Move = (scene: Scene) => [sql: string, values: unknown[]];

const moves: Record<string, Move> = {
  "a branch completes": ({ logo }) => [
    "select lockstep.complete_job($1, $2, '1', $3) as a",
    [logo.id, logo.claim_token, noon],
  ],
  "the other completes": ({ text }) => [
    "select lockstep.complete_job($1, $2, '2', $3) as a",
    [text.id, text.claim_token, noon],
  ],
  "a branch fails": ({ logo }) => [
    `select lockstep.fail_job($1, $2, '{"message": "no"}', p_now => $3) as a`,
    [logo.id, logo.claim_token, noon],
  ],
  "the order is cancelled": ({ order }) => [
    "select lockstep.cancel_job($1, p_now => $2) as a",
    [order, noon],
  ],
  "the order is retried": ({ order }) => [
    "select answer as a from lockstep.retry_job($1, p_now => $2)",
    [order, noon],
  ],
  "a branch is cancelled": ({ text }) => [
    "select lockstep.cancel_job($1, p_now => $2) as a",
    [text.id, noon],
  ],
  "a branch is swept": () => [
    "select lost_jobs as a from lockstep.sweep_lost_workers(p_now => $1)",
    [secondsAfter(noon, 61)],
  ],
};

async function make(client: pg.Client, scene: Scene, name: string): Promise<unknown> {
  const [sql, values] = (moves[name] as Move)(scene);
  return (await client.query(sql, values)).rows[0]?.a;
}

/** How everything stands, without ids and times. */
async function shown({ order }: Scene): Promise<unknown> {
  const job = await jobs.read(order);
  const branches = await db.call<{ branch: string; status: string }>("branches_of", { p_job_id: order });
  const asked = await db.query<{ id: string }>(
    "select id from lockstep.jobs where cancel_requested_at is not null",
  );
  const [batch] = await db.query(
    "select completed, failed, cancelled, finished_at is not null as over from lockstep.batches",
  );
  expect(await db.call("verify", { p_now: noon })).toEqual([]);
  return {
    ...{ status: job?.status, stage: job?.stage, outputs: job?.outputs, asked: asked.length, batch },
    branches: branches.map(({ branch, status }) => `${branch} ${status}`),
  };
}

async function oneAfterTheOther(names: readonly string[]): Promise<unknown> {
  const scene = await aScene();
  const answers: Record<string, unknown> = {};
  const client = await db.connect();
  for (const name of names) answers[name] = await make(client, scene, name);
  await client.end();
  await settleDown(names);
  delete answers[swept];
  return { answers, ...((await shown(scene)) as object) };
}

const known = new Map<string, Promise<unknown>>();

/** What comes of two moves one after the other; each order is tried once. */
function inOrder(first: string, second: string): Promise<unknown> {
  const key = `${first}, ${second}`;
  const outcome = known.get(key) ?? oneAfterTheOther([first, second]);
  known.set(key, outcome);
  return outcome;
}

const swept = "a branch is swept";

/** What was skipped because another had locked it is left to the next sweep. */
async function settleDown(names: readonly string[]): Promise<void> {
  await db.call("sweep_lost_workers", { p_now: names.includes(swept) ? secondsAfter(noon, 61) : noon });
}

const names = Object.keys(moves);
const pairs = names.flatMap((first) =>
  names.filter((name) => name !== first).map((second) => [first, second] as const),
);

test("whatever two moves meet at a job and its branches, it is as if one came after the other", async () => {
  const [one, two, watcher] = [await db.connect(), await db.connect(), await db.connect()];
  const { rows } = await two.query("select pg_backend_pid() as pid");
  for (const [first, second] of pairs) {
    const legal = [await inOrder(first, second), await inOrder(second, first)];
    const scene = await aScene();
    await one.query("begin");
    const answered = await make(one, scene, first);
    let isEnded = false;
    const meeting = make(two, scene, second).finally(() => {
      isEnded = true;
    });
    // Until it waits for the first, or has passed it by.
    for (;;) {
      const blocked = await watcher.query("select cardinality(pg_blocking_pids($1)) > 0 as it_is", [
        rows[0].pid,
      ]);
      if (isEnded || blocked.rows[0].it_is) break;
    }
    await one.query("commit");
    const answers: Record<string, unknown> = { [first]: answered, [second]: await meeting };
    await settleDown([first, second]);
    delete answers[swept];
    const actual = { answers, ...((await shown(scene)) as object) };
    expect(legal, `${first}, and before it commits: ${second}`).toContainEqual(actual);
  }
}, 240_000);

test("parents of one batch that end at the same time do not lock each other out", async () => {
  await jobs.aPipeline("short", ["enrich"]);
  worker = await jobs.aWorker({ serves: [...stages, "short/enrich"], leaseSeconds: 3_600 });
  const [batch] = await db.call<{ id: string }>("open_batch", { p_now: noon });
  const given = Array.from({ length: 12 }, () => ({ pipeline: "short", batchId: batch?.id }));
  await db.call("add_jobs", { p_jobs: given, p_now: noon });
  await db.value("close_batch", { p_id: batch?.id, p_now: noon });
  for (const { id, claim_token } of await jobs.claimAs(worker, { stage: "short/enrich", batchSize: 12 })) {
    await db.value("fan_out_job", {
      ...{ p_id: id, p_claim_token: claim_token, p_returns: "branches", p_now: noon },
      p_children: [{ pipeline: "order:enrich:logo", branch: "logo" }],
    });
  }
  const claimed = await jobs.claimAs(worker, { stage: "order:enrich:logo/run", batchSize: 12 });
  const clients = await Promise.all([db.connect(), db.connect(), db.connect()]);
  // Each ends every third of them in one call, so that their batches lie between each other.
  await Promise.all(
    clients.map((client, index) => {
      const mine = claimed.filter((_, number) => number % 3 === index);
      return client.query("select * from lockstep.settle_jobs($1, $2, p_now => $3)", [
        mine.map(({ id }) => id),
        mine.map(({ claim_token }) => claim_token),
        noon,
      ]);
    }),
  );
  expect(await db.call("get_batch", { p_id: batch?.id })).toMatchObject([
    { state: "finished", completed: 12 },
  ]);
  expect(await db.call("verify", { p_now: noon })).toEqual([]);
});
