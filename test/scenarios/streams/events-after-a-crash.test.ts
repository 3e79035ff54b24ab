// In real time: the subject is what a server has on its disk when it is killed.
import { randomUUID } from "node:crypto";
import { createClient } from "@lockstep/client";
import { createServer, listen } from "@lockstep/server";
import { type Engine, type LoggedEvent, migrate } from "lockstep";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { OwnServer } from "../processes/own-server.ts";
import { storyEngine } from "../stories/story-engine.ts";
import { storyPipelines } from "../stories/story-pipelines.ts";
import { until } from "../stories/until.ts";

const { errand } = storyPipelines();
let server: OwnServer;

beforeAll(async () => {
  server = await OwnServer.start();
  await migrate({ databaseUrl: server.url });
});
afterAll(() => server.remove());

const toAda = { owner: "ada" };

/** Claims one job at a time, as workers do: committed, told to readers, and not yet on the disk. */
async function claimEach(count: number): Promise<void> {
  const worker = randomUUID();
  await server.query("select lockstep.register_worker($1, 'story')", [worker]);
  for (let n = 0; n < count; n += 1) {
    // After a crash others have some seconds to present what they held.
    await until("a job is claimed", async () => {
      const rows = await server.query(
        `select c.id
         from set_config('synchronous_commit', 'off', true), lockstep.claim_jobs($1, '{errand/run}') c`,
        [worker],
      );
      return rows.length === 1;
    });
  }
}

const told = (events: readonly LoggedEvent[]) =>
  events.map((event) => (event.kind === "events.reset" ? "reset" : `${event.jobId} ${event.kind}`));

/** One who follows in this process, and one over HTTP, from now on. */
async function followBoth(engine: Engine) {
  const http = await listen(createServer({ engine, access: "loopback" }), { port: 0 });
  const after = await engine.eventCursor();
  const events = engine.readEvents({ owner: "ada", after });
  const messages = createClient({ baseUrl: http.url })
    .events({ owner: "ada", after })
    [Symbol.asyncIterator]();
  onTestFinished(async () => {
    await events.return();
    await messages.return?.();
    await http.stop();
  });
  return {
    next: async () => told([(await events.next()).value as LoggedEvent])[0],
    nextMessage: async () => {
      const { value } = await messages.next();
      if (value === undefined) throw new Error("The stream has ended.");
      return value.type === "job" ? `${value.event.jobId} ${value.event.kind}` : value.type;
    },
  };
}

/** Reads until nothing is left; where it stands then. */
async function readAll(engine: Engine, after: string): Promise<{ stories: string[]; cursor: string }> {
  const reader = engine.reader();
  const stories: string[] = [];
  for (let cursor = after; ; ) {
    const page = await reader.events({ after: cursor });
    stories.push(...told(page.events));
    cursor = page.cursor;
    if (page.isAll) {
      await reader.close();
      return { stories, cursor };
    }
  }
}

const pendingJobs = async () =>
  (await server.query("select from lockstep.jobs where status = 'pending'")).length;

test.each([
  { how: "is killed and started again", crash: () => server.crash().then(() => server.startAgain()) },
  { how: "restarts after one of its processes was killed", crash: () => server.crashBackend() },
])("whoever has read what PostgreSQL lost is told to begin anew when it $how", async ({ crash }) => {
  const engine = storyEngine(server);
  for (let n = 0; n < 6; n += 1) await engine.add(errand, { do: "answer" }, toAda);
  const { cursor } = await readAll(engine, "start");
  const pending = await pendingJobs();
  await server.query("checkpoint");
  await claimEach(6);
  const before = await readAll(engine, cursor);
  expect(before.stories.filter((story) => story.endsWith("job.claimed"))).toHaveLength(6);

  await crash();
  expect(await pendingJobs()).toBe(pending);
  // Durable, under the number of a transaction that the cursor counts as read.
  const again = storyEngine(server);
  const added = await again.add(errand, { do: "answer" }, toAda);
  for (const place of [cursor, before.cursor]) {
    const after = await readAll(again, place);
    expect(after.stories).toEqual(["reset"]);
    const { id } = await again.add(errand, { do: "answer" }, toAda);
    expect((await readAll(again, after.cursor)).stories).toEqual([`${id} job.added`]);
  }
  expect((await readAll(again, "start")).stories).toContain(`${added.id} job.added`);
});

test("whoever follows while PostgreSQL crashes is told once, and misses nothing from there on", async () => {
  const engine = storyEngine(server);
  const { next, nextMessage } = await followBoth(engine);
  const first = await engine.add(errand, { do: "answer" }, toAda);
  expect(await next()).toBe(`${first.id} job.added`);
  expect(await nextMessage()).toBe(`${first.id} job.added`);

  await server.crash();
  await server.startAgain();
  expect(await next()).toBe("reset");
  expect(await nextMessage()).toBe("reset");
  const { id } = await engine.add(errand, { do: "answer" }, toAda);
  expect(await next()).toBe(`${id} job.added`);
  expect(await nextMessage()).toBe(`${id} job.added`);
});

test("a server that is stopped and started loses nothing, and nobody is told to begin anew", async () => {
  const engine = storyEngine(server);
  await engine.add(errand, { do: "answer" }, toAda);
  await claimEach(1);
  const { cursor } = await readAll(engine, "start");
  const { next, nextMessage } = await followBoth(engine);
  const [following, streaming] = [next(), nextMessage()];
  await server.stop();
  await server.startAgain();
  const { id } = await engine.add(errand, { do: "answer" }, toAda);
  expect([await following, await streaming]).toEqual([`${id} job.added`, `${id} job.added`]);
  const { stories, cursor: later } = await readAll(engine, cursor);
  expect(stories).toEqual([`${id} job.added`]);
  expect((await readAll(engine, later)).stories).toEqual([]);
});

test("where the files of a stopped server are put back, whoever has read what came since is told so", async () => {
  const engine = storyEngine(server);
  await engine.add(errand, { do: "answer" }, toAda);
  const old = await readAll(engine, "start");
  await server.stop();
  const copy = await server.copy();
  onTestFinished(() => copy.remove());
  await server.startAgain();
  for (let n = 0; n < 5; n += 1) await engine.add(errand, { do: "answer" }, toAda);
  const since = await readAll(engine, old.cursor);
  expect(since.stories).toHaveLength(5);

  await server.stop();
  await server.takeFilesOf(copy);
  await server.startAgain();
  const ids: string[] = [];
  for (let n = 0; n < 8; n += 1) ids.push((await engine.add(errand, { do: "answer" }, toAda)).id);
  expect((await readAll(engine, since.cursor)).stories).toEqual(["reset"]);
  // What was read before the copy was made is still so.
  expect((await readAll(engine, old.cursor)).stories).toEqual(ids.map((id) => `${id} job.added`));
});
