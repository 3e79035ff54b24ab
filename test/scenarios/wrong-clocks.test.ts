// In real time: leases are kept and lost by PostgreSQL's clock, whatever the clocks of real processes say.
import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { recoveryBoundMs, shortLease } from "./short-lease.ts";
import { storyEngine } from "./story-engine.ts";
import { storyPipelines } from "./story-pipelines.ts";
import { until } from "./until.ts";
import { verifyAfterEach } from "./verify-after-each.ts";
import { startWorker } from "./worker-process.ts";

const db = testDatabase();
verifyAfterEach(db);

const { errand, relay } = storyPipelines();

test("workers whose clocks are an hour wrong keep their jobs while they live, and lose them in time when they die", async () => {
  const client = storyEngine(db);
  const [behind, ahead] = await Promise.all([
    startWorker(db, { pipelines: ["errand"], settings: shortLease, clock: "behind" }),
    startWorker(db, { pipelines: ["relay"], settings: shortLease, clock: "ahead" }),
  ]);
  const { id: kept } = await client.add(errand, { do: "linger", forMs: 1.5 * shortLease.leaseMs });
  const { id: lost } = await client.add(relay, { collect: { do: "wait" } });

  await client.result(kept, { timeoutMs: 20_000 });
  expect((await client.get(kept))?.attempts).toMatchObject([{ outcome: "done" }]);
  expect(await client.get(lost)).toMatchObject({ workerId: ahead.workerId, losses: 0 });

  ahead.kill("SIGKILL");
  const limitMs = recoveryBoundMs(shortLease);
  await until("the job is taken back", async () => (await client.get(lost))?.losses === 1, { limitMs });
  behind.kill("SIGTERM");
  await behind.ended;
  for (const { events } of [behind, ahead]) expect(events.names()).not.toContain("worker.lost");
});
