// In real time: leases are kept and lost by PostgreSQL's clock, whatever the clocks of real processes say.
import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { endLease } from "../processes/end-lease.ts";
import { longLease } from "../processes/long-lease.ts";
import { passLeases } from "../processes/pass-leases.ts";
import { startWorker } from "../processes/worker-process.ts";
import { storyEngine } from "../stories/story-engine.ts";
import { storyPipelines } from "../stories/story-pipelines.ts";
import { until } from "../stories/until.ts";
import { verifyAfterEach } from "../stories/verify-after-each.ts";

const db = testDatabase();
verifyAfterEach(db);

const { errand, relay } = storyPipelines();

test("workers whose clocks are an hour wrong keep their jobs while they live, and lose them in time when they die", async () => {
  const client = storyEngine(db);
  const [behind, ahead] = await Promise.all([
    startWorker(db, { pipelines: ["errand"], settings: longLease, clock: "behind" }),
    startWorker(db, { pipelines: ["relay"], settings: longLease, clock: "ahead" }),
  ]);
  const { id: kept } = await client.add(errand, { do: "wait" });
  const { id: lost } = await client.add(relay, { collect: { do: "wait" } });
  await behind.events.next("job.started");
  await ahead.events.next("job.started");
  await passLeases(db, 3);

  behind.finish(kept);
  await client.result(kept, { timeoutMs: 60_000 });
  expect((await client.get(kept))?.attempts).toMatchObject([{ outcome: "done" }]);
  expect(await client.get(lost)).toMatchObject({ workerId: ahead.workerId, losses: 0 });

  ahead.kill("SIGKILL");
  await endLease(db, ahead);
  await until("the job is taken back", async () => (await client.get(lost))?.losses === 1);
  behind.kill("SIGTERM");
  await behind.ended;
  for (const { events } of [behind, ahead]) expect(events.names()).not.toContain("worker.lost");
});
