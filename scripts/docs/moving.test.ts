import { join } from "node:path";
import { JobFactory, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";
import { runCli } from "../../packages/cli/src/testing/run-cli.ts";
import { aBoss } from "../../test/import/a-boss.ts";
import { aGraphileWorker } from "../../test/import/a-graphile-worker.ts";
import { bullMqOnPostgres } from "../../test/import/bullmq-store.ts";
import { repository } from "../run-command.ts";
import { blocks, read } from "./page.ts";

const db = testDatabase();
const jobs = new JobFactory(db);
const payloadSchema = { type: "object", properties: { to: { type: "string" } }, required: ["to"] };

beforeEach(() => db.reset());

test("docs/moving-from/pg-boss.md shows a session that runs and says what it shows", async () => {
  await jobs.aPipeline("email", ["send"], { payloadSchema });
  const boss = await aBoss(db.url, ["email", "thumbnails"]);
  await boss.send("email", { to: "ada@example.org" });
  await boss.send("email", { to: "grace@example.org" }, { startAfter: 3_600, singletonKey: "reminder" });
  await boss.send("email", { too: "edsger@example.org" }, { id: "0190a000-0000-7000-8000-000000000001" });
  await boss.send("thumbnails", { file: "a.png" });
  await boss.schedule("email", "0 6 * * *", { to: "team@example.org" }, { tz: "Europe/Berlin" });
  await expectSession("docs/moving-from/pg-boss.md");
});

test("docs/moving-from/graphile-worker.md shows a session that runs and says what it shows", async () => {
  await jobs.aPipeline("email", ["send"], { payloadSchema });
  const utils = await aGraphileWorker(db.url);
  await utils.addJob("send_email", { to: "ada@example.org" });
  await utils.addJob("send_email", { to: "grace@example.org" }, { runAt: new Date(Date.now() + 3_600_000) });
  await utils.addJob("send_email", { too: "edsger@example.org" });
  await expectSession("docs/moving-from/graphile-worker.md");
});

test("docs/moving-from/bullmq.md shows a session that runs and says what it shows", async () => {
  await jobs.aPipeline("video", ["convert"]);
  const store = await bullMqOnPostgres(db);
  const queue = store.queue("video");
  await queue.add("convert", { file: "a.mov" });
  await queue.add("convert", { file: "b.mov" }, { delay: 3_600_000, jobId: "b.mov" });
  const template = { name: "convert", data: { file: "c.mov" } };
  await queue.upsertJobScheduler("nightly", { pattern: "0 3 * * *" }, template);
  await queue.upsertJobScheduler("odd", { every: 5_400_000, startDate: Date.now() + 3_600_000 }, template);
  // The page says Redis, which a machine may not have; to the command they are the same.
  await expectSession("docs/moving-from/bullmq.md", (word) => (word.startsWith("redis:") ? store.url : word));
});

/** Runs the lines of the page's first session, and compares what they say with what it shows. */
async function expectSession(path: string, wordOf = (word: string) => word): Promise<void> {
  const [session = ""] = blocks(read(path), "console");
  const steps = session.split(/^\$ /m).slice(1);
  expect(steps.length).toBeGreaterThan(1);
  for (const step of steps) {
    const [line = "", ...said] = step.split("\n");
    const [, ...argv] = line.split(" ");
    const { stdout } = await runCli(argv.map(wordOf), {
      databaseUrl: db.url,
      cwd: join(repository, "packages/cli"),
      columns: 110,
      env: { NO_COLOR: "1" },
    });
    expect(stdout, line).toBe(said.join("\n"));
  }
}
