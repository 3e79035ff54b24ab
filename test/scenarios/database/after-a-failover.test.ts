// In real time: the subject is what a standby has of its primary when that is gone.
import { randomUUID } from "node:crypto";
import { type Engine, type LoggedEvent, migrate } from "lockstep";
import { afterAll, beforeAll, expect, test } from "vitest";
import { OwnServer } from "../processes/own-server.ts";
import { storyEngine } from "../stories/story-engine.ts";
import { storyPipelines } from "../stories/story-pipelines.ts";
import { until } from "../stories/until.ts";

const { errand } = storyPipelines();
const toAda = { owner: "ada" };
let primary: OwnServer;
let standby: OwnServer;
/** What the standby never got. */
let begunThere: { id: string; key: string } | undefined;

beforeAll(async () => {
  primary = await OwnServer.start();
  await migrate({ databaseUrl: primary.url });
  standby = await primary.standby();
}, 120_000);
afterAll(async () => {
  await standby.remove();
  await primary.remove();
});

async function readAll(engine: Engine, after: string): Promise<{ events: LoggedEvent[]; cursor: string }> {
  const reader = engine.reader();
  const events: LoggedEvent[] = [];
  for (let cursor = after; ; ) {
    const page = await reader.events({ after: cursor });
    events.push(...page.events);
    cursor = page.cursor;
    if (page.isAll) return { events, cursor };
  }
}

const kinds = (events: readonly LoggedEvent[]) => events.map(({ kind }) => kind);
const addOne = async (engine: Engine) => (await engine.add(errand, { do: "answer" }, toAda)).id;
/** Claims the oldest job as a worker of its own, and asks the ledger for its effect; the claim is left as it is. */
async function beginEffect(server: OwnServer): Promise<{ id: string; key: string; answer: string }> {
  const worker = randomUUID();
  await server.query("select lockstep.register_worker($1, 'story')", [worker]);
  const [row] = await server.query<{ id: string; key: string; answer: string }>(
    `select c.id, e.answer, e.idempotency_key as key
     from lockstep.claim_jobs($1, '{errand/run}') c, lockstep.begin_effect(c.id, c.claim_token, 'mail') e`,
    [worker],
  );
  if (row === undefined) throw new Error("No job was claimed.");
  return row;
}

const eventsIn = async (server: OwnServer) =>
  (await server.query("select from lockstep.events where kind = 'job.added'")).length;

test("a standby is waited for, and when it takes over, whoever has read what it never got is told so", async () => {
  const engine = storyEngine(primary);
  await addOne(engine);
  const { cursor: early } = await readAll(engine, "start");
  await until("the standby has the job", async () => (await eventsIn(standby)) === 1);

  // From here on it gets nothing, as when the network fails between the two; nobody waits for it.
  await standby.query("alter system set primary_conninfo = ''");
  await standby.query("select pg_reload_conf()");
  await until("the standby is cut off", async () => {
    return (await primary.query("select from pg_stat_replication")).length === 0;
  });
  begunThere = await beginEffect(primary);
  for (let n = 0; n < 10; n += 1) await addOne(engine);
  const { events: lost, cursor: late } = await readAll(engine, early);
  expect(lost).toHaveLength(11);
  await primary.crash();

  const there = storyEngine(standby);
  // In recovery: neither an error nor a reset.
  const following = there.readEvents({ after: late });
  const first = following.next();
  await expect(readAll(there, late)).rejects.toMatchObject({ name: "DatabaseUnavailableError" });
  await standby.query("select pg_promote()");
  expect((await first).value).toMatchObject({ kind: "events.reset" });

  // The numbers of what was lost are used again, and passed.
  const ids: string[] = [];
  for (let n = 0; n < 20; n += 1) ids.push(await addOne(there));
  for (const cursor of [early, late]) {
    const { events, cursor: now } = await readAll(there, cursor);
    expect(kinds(events)).toEqual(["events.reset"]);
    const id = await addOne(there);
    expect((await readAll(there, now)).events).toMatchObject([{ kind: "job.added", jobId: id }]);
  }
  for (const jobId of ids) expect((await following.next()).value).toMatchObject({ kind: "job.added", jobId });
  await following.return();
});

test("an effect whose start was lost runs again there, under the same idempotency key", async () => {
  expect(await beginEffect(standby)).toEqual({ ...begunThere, answer: "run" });
});
