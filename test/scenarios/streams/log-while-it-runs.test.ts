import { createServer, listen } from "@lockstep/server";
import { testDatabase } from "@lockstep/test-support";
import { definePipeline } from "lockstep";
import { expect, onTestFinished, test } from "vitest";
import { storyEngine } from "../stories/story-engine.ts";
import { until } from "../stories/until.ts";
import { verifyAfterEach } from "../stories/verify-after-each.ts";

const db = testDatabase();
verifyAfterEach(db);

interface Seen {
  status: string;
  progress: unknown;
  attempts: { outcome: string; log?: { level: string; message: string; data?: unknown }[] }[];
}

test("what a handler logs is seen over HTTP while it runs, and stays when it has ended", async () => {
  let letGo = () => {};
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const slow = definePipeline("slow").stage("work", async ({ log }) => {
    log.info("opened", { pages: 3 });
    await gate;
    log.warn("closed");
  });
  const engine = storyEngine(db, { pipelines: [slow], progressIntervalMs: 50 });
  const { url, stop } = await listen(createServer({ engine, access: "loopback", logger: null }), { port: 0 });
  onTestFinished(stop);
  await engine.start();
  const { id } = await engine.add(slow, {});
  const seen = async () => (await (await fetch(`${url}/api/v1/jobs/${id}`)).json()) as Seen;

  await until("its first line is seen", async () => (await seen()).attempts[0]?.log !== undefined);
  expect(await seen()).toMatchObject({
    status: "processing",
    progress: null,
    attempts: [{ outcome: "processing", log: [{ level: "info", message: "opened", data: { pages: 3 } }] }],
  });

  letGo();
  await engine.result(id);
  expect(await seen()).toMatchObject({
    status: "completed",
    attempts: [{ outcome: "done", log: [{ message: "opened" }, { level: "warn", message: "closed" }] }],
  });
});
