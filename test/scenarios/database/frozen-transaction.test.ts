// In real time: only a real process can be frozen.
import { testDatabase } from "@lockstep/test-support";
import { beforeAll, expect, test } from "vitest";
import { endLease } from "../processes/end-lease.ts";
import { longLease } from "../processes/long-lease.ts";
import { startWorker } from "../processes/worker-process.ts";
import { holderOf } from "../stories/holder-of.ts";
import { storyEngine } from "../stories/story-engine.ts";
import { storyPipelines } from "../stories/story-pipelines.ts";
import { until } from "../stories/until.ts";
import { verifyAfterEach } from "../stories/verify-after-each.ts";

const db = testDatabase();
verifyAfterEach(db);
beforeAll(async () => {
  await db.query("create table public.payments (job uuid, pid integer)");
});

const { errand } = storyPipelines();
const payments = async (id: string) =>
  (await db.query<{ pid: number }>("select pid from public.payments where job = $1", [id])).map(
    ({ pid }) => pid,
  );

async function twoWorkersAndAPayment(isSureOfItsLease: boolean) {
  const client = storyEngine(db);
  const workers = await Promise.all([
    startWorker(db, { settings: longLease }),
    startWorker(db, { settings: longLease }),
  ]);
  const { id } = await client.add(errand, { do: "pay", databaseUrl: db.url, isSureOfItsLease });
  const { holder, other } = await holderOf(client, id, "run", workers);
  await holder.events.next("job.log", ({ message }) => message === "paid");
  return { client, id, holder, other };
}

test("a worker frozen in the middle of its transaction pays nothing when another has paid meanwhile", async () => {
  const { client, id, holder: frozen, other } = await twoWorkersAndAPayment(false);
  frozen.kill("SIGSTOP");
  await endLease(db, frozen);
  await other.events.next("job.log", ({ message }) => message === "paid");
  frozen.finish(id);
  frozen.kill("SIGCONT");
  await frozen.events.next("claim.lost", ({ jobId }) => jobId === id);
  expect(await payments(id)).toEqual([]);
  other.finish(id);
  expect(await client.result(id, { timeoutMs: 60_000 })).toEqual({ pid: other.pid });
  expect(await payments(id)).toEqual([other.pid]);
});

test("a worker frozen after it made sure of its lease keeps its job until its transaction ends, and pays once", async () => {
  const { client, id, holder: frozen, other } = await twoWorkersAndAPayment(true);
  frozen.kill("SIGSTOP");
  await endLease(db, frozen);
  await until("the frozen worker is declared lost", async () =>
    (await client.workers()).some(({ workerId, isAlive }) => workerId === frozen.workerId && !isAlive),
  );
  expect(await client.resetStalled()).toBe(0);
  frozen.finish(id);
  frozen.kill("SIGCONT");
  expect(await client.result(id, { timeoutMs: 60_000 })).toEqual({ pid: frozen.pid });
  expect(await payments(id)).toEqual([frozen.pid]);
  expect(other.events.all("job.started")).toEqual([]);
});
