// In real time: a lease ends by PostgreSQL's clock, and only a real process can be killed.
import { testDatabase } from "@lockstep/test-support";
import { engineSettings } from "lockstep";
import { expect, test } from "vitest";
import { holderOf } from "./holder-of.ts";
import { recoveryBoundMs, shortLease } from "./short-lease.ts";
import { storyEngine } from "./story-engine.ts";
import { storyPipelines } from "./story-pipelines.ts";
import { verifyAfterEach } from "./verify-after-each.ts";
import { startWorker } from "./worker-process.ts";

const db = testDatabase();
verifyAfterEach(db);

const { relay } = storyPipelines();

test("the job of a worker killed mid-stage is done by another, and not penalised for it", async () => {
  const client = storyEngine(db);
  const workers = await Promise.all([
    startWorker(db, { pipelines: ["relay"], settings: shortLease }),
    startWorker(db, { pipelines: ["relay"], settings: shortLease }),
  ]);
  const { id } = await client.add(relay, { shape: { do: "wait" } });
  const { holder, other } = await holderOf(client, id, "shape", workers);

  const killedAtMs = performance.now();
  holder.kill("SIGKILL");
  await other.events.next("job.started", ({ jobId, stage }) => jobId === id && stage === "shape");
  const stoodStillMs = performance.now() - killedAtMs;
  expect(await client.get(id)).toMatchObject({ attempt: 1, losses: 1 });
  other.finish(id);
  await client.result(id, { timeoutMs: 20_000 });

  expect(stoodStillMs).toBeLessThan(recoveryBoundMs(shortLease));
  const job = await client.get(id);
  expect(job?.attempts.map(({ stage, attempt, outcome }) => [stage, attempt, outcome])).toEqual([
    ["collect", 1, "done"],
    ["shape", 1, "lost"],
    ["shape", 1, "done"],
    ["deliver", 1, "done"],
  ]);
  expect(job?.outputs).toMatchObject({ shape: { pid: other.pid } });
});

test("by default such a job runs again within 45 seconds", () => {
  const { leaseMs, sweepIntervalMs } = engineSettings;
  const bound = recoveryBoundMs({
    leaseMs: Number(leaseMs.default),
    sweepIntervalMs: Number(sweepIntervalMs.default),
  });
  expect(bound).toBeLessThanOrEqual(45_000);
});
