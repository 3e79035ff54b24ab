// Real time passes here: leases of a second end while their workers are still at work.
import { randomUUID } from "node:crypto";
import { JobFactory, settledBy, testDatabase } from "@lockstep/test-support";
import type pg from "pg";
import { expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

const workers = 8;
const runsForMs = 4_000;
const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(Math.random() * list.length)];

interface Held {
  id: string;
  stageId: number;
  token: string;
}

interface Ledger {
  added: Set<string>;
  /** Claims whose settlement was accepted, by job and token; the fence allows each once. */
  applied: Map<string, number>;
}

async function addSome(client: pg.Client, ledger: Ledger): Promise<void> {
  // One key a call: two calls that meet on two keys in crossed order are a deadlock, which a client sends again.
  const list = Array.from({ length: 5 }, (_, index) => ({
    pipeline: "orders",
    priority: 1 + Math.floor(Math.random() * 3),
    dedupKey: index === 0 ? `key ${Math.floor(Math.random() * 20)}` : null,
    scheduledFor: Math.random() < 0.2 ? new Date(Date.now() + 200) : null,
  }));
  const { rows } = await client.query("select id from lockstep.add_jobs($1)", [JSON.stringify(list)]);
  for (const { id } of rows) ledger.added.add(id);
}

/** One worker's life, again and again: it registers, exchanges, and dies without a word while it holds jobs. */
async function work(client: pg.Client, stageIds: number[], until: number, ledger: Ledger): Promise<void> {
  while (performance.now() < until) {
    const worker = randomUUID();
    await client.query("select lockstep.register_worker($1, 'w', '1 second', '{orders/read,orders/write}')", [
      worker,
    ]);
    const [first = 0, second = 0] = stageIds;
    let held: Held[] = [];
    for (let exchange = 0; exchange < 60 && performance.now() < until; exchange++) {
      const ending = held.filter(() => Math.random() < 0.7);
      const settlements = ending.map(({ id, token, stageId }) => ({
        id,
        token,
        outcome: pick(["done", "done", "done", "retry", "give_up", "snooze", "release"]),
        value: {},
        delayMs: 100,
        keepIn: stageId === first && Math.random() < 0.5 ? second : null,
      }));
      const claimToken = randomUUID();
      const { p_ids, p_tokens, p_ends } = settledBy(settlements);
      const { rows } = await client.query(
        "select * from lockstep.settle_and_claim($1, $2, $3, $4, $5, $6, '{4,4}', null, '{2,2}', null)",
        [worker, claimToken, p_ids, p_tokens, JSON.stringify(p_ends), stageIds],
      );
      const answers = new Map(rows.filter(({ kind }) => kind === "settled").map((row) => [row.id, row]));
      for (const { id, token } of ending) {
        const isApplied = (answers.get(id)?.detail.answer ?? "applied") === "applied";
        const claim = `${id} ${token}`;
        if (isApplied) ledger.applied.set(claim, (ledger.applied.get(claim) ?? 0) + 1);
      }
      const kept = settlements.filter(
        ({ id, outcome, keepIn }) => outcome === "done" && keepIn !== null && !answers.has(id),
      );
      held = [
        ...held.filter((one) => !ending.includes(one)),
        ...kept.map(({ id }) => ({ id, stageId: second, token: claimToken })),
        ...rows
          .filter(({ kind }) => kind === "claimed")
          .map(({ id, stage_id }) => ({ id, stageId: stage_id, token: claimToken })),
      ];
      if (Math.random() < 0.5) await addSome(client, ledger);
      if (rows.some(({ kind }) => kind === "lost")) break;
    }
  }
}

async function meddle(client: pg.Client, until: number, ledger: Ledger): Promise<void> {
  while (performance.now() < until) {
    await client.query("select lockstep.sweep_lost_workers(p_cancel_grace => '1 second')");
    const id = pick([...ledger.added]);
    if (id) await client.query("select lockstep.cancel_job($1)", [id]);
    const { rows } = await client.query(
      "select id from lockstep.list_jobs(jsonb_build_object('statuses', array[$1::text]), p_limit => 20)",
      [pick(["failed", "cancelled"])],
    );
    if (rows.length > 0) await client.query("select lockstep.retry_job($1)", [pick(rows)?.id]);
    if (Math.random() < 0.2) await client.query("select lockstep.fold_counters()");
  }
}

test("whatever workers and people do at once, no job is lost or doubled and the counters are right", async () => {
  const stageIds = Object.values(
    await jobs.aPipeline("orders", [
      { name: "read", maxAttempts: 5 },
      { name: "write", maxAttempts: 5 },
    ]),
  );
  const clients: pg.Client[] = [];
  for (let count = 0; count < workers + 2; count++) clients.push(await db.connect());
  const ledger: Ledger = { added: new Set(), applied: new Map() };
  const until = performance.now() + runsForMs;

  await Promise.all(
    clients.map((client, index) =>
      index < workers ? work(client, stageIds, until, ledger) : meddle(client, until, ledger),
    ),
  );

  // All workers are dead now; an hour later everything they held is free again.
  await db.timePasses(3_600_000);
  await db.call("sweep_lost_workers");
  await db.call("sweep_lost_workers");
  expect(await db.call("verify")).toEqual([]);
  expect(await db.query("select 1 from lockstep.jobs where status = 'processing'")).toEqual([]);

  const known = await db.query<{ id: string }>(
    "select id from lockstep.jobs union all select id from lockstep.finished_jobs",
  );
  expect(known.map(({ id }) => id).sort()).toEqual([...ledger.added].sort());
  expect([...ledger.applied.values()].filter((times) => times > 1)).toEqual([]);
  expect(ledger.applied.size).toBeGreaterThan(100);
});
