import { JobFactory, ManualClock, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../clock.ts";
import type { JobEvent, LoggedEvent } from "../../jobs/reading/job-event.ts";
import { OwnerTokenError, OwnerTokens } from "../../jobs/reading/owner-token.ts";
import type { ReadEventsOptions } from "../../jobs/reading/read-events-options.ts";
import { Database } from "../../store/connections/database.ts";
import { DatabaseUnavailableError, RefusedError } from "../../store/connections/database-error.ts";
import { EventStore } from "../../store/reading/event-store.ts";
import { targetAt } from "../../test-support/target-at.ts";
import { EventReader } from "./event-reader.ts";
import { EventTail } from "./event-tail.ts";

const db = testDatabase();
const jobs = new JobFactory(db);

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
  await jobs.aPipeline("letters", ["write"]);
});

/** Reads through the real store, and counts the reads. */
function aReader() {
  const database = new Database({
    target: targetAt(db.url),
    connections: 2,
    transactionPooler: false,
    applicationName: "lockstep tests: events",
  });
  const store = new EventStore(database);
  const clock = new ManualClock();
  const stopping = new AbortController();
  const tokens = new OwnerTokens(["s".repeat(32)]);
  const outage = { left: 0 };
  const reads: (string | null)[] = [];
  const counted: Pick<EventStore, "read"> = {
    read(cursor, filter, limit) {
      reads.push(filter.owner);
      if (outage.left > 0) {
        outage.left -= 1;
        throw new DatabaseUnavailableError({ code: "ECONNREFUSED" });
      }
      return store.read(cursor, filter, limit);
    },
  };
  const tail = new EventTail({ store: counted, clock });
  const reader = new EventReader({
    store: counted,
    clock,
    tail,
    scopeOf: (token) => tokens.scopeOf(token, clock.now().getTime()),
    stopping: stopping.signal,
  });
  onTestFinished(async () => {
    stopping.abort();
    await tail.stop();
    await database.close(systemClock);
  });
  return { reader, tail, clock, stopping, tokens, outage, reads };
}

const next = async (events: AsyncGenerator<LoggedEvent, void>): Promise<JobEvent | null> => {
  const { value } = await events.next();
  return value === undefined || value.kind === "events.reset" ? null : value;
};

/** The next event, while time goes on. */
async function nextInTime(events: AsyncGenerator<LoggedEvent, void>, clock: ManualClock) {
  let isThere = false;
  const coming = next(events).finally(() => {
    isThere = true;
  });
  while (!isThere) await clock.advance(50);
  return coming;
}

describe("following the log", () => {
  test("gives what is there, then waits for more", async () => {
    const { reader, clock } = aReader();
    const first = await jobs.aPendingJob({ owner: "ada" });
    const events = reader.read({ after: "start" });
    expect(await next(events)).toMatchObject({
      kind: "job.added",
      jobId: first,
      pipeline: "orders",
      stage: "read",
      owner: "ada",
      at: expect.any(Date),
      detail: {},
    });
    const coming = nextInTime(events, clock);
    const second = await jobs.aPendingJob({ owner: "bob" });
    expect(await coming).toMatchObject({ kind: "job.added", jobId: second });
  });

  test("goes on after the cursor of any event", async () => {
    const { reader } = aReader();
    const ids = [];
    for (let n = 0; n < 3; n += 1) ids.push(await jobs.aPendingJob({ owner: "ada" }));
    const first = await next(reader.read({ after: "start" }));
    const rest = reader.read({ after: first?.cursor });
    expect([(await next(rest))?.jobId, (await next(rest))?.jobId]).toEqual(ids.slice(1));
  });

  test("is told of an event within a poll, however many wait for others", async () => {
    const { reader, clock, reads } = aReader();
    const coming = ["ada", "bob", "cleo"].map((owner) => next(reader.read({ owner })));
    // Each has looked, the tail has begun, and each has looked once more.
    await clock.whenAsleep(4);
    for (let n = 0; n < 5; n += 1) {
      await clock.advance(200);
      await clock.whenAsleep(4);
    }
    const before = reads.length;
    await jobs.aPendingJob({ owner: "bob" });
    await clock.advance(200);
    expect(await coming[1]).toMatchObject({ owner: "bob" });
    expect(reads.slice(before)).toEqual([null, "bob"]);
  });

  test("ends with its signal while it waits, and polls no more", async () => {
    const { reader, clock, tail, reads } = aReader();
    const over = new AbortController();
    const end = reader.read({ signal: over.signal }).next();
    await clock.whenAsleep(2);
    over.abort();
    expect(await end).toEqual({ value: undefined, done: true });
    await tail.stop();
    const before = reads.length;
    await clock.advance(60_000);
    expect(reads).toHaveLength(before);
  });

  test("ends with the engine", async () => {
    const { reader, clock, stopping } = aReader();
    const end = reader.read({}).next();
    await clock.whenAsleep(2);
    stopping.abort();
    expect(await end).toEqual({ value: undefined, done: true });
  });

  test("begun with a signal that has aborted, it is over at once", async () => {
    const { reader } = aReader();
    expect(await reader.read({ after: "start", signal: AbortSignal.abort() }).next()).toMatchObject({
      done: true,
    });
  });

  test("waits an outage out and loses nothing", async () => {
    const { reader, clock, outage } = aReader();
    outage.left = 6;
    const id = await jobs.aPendingJob({ owner: "ada" });
    expect(await nextInTime(reader.read({ after: "start" }), clock)).toMatchObject({ jobId: id });
    expect(outage.left).toBe(0);
  });

  test("says that events were deleted before they were read", async () => {
    const { reader } = aReader();
    const day = new Date("2039-06-01T12:00:00Z");
    await jobs.aPendingJob({ owner: "ada", at: day });
    const first = await next(reader.read({ after: "start" }));
    await jobs.aPendingJob({ owner: "ada", at: day });
    await db.value("delete_old_events", { p_keep: "1 day", p_now: new Date("2039-06-03T12:00:00Z") });
    const { value } = await reader.read({ after: first?.cursor }).next();
    expect(value).toEqual({ kind: "events.reset", cursor: expect.any(String) });
  });
});

describe("with a token", () => {
  const hourMs = 3_600_000;

  test("one reads one's own events, and no way of asking gives another's", async () => {
    const { reader, clock, tokens } = aReader();
    await jobs.aPipeline("watched", ["only"]);
    const theirs = await jobs.aPendingJob({ owner: "bob" });
    const cursor = (await next(reader.read({ after: "start" })))?.cursor;
    const mine = await jobs.aPendingJob({ owner: "ada" });
    const token = tokens.sign("ada", { expiresInMs: hourMs }, clock.now().getTime());
    const asks: ReadEventsOptions[] = [
      { after: "start" },
      { after: cursor },
      { after: "start", pipeline: "orders" },
      { after: "start", jobId: mine },
    ];
    for (const ask of asks) expect(await next(reader.read({ ...ask, token }))).toMatchObject({ jobId: mine });

    const ofTheirs = reader.read({ after: "start", jobId: theirs, token });
    const coming = ofTheirs.next();
    await jobs.aPendingJob({ owner: "bob" });
    await db.call("define_pipeline", {
      p_name: "open",
      p_stages: [{ name: "s" }],
      p_options: { events: true },
    });
    await jobs.aPendingJob({ pipeline: "open" });
    await clock.whenAsleep(2);
    await clock.advance(30_000);
    await clock.whenAsleep(2);
    const isStill = Symbol("nothing came");
    expect(await Promise.race([coming, Promise.resolve(isStill)])).toBe(isStill);
    const all = reader.read({ after: "start", token });
    expect((await next(all))?.owner).toBe("ada");
  });

  test("for one job, one reads that job's events, and no other's", async () => {
    const { reader, clock, tokens } = aReader();
    const mine = await jobs.aPendingJob({ owner: "ada" });
    const other = await jobs.aPendingJob({ owner: "ada" });
    await db.call("cancel_job", { p_id: mine });
    const token = tokens.signForJob(mine, { expiresInMs: hourMs }, clock.now().getTime());
    const events = reader.read({ after: "start", token });
    expect([await next(events), await next(events)]).toMatchObject([
      { jobId: mine, kind: "job.added" },
      { jobId: mine, kind: "job.cancelled" },
    ]);
    expect(() => reader.read({ token, jobId: other })).toThrow(`This token opens job ${mine}, not job`);
  });

  test("an owner beside it, a forged one and one that is over are refused at the call", () => {
    const { reader, clock, tokens } = aReader();
    const token = tokens.sign("ada", { expiresInMs: hourMs }, clock.now().getTime());
    expect(() => reader.read({ token, owner: "bob" })).toThrow(/an owner or a token, not both/);
    expect(() => reader.read({ token: token.replace("ls1.", "ls1.A") })).toThrow(OwnerTokenError);
    const past = tokens.sign("ada", { expiresInMs: 1 }, clock.now().getTime() - 1);
    expect(() => reader.read({ token: past })).toThrow("This token has expired: ask for a new one.");
  });

  test("the reading ends with it, before the next event", async () => {
    const { reader, clock, tokens } = aReader();
    await jobs.aPendingJob({ owner: "ada" });
    await jobs.aPendingJob({ owner: "ada" });
    const token = tokens.sign("ada", { expiresInMs: 1_000 }, clock.now().getTime());
    const events = reader.read({ after: "start", token });
    expect(await next(events)).toMatchObject({ owner: "ada" });
    await clock.advance(1_000);
    await expect(events.next()).rejects.toThrow("This token has expired: ask for a new one.");
  });

  test("also while it waits", async () => {
    const { reader, clock, tokens } = aReader();
    const token = tokens.sign("ada", { expiresInMs: 1_000 }, clock.now().getTime());
    const coming = next(reader.read({ token })).catch((error: unknown) => error);
    await clock.whenAsleep(2);
    await clock.advance(10_000);
    expect(await coming).toBeInstanceOf(OwnerTokenError);
  });
});

describe("what cannot be read is refused", () => {
  test.each([
    [{ ownr: "ada" }, 'Unknown option "ownr" of readEvents. Did you mean "owner"?'],
    [{ owner: "" }, "owner must be a text that is not empty."],
    [{ pipeline: 7 }, "pipeline must be a pipeline or the name of one."],
    [{ signal: {} }, "signal must be an AbortSignal."],
    [{ jobId: "42" }, '"42" is not a job id: ids are UUIDs, as add() returns them.'],
    [null, 'The options of readEvents must be an object such as { after: "start" }.'],
  ])("%o", (options, sentence) => {
    const { reader } = aReader();
    expect(() => reader.read(options as ReadEventsOptions)).toThrow(sentence);
  });

  test("by the database: a cursor that is none, an unknown pipeline", async () => {
    const { reader } = aReader();
    await expect(reader.read({ after: "42" }).next()).rejects.toThrow(RefusedError);
    await expect(reader.read({ pipeline: "ordes" }).next()).rejects.toThrow(/There is no pipeline "ordes"/);
  });
});
