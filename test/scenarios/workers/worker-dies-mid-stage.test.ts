// In real time: only a real process can be killed.
import { testDatabase } from "@lockstep/test-support";
import { engineSettings } from "lockstep";
import { expect, test } from "vitest";
import { endLease } from "../processes/end-lease.ts";
import { longLease } from "../processes/long-lease.ts";
import { startWorker } from "../processes/worker-process.ts";
import { holderOf } from "../stories/holder-of.ts";
import { storyEngine } from "../stories/story-engine.ts";
import { storyPipelines } from "../stories/story-pipelines.ts";
import { verifyAfterEach } from "../stories/verify-after-each.ts";

const db = testDatabase();
verifyAfterEach(db);

const { relay } = storyPipelines();

test("the job of a worker killed mid-stage is done by another, and not penalised for it", async () => {
  const client = storyEngine(db);
  const workers = await Promise.all([
    startWorker(db, { pipelines: ["relay"], settings: longLease }),
    startWorker(db, { pipelines: ["relay"], settings: longLease }),
  ]);
  const { id } = await client.add(relay, { shape: { do: "wait" } });
  const { holder, other } = await holderOf(client, id, "shape", workers);

  holder.kill("SIGKILL");
  await endLease(db, holder);
  await other.events.next("job.started", ({ jobId, stage }) => jobId === id && stage === "shape");
  // Each has a lease of its own: the end of one leaves the other as it was.
  expect(other.events.all("worker.lost")).toEqual([]);
  expect(await client.get(id)).toMatchObject({ attempt: 1, losses: 1 });
  other.finish(id);
  await client.result(id, { timeoutMs: 60_000 });

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
  const toStartItAgainMs = 3_000;
  const standsStillMs = Number(leaseMs.default) + Number(sweepIntervalMs.default) + toStartItAgainMs;
  expect(standsStillMs).toBeLessThanOrEqual(45_000);
});
