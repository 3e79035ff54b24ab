// In real time: the subject is connections that are cut while transactions commit in another order than they began.
import { setTimeout as sleep } from "node:timers/promises";
import { createClient, type LiveEvents } from "@lockstep/client";
import { JobFactory, testDatabase } from "@lockstep/test-support";
import { createEngine } from "lockstep";
import type pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { startServer, tokenSecret } from "../processes/server-process.ts";
import { until } from "../stories/until.ts";

const db = testDatabase();
const jobs = new JobFactory(db);

const writers = 200;
const transactionsEach = 2;
const committed: string[] = [];

/** Transactions that draw their ids and end a little later, or much later; one in five in vain. */
async function write(client: pg.Client, owner: string): Promise<void> {
  for (let n = 0; n < transactionsEach; n += 1) {
    await client.query("begin");
    const { rows } = await client.query<{ id: string }>(
      "select id from lockstep.add_job('orders', p_owner => $1)",
      [owner],
    );
    // A transaction that began earlier may so come after a later one, on the same job.
    const earlier = committed[Math.floor(Math.random() * committed.length)];
    if (earlier !== undefined) {
      await client.query("select lockstep.cancel_job($1)", [earlier]);
      await client.query("select lockstep.retry_job($1)", [earlier]);
    }
    await sleep(Math.random() < 0.1 ? 1_500 : Math.random() * 500);
    const isKept = Math.random() < 0.8;
    await client.query(isKept ? "commit" : "rollback");
    if (isKept) committed.push(...rows.map(({ id }) => id));
  }
}

/** Sends each request to the next server, and cuts the answer after a while. */
class RoughNetwork {
  readonly #urls: readonly string[];
  isRough = true;
  cuts = 0;
  #requests = 0;

  constructor(urls: readonly string[]) {
    this.#urls = urls;
  }

  readonly fetch: typeof fetch = async (input, init) => {
    this.#requests += 1;
    const url = String(input).replace("http://any", this.#urls[this.#requests % this.#urls.length] ?? "");
    const cut = new AbortController();
    init?.signal?.addEventListener("abort", () => cut.abort());
    if (this.isRough) {
      void sleep(100 + Math.random() * 900).then(() => {
        this.cuts += 1;
        cut.abort();
      });
    }
    return await fetch(url, { ...init, signal: cut.signal });
  };
}

interface Told {
  readonly jobId: string;
  readonly kind: string;
}

test("clients that are cut off again and again, between two servers of which one dies, get everything once", async () => {
  await jobs.aPipeline("orders", ["read"]);
  const engine = createEngine({ databaseUrl: db.url, tokenSecret, logger: null });
  onTestFinished(() => engine.stop());
  const [steady, mortal] = await Promise.all([startServer(db), startServer(db)]);
  const network = new RoughNetwork([steady.url, mortal.url]);
  const after = await engine.eventCursor();

  const follow = (owner: string | null): { told: Told[]; live: LiveEvents } => {
    const told: Told[] = [];
    const client = createClient({
      baseUrl: "http://any",
      fetch: network.fetch,
      ...(owner !== null && { token: () => engine.ownerToken(owner, { expiresInMs: 60_000 }) }),
    });
    const live = client.follow({ after }, (message) => {
      if (message.type === "job") told.push(message.event);
      if (message.type === "reset") told.push({ jobId: "", kind: "reset" });
    });
    onTestFinished(() => live.close());
    return { told, live };
  };
  const ofAll = Array.from({ length: 4 }, () => follow(null));
  const ofOwner = Array.from({ length: 2 }, () => follow("owner-3"));

  const clients = await Promise.all(Array.from({ length: writers }, () => db.connect()));
  const writing = Promise.all(clients.map((client, n) => write(client, `owner-${n % 5}`)));
  await sleep(1_500);
  mortal.kill("SIGKILL");
  await mortal.ended;
  await startServer(db, mortal.port);
  await writing;
  network.isRough = false;
  // Whatever was told twice was told before this.
  const last = await jobs.aPendingJob({ owner: "owner-3" });

  const everyone = [...ofAll, ...ofOwner];
  await until("every client has heard of the last job", async () =>
    everyone.every(({ told }) => told.some(({ jobId }) => jobId === last)),
  );
  const stored = await db.query<{ job_id: string; kind: string; owner: string }>(
    "select job_id, kind, owner from lockstep.events order by id",
  );
  expect(stored.length).toBeGreaterThan(writers);
  expect(network.cuts).toBeGreaterThan(10);
  const all = stored.map(({ job_id, kind, owner }) => ({ jobId: job_id, kind, owner }));
  for (const { told } of ofAll) expect(storiesOf(told)).toEqual(storiesOf(all));
  const owners = all.filter(({ owner }) => owner === "owner-3");
  for (const { told } of ofOwner) expect(storiesOf(told)).toEqual(storiesOf(owners));
});

/** The kinds of each job's events, in the order they came. */
function storiesOf(events: readonly Told[]): Record<string, string[]> {
  const stories: Record<string, string[]> = {};
  for (const { jobId, kind } of events) stories[jobId] = [...(stories[jobId] ?? []), kind];
  return stories;
}
