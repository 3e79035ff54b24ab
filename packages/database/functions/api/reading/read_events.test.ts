import { randomUUID } from "node:crypto";
import { JobFactory, noon, runRetention, secondsAfter, testDatabase } from "@lockstep/test-support";
import type pg from "pg";
import { beforeEach, describe, expect, test } from "vitest";

interface EventRow {
  cursor: string;
  kind: string;
  at: Date | null;
  job_id: string | null;
  pipeline: string | null;
  stage: string | null;
  owner: string | null;
  detail: Record<string, unknown> | null;
}

const db = testDatabase();
const jobs = new JobFactory(db);

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", "send"]);
});

const read = (p_cursor: string | null, filter: Record<string, unknown> = {}) =>
  db.call<EventRow>("read_events", { p_cursor, ...filter });
const isEvent = ({ kind }: EventRow) => kind.startsWith("job.");
const kinds = (rows: EventRow[]) => rows.filter(isEvent).map(({ kind }) => kind.slice("job.".length));
const endOf = (rows: EventRow[]) => rows.at(-1)?.cursor ?? "";

async function now(): Promise<string> {
  return endOf(await read(null));
}

/** All events from a cursor on, page by page, and the cursor after them. */
async function readAll(
  from: string,
  filter: Record<string, unknown> = {},
): Promise<{ events: EventRow[]; cursor: string }> {
  const events: EventRow[] = [];
  for (let cursor = from; ; ) {
    const rows = await read(cursor, filter);
    events.push(...rows.filter(isEvent));
    cursor = endOf(rows);
    if (rows.at(-1)?.kind === "events.read") return { events, cursor };
  }
}

/** Adds a job in a transaction of its own connection that is still open. */
async function aLateAdd(owner = "ada"): Promise<{ id: string; client: pg.Client }> {
  const client = await db.connect();
  await client.query("begin");
  const { rows } = await client.query("select id from lockstep.add_job('orders', p_owner => $1)", [owner]);
  return { id: rows[0].id, client };
}

describe("what is written", () => {
  test("a job with an owner leaves an event for each of its moves, in order", async () => {
    const from = await now();
    const worker = await jobs.aWorker();
    const id = await jobs.aPendingJob({ owner: "ada" });
    const [first] = await jobs.claimAs(worker);
    await db.value("report_progress", {
      p_id: id,
      p_claim_token: first?.claim_token,
      p_percent: 40,
      p_note: "on it",
    });
    await db.value("fail_job", {
      p_id: id,
      p_claim_token: first?.claim_token,
      p_error: { name: "Busy", message: "no ink", stack: "secret" },
      p_retry_after: "1 second",
      p_now: noon,
    });
    const later = secondsAfter(noon, 2);
    const [second] = await jobs.claimAs(worker, { at: later });
    await db.value("release_job", { p_id: id, p_claim_token: second?.claim_token, p_now: later });
    const [third] = await jobs.claimAs(worker, { at: later });
    await db.value("complete_job", { p_id: id, p_claim_token: third?.claim_token, p_now: later });
    const [fourth] = await jobs.claimAs(worker, { stage: "orders/send", at: later });
    await db.value("complete_job", {
      p_id: id,
      p_claim_token: fourth?.claim_token,
      p_output: { sent: true },
      p_now: later,
    });

    const { events } = await readAll(from);
    expect(events.map(({ kind, stage, detail }) => [kind, stage, detail])).toEqual([
      ["job.added", "read", {}],
      ["job.claimed", "read", { attempt: 1 }],
      ["job.progress", "read", { percent: 40, note: "on it" }],
      ["job.retrying", "read", { attempt: 1, error: { name: "Busy", message: "no ink" } }],
      ["job.claimed", "read", { attempt: 2 }],
      ["job.released", "read", { attempt: 2 }],
      ["job.claimed", "read", { attempt: 2 }],
      ["job.advanced", "read", { attempt: 2, nextStage: "send" }],
      ["job.claimed", "send", { attempt: 1 }],
      ["job.completed", "send", { attempt: 1, result: { sent: true } }],
    ]);
    expect(events.every(({ job_id, owner }) => job_id === id && owner === "ada")).toBe(true);
    expect(events[0]).toMatchObject({ pipeline: "orders", at: noon });
  });

  test("so do its end by force, its loss, its snooze, its cancel and its retry", async () => {
    const from = await now();
    const worker = await jobs.aWorker();
    const { id, claim_token } = await jobs.aClaimedJob({ by: worker, owner: "ada" });
    await db.value("snooze_job", { p_id: id, p_claim_token: claim_token, p_for: "1 second", p_now: noon });
    await jobs.claimAs(worker, { at: secondsAfter(noon, 2) });
    await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, 60) });
    const other = await jobs.aWorker({ at: secondsAfter(noon, 60) });
    const [again] = await jobs.claimAs(other, { at: secondsAfter(noon, 60) });
    await db.value("cancel_job", { p_id: id, p_now: secondsAfter(noon, 61) });
    await db.value("cancel_job", { p_id: id, p_now: secondsAfter(noon, 61) });
    await db.value("fail_job", {
      p_id: id,
      p_claim_token: again?.claim_token,
      p_error: { message: "stopped" },
      p_now: secondsAfter(noon, 62),
    });
    await db.call("retry_job", { p_id: id, p_now: secondsAfter(noon, 63) });
    await db.value("cancel_job", { p_id: id, p_now: secondsAfter(noon, 64) });

    const { events } = await readAll(from);
    expect(kinds(events)).toEqual([
      ...["added", "claimed", "snoozed", "claimed", "lost", "claimed"],
      ...["cancel_requested", "cancelled", "retried", "cancelled"],
    ]);
    expect(events[4]?.detail).toMatchObject({ error: { name: "WorkerLostError" } });
  });

  test("a suspect's claim and its failure are told too", async () => {
    const from = await now();
    await jobs.aPipeline("fragile", [{ name: "only", maxLosses: 2 }]);
    const id = await jobs.aPendingJob({ pipeline: "fragile", owner: "ada" });
    for (const seconds of [0, 100]) {
      const worker = await jobs.aWorker({ at: secondsAfter(noon, seconds) });
      const claimed = await jobs.claimAs(worker, { stage: "fragile/only", at: secondsAfter(noon, seconds) });
      expect(claimed).toMatchObject([{ id }]);
      await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, seconds + 60) });
    }
    const { events } = await readAll(from);
    expect(kinds(events)).toEqual(["added", "claimed", "lost", "claimed", "failed"]);
    expect(events[4]?.detail).toMatchObject({ error: { name: "WorkerLostError" } });
  });

  test("a claim of the engine's call is told once, also where it keeps a job for its next stage", async () => {
    const from = await now();
    const stages = await jobs.aPipeline("orders", ["read", "send"]);
    const worker = await jobs.aWorker();
    const both = [stages.read, stages.send];
    const exchange = (ids: string[], tokens: string[], ends: unknown) =>
      db.call<{ kind: string; id: string }>("settle_and_claim", {
        p_worker_id: worker,
        p_claim_token: randomUUID(),
        p_ids: ids,
        p_tokens: tokens,
        p_ends: ends,
        p_stage_ids: both,
        p_rooms: [5, 5],
        p_places: Array(40).fill(0),
        p_scans: [2, 2],
        p_due_after: [null, null],
        p_now: noon,
      });
    const kept = await jobs.aPendingJob({ owner: "ada" });
    await exchange([], [], null);
    const [held] = await db.query<{ claim_token: string }>("select claim_token from lockstep.jobs");
    const next = await jobs.aPendingJob({ owner: "bob" });
    await jobs.aPendingJob();
    await exchange([kept], [held?.claim_token ?? ""], [{ outcome: "done", keepIn: stages.send }]);

    const { events } = await readAll(from);
    const ofJob = (id: string) => kinds(events.filter(({ job_id }) => job_id === id));
    expect(ofJob(kept)).toEqual(["added", "claimed", "advanced", "claimed"]);
    expect(ofJob(next)).toEqual(["added", "claimed"]);
    expect(events).toHaveLength(6);
  });

  test("a job without an owner leaves none, unless its pipeline asks", async () => {
    const from = await now();
    await db.call("define_pipeline", {
      p_name: "watched",
      p_stages: [{ name: "only" }],
      p_options: { events: true },
    });
    const worker = await jobs.aWorker();
    await jobs.aClaimedJob({ by: worker });
    const { id } = await jobs.aClaimedJob({ by: worker, pipeline: "watched", stage: "watched/only" });
    const { events } = await readAll(from);
    expect(events.map(({ kind, job_id }) => [kind, job_id])).toEqual([
      ["job.added", id],
      ["job.claimed", id],
    ]);
  });

  test("a member of a batch without an owner leaves none", async () => {
    const from = await now();
    const [batch] = await db.call("open_batch");
    await db.call("add_jobs", { p_jobs: [{ pipeline: "orders", batchId: batch?.id }] });
    expect((await readAll(from)).events).toEqual([]);
  });

  test("a result over 8 KB is left out, with a mark", async () => {
    const from = await now();
    await jobs.aPipeline("big", ["only"]);
    const worker = await jobs.aWorker();
    const { id, claim_token } = await jobs.aClaimedJob({
      by: worker,
      pipeline: "big",
      stage: "big/only",
      owner: "ada",
    });
    // What compresses well would be small again.
    const p_output = Array.from({ length: 400 }, () => randomUUID());
    await db.value("complete_job", { p_id: id, p_claim_token: claim_token, p_output, p_now: noon });
    expect((await readAll(from)).events.at(-1)?.detail).toEqual({ attempt: 1, resultLeftOut: true });
  });

  test("what rolls back was never there", async () => {
    const from = await now();
    const { client } = await aLateAdd();
    await client.query("rollback");
    expect((await readAll(from)).events).toEqual([]);
  });
});

describe("reading", () => {
  test("an event that took its id early and commits late is delivered", async () => {
    const from = await now();
    const late = await aLateAdd();
    const early = await jobs.aPendingJob({ owner: "ada" });
    const first = await readAll(from);
    expect(first.events.map(({ job_id }) => job_id)).toEqual([early]);
    await late.client.query("commit");
    const second = await readAll(first.cursor);
    expect(second.events.map(({ job_id }) => job_id)).toEqual([late.id]);
    expect((await readAll(second.cursor)).events).toEqual([]);
  });

  test("so is one whose transaction is younger than all that have ended, when the cursor is made", async () => {
    // Such a transaction is not on the snapshot's list of open ones: the list ends before it.
    const older = await aLateAdd();
    const younger = await aLateAdd();
    await older.client.query("commit");
    const from = await now();
    await younger.client.query("commit");
    expect((await readAll(from)).events.map(({ job_id }) => job_id)).toEqual([younger.id]);
  });

  test("an open transaction holds nothing back, and is not forgotten over any number of reads", async () => {
    let cursor = await now();
    const late = await aLateAdd();
    for (let round = 0; round < 5; round += 1) {
      const id = await jobs.aPendingJob({ owner: "ada" });
      const answer = await readAll(cursor);
      expect(answer.events.map(({ job_id }) => job_id)).toEqual([id]);
      cursor = answer.cursor;
    }
    await late.client.query("commit");
    expect((await readAll(cursor)).events.map(({ job_id }) => job_id)).toEqual([late.id]);
  });

  test.each([{}, { p_owner: "ada" }, { p_pipeline: "orders" }])(
    "page by page of one, with %o, everything comes once and each job's events in order",
    async (filter) => {
      const from = await now();
      const late = await aLateAdd();
      const worker = await jobs.aWorker();
      const ids: string[] = [];
      for (let n = 0; n < 3; n += 1) ids.push(await jobs.aPendingJob({ owner: "ada" }));
      const half = await read(from, { ...filter, p_limit: 2 });
      await late.client.query("commit");
      for (const { id, claim_token } of await jobs.claimAs(worker, { batchSize: 10 })) {
        await db.value("complete_job", { p_id: id, p_claim_token: claim_token, p_now: noon });
      }
      const { events } = await readAll(endOf(half), { ...filter, p_limit: 1 });
      const all = [...half, ...events];
      for (const id of [...ids, late.id]) {
        expect(kinds(all.filter(({ job_id }) => job_id === id))).toEqual(["added", "claimed", "advanced"]);
      }
      expect(new Set(all.map(({ cursor }) => cursor)).size).toBe(all.length);
    },
  );

  test("every event's own cursor goes on right after it", async () => {
    const from = await now();
    for (let n = 0; n < 4; n += 1) await jobs.aPendingJob({ owner: "ada" });
    const { events } = await readAll(from);
    await jobs.aPendingJob({ owner: "ada" });
    for (const [index, { cursor }] of events.entries()) {
      expect((await readAll(cursor)).events).toHaveLength(events.length - index);
    }
  });

  test("owner, pipeline and job narrow it down, each and together", async () => {
    await jobs.aPipeline("letters", ["write"]);
    const from = await now();
    const [a, b] = [await jobs.aPendingJob({ owner: "ada" }), await jobs.aPendingJob({ owner: "bob" })];
    const c = await jobs.aPendingJob({ owner: "ada", pipeline: "letters" });
    const ids = async (filter: Record<string, unknown>) =>
      (await readAll(from, filter)).events.map(({ job_id }) => job_id);
    expect(await ids({})).toEqual([a, b, c]);
    expect(await ids({ p_owner: "ada" })).toEqual([a, c]);
    expect(await ids({ p_pipeline: "orders" })).toEqual([a, b]);
    expect(await ids({ p_owner: "ada", p_pipeline: "letters" })).toEqual([c]);
    expect(await ids({ p_job_id: b })).toEqual([b]);
    expect(await ids({ p_job_id: b, p_owner: "ada" })).toEqual([]);
  });

  test("'start' begins with the oldest that is kept", async () => {
    const id = await jobs.aPendingJob({ owner: "ada" });
    for (const filter of [{}, { p_owner: "ada" }, { p_job_id: id }, { p_pipeline: "orders" }]) {
      expect(kinds((await readAll("start", { ...filter, p_limit: 1 })).events)).toEqual(["added"]);
    }
  });

  test("in a transaction that writes, what it wrote comes after its commit", async () => {
    const client = await db.connect();
    const readThere = async (cursor: string | null): Promise<EventRow[]> =>
      (await client.query("select * from lockstep.read_events($1)", [cursor])).rows;
    await client.query("begin");
    await client.query("select lockstep.add_job('orders', p_owner => 'ada')");
    // Ends after it: now its own number is below the snapshot's end.
    await jobs.aPendingJob({ owner: "bob" });
    const cursor = endOf(await readThere(null));
    await client.query("select lockstep.add_job('orders', p_owner => 'ada')");
    expect(kinds(await readThere(cursor))).toEqual([]);
    await client.query("commit");
    expect((await readAll(cursor)).events.map(({ owner }) => owner)).toEqual(["ada", "ada"]);
  });

  test("what is no cursor, a limit out of range and an unknown pipeline are refused", async () => {
    const id = randomUUID();
    const forged = [
      "",
      "42",
      "1_a_b_c_d",
      "1_5:4:__0_0",
      "2_1:1:__0_0",
      "2_1_1:1:__0_0",
      `3_${id}_1:1:__0_0`,
    ];
    forged.push(`2_${id}_1:1:_1:1:_${"9".repeat(30)}_0`);
    for (const cursor of forged) await expect(read(cursor)).rejects.toMatchObject({ code: "LS001" });
    await expect(read(null, { p_limit: 0 })).rejects.toMatchObject({ code: "LS001" });
    await expect(read(null, { p_pipeline: "ordes" })).rejects.toMatchObject({ code: "LS002" });
  });

  test("a cursor of another server, of one that was further on or of an older kind is told so, and begins now", async () => {
    const id = await jobs.aPendingJob({ owner: "ada" });
    const [, own = ""] = (await now()).split("_");
    const foreign = [`2_${randomUUID()}_3:3:__0_0`, `2_${own}_999999999:999999999:__0_0`, "1_3:3:__0_0"];
    for (const cursor of foreign) {
      for (const filter of [{}, { p_owner: "ada" }, { p_job_id: id }]) {
        const rows = await read(cursor, filter);
        expect(rows.map(({ kind }) => kind)).toEqual(["events.reset", "events.read"]);
        const next = await jobs.aPendingJob({ owner: "ada" });
        for (const { cursor: place } of rows) {
          expect((await readAll(place)).events.map(({ job_id }) => job_id)).toEqual([next]);
        }
      }
      const until = await now();
      expect((await read(cursor, { p_until: until })).map((row) => [row.kind, row.cursor])).toEqual([
        ["events.reset", until],
        ["events.read", until],
      ]);
    }
  });
});

describe("the life of the server that a cursor is of", () => {
  const lifeOf = (cursor: string) => cursor.split("_")[1];
  const isReset = async (cursor: string) => (await read(cursor))[0]?.kind === "events.reset";

  test("is entered by the first who reads, also after a savepoint, and is one for all", async () => {
    const client = await db.connect();
    await client.query("begin");
    await client.query("savepoint before");
    const { rows } = await client.query("select cursor from lockstep.read_events()");
    // Nobody waits for the one who is first.
    const meanwhile = await now();
    await client.query("commit");
    for (const cursor of [rows[0].cursor, meanwhile, await now()]) expect(await isReset(cursor)).toBe(false);
    expect(lifeOf(await now())).toBe(lifeOf(await now()));
  });

  test("cannot be entered in a transaction that only reads; whoever comes then finds it", async () => {
    const client = await db.connect();
    await client.query("set default_transaction_read_only = on");
    await expect(client.query("select lockstep.read_events()")).rejects.toMatchObject({ code: "25006" });
    const cursor = await now();
    expect((await client.query("select kind from lockstep.read_events($1)", [cursor])).rows).toEqual([
      { kind: "events.read" },
    ]);
  });

  test("is not that of a dump, nor of a database that was made as a copy", async () => {
    const cursor = await now();
    const table = (await db.query("select to_jsonb(i) as row from lockstep.incarnations i"))[0]?.row;
    // What a restore does: the same rows, written by another transaction.
    await db.query("truncate lockstep.incarnations");
    await db.query(
      "insert into lockstep.incarnations select * from jsonb_populate_record(null::lockstep.incarnations, $1)",
      [table],
    );
    expect(await isReset(cursor)).toBe(true);

    const again = await now();
    expect(await isReset(again)).toBe(false);
    await db.query("update lockstep.incarnations set database_oid = database_oid::bigint - 1");
    await db.query("update lockstep.incarnations set written_by = xmin");
    expect(await isReset(again)).toBe(true);
  });
});

describe("a log that a dump has brought", () => {
  /** Events as they are after a restore: of transactions that this server has not had. */
  async function restored(count: number): Promise<string[]> {
    const ids: string[] = [];
    for (let n = 0; n < count; n += 1)
      ids.push(await jobs.aPendingJob({ owner: n % 2 === 0 ? "ada" : "bob" }));
    await db.query("truncate lockstep.incarnations");
    await db.query(
      `update lockstep.events
       set xid = (pg_snapshot_xmax(pg_current_snapshot())::text::bigint + 5 * id)::text::xid8`,
    );
    return ids;
  }
  /** Until this server has had the numbers of all of them. */
  async function passNumbers(): Promise<void> {
    const [row] = await db.query<{ last: string }>(
      "select max(xid::text::bigint) as last from lockstep.events",
    );
    for (;;) {
      const [now] = await db.query<{ xid: string }>("select pg_current_xact_id()::text as xid");
      if (Number(now?.xid) > Number(row?.last)) return;
    }
  }
  const idsFrom = async (cursor: string, filter: Record<string, unknown> = {}) =>
    (await readAll(cursor, { ...filter, p_limit: 2 })).events.map(({ job_id }) => job_id);

  test("is not told as news when the numbers of its transactions come up, and news are", async () => {
    await restored(6);
    const cursor = await now();
    const client = await db.connect();
    await client.query("begin");
    await client.query("select lockstep.add_job('orders', p_owner => 'ada')");
    const news = [await jobs.aPendingJob({ owner: "ada" })];
    await passNumbers();
    await client.query("commit");
    news.push(await jobs.aPendingJob({ owner: "ada" }));
    const [late] = await db.query<{ id: string }>(
      "select id from lockstep.jobs where id <> all ($1) order by id desc limit 1",
      [news],
    );
    for (const filter of [{}, { p_owner: "ada" }, { p_pipeline: "orders" }]) {
      const told = await idsFrom(cursor, filter);
      expect(told).toHaveLength(3);
      expect(new Set(told)).toEqual(new Set([...news, late?.id]));
    }
    expect(await idsFrom(cursor, { p_job_id: news[0] })).toEqual([news[0]]);
  });

  test("is given whole and once to who reads from the start", async () => {
    const old = await restored(6);
    await now();
    const news = await jobs.aPendingJob({ owner: "ada" });
    for (const isLater of [false, true]) {
      if (isLater) await passNumbers();
      expect(await idsFrom("start")).toEqual([...old, news]);
      expect(await idsFrom("start", { p_owner: "ada" })).toEqual([old[0], old[2], old[4], news]);
      expect(await idsFrom("start", { p_job_id: old[1] })).toEqual([old[1]]);
    }
    const { cursor } = await readAll("start");
    expect(await idsFrom(cursor)).toEqual([]);
  });

  test("is deleted by retention without a word to those who follow, and with one to who has not read it", async () => {
    await db.query("select lockstep.create_partitions(2, '2040-03-01T12:00:00Z')");
    await jobs.aPendingJob({ owner: "ada", at: new Date("2040-03-01T12:00:00Z") });
    await restored(1);
    await db.query("update lockstep.deleted_events set last_xid = '99999999999'");
    const cursor = await now();
    const half = (await read("start", { p_limit: 1 }))[0]?.cursor ?? "";
    await jobs.aPendingJob({ owner: "ada", at: new Date("2040-03-02T12:00:00Z") });
    const prune = (at: string) => runRetention(db, { p_keep_events: "1 day", p_now: new Date(at) });
    await prune("2040-03-03T00:00:01Z");
    expect(await db.query("select from lockstep.events")).toHaveLength(1);
    expect((await read(cursor)).map(({ kind }) => kind)).toEqual(["job.added", "events.read"]);
    expect((await read(half)).map(({ kind }) => kind)).toEqual(["events.reset", "job.added", "events.read"]);
    // Here a genuine one goes too, that this cursor had not had.
    await prune("2040-03-04T00:00:01Z");
    expect((await read(cursor)).map(({ kind }) => kind)).toEqual(["events.reset", "events.read"]);
  });
});

describe("reading until a place that another reader has reached", () => {
  /** A job that commits before the other's place, one after it; one that is open over both. */
  async function twoPlaces() {
    const from = await now();
    const early = await aLateAdd();
    const late = await aLateAdd();
    const first = await jobs.aPendingJob({ owner: "ada" });
    const half = endOf(await read(from));
    await early.client.query("commit");
    const bobs = await jobs.aPendingJob({ owner: "bob" });
    const until = endOf(await read(half));
    await late.client.query("commit");
    const last = await jobs.aPendingJob({ owner: "ada" });
    return { from, half, until, first, early: early.id, late: late.id, bobs, last };
  }
  const ids = ({ events }: { events: EventRow[] }) => events.map(({ job_id }) => job_id);

  test.each([{}, { p_owner: "ada" }, { p_pipeline: "orders" }])(
    "with %o it gives what lies between and nothing of what comes after, whole or page by page",
    async (filter) => {
      const { from, half, until, ...job } = await twoPlaces();
      const bobs = "p_owner" in filter ? [] : [job.bobs];
      for (const p_limit of [100, 1]) {
        const all = await readAll(from, { ...filter, p_until: until, p_limit });
        expect(new Set(ids(all))).toEqual(new Set([job.first, job.early, ...bobs]));
        expect(all.events).toHaveLength(2 + bobs.length);
        expect(all.cursor).toBe(until);
        const rest = await readAll(half, { ...filter, p_until: until, p_limit });
        expect(new Set(ids(rest))).toEqual(new Set([job.early, ...bobs]));
      }
      expect(ids(await readAll(until, filter))).toEqual([job.late, job.last]);
    },
  );

  test("each event's cursor goes on to the same place, and past it", async () => {
    const { from, until, late, last } = await twoPlaces();
    const { events } = await readAll(from, { p_until: until });
    for (const [index, { cursor }] of events.entries()) {
      const left = events.slice(index + 1).map(({ job_id }) => job_id);
      expect(ids(await readAll(cursor, { p_until: until }))).toEqual(left);
      expect(ids(await readAll(cursor))).toEqual([...left, late, last]);
    }
  });

  test("nothing lies between a place and itself, and 'start' reads all before it", async () => {
    const { until, first, early, bobs } = await twoPlaces();
    expect(await readAll(until, { p_until: until })).toEqual({ events: [], cursor: until });
    expect(ids(await readAll("start", { p_until: until })).sort()).toEqual([first, early, bobs].sort());
  });

  test("a place before the cursor, one within a page and what is none are refused", async () => {
    const { from, half, until } = await twoPlaces();
    await expect(read(until, { p_until: half })).rejects.toThrow(/p_until is before p_cursor/);
    const within = (await read(from, { p_limit: 1 })).at(-1)?.cursor ?? "";
    await expect(read(within, { p_until: until })).rejects.toThrow(/p_until is before p_cursor/);
    for (const p_until of [within, "", "start", "1_1:1:__0_0", "2_a_1:1:__0_0"]) {
      await expect(read(from, { p_until })).rejects.toThrow(/p_until is not a valid cursor/);
    }
    const [, own = ""] = from.split("_");
    for (const foreign of [`2_${own}_999999999:999999999:__0_0`, `2_${randomUUID()}_3:3:__0_0`]) {
      await expect(read(from, { p_until: foreign })).rejects.toThrow(/of another database/);
    }
  });
});

async function whenNothingIsOpen(makeCursor: () => Promise<string>): Promise<string> {
  for (;;) {
    const cursor = await makeCursor();
    if (/^2_[^_]+_\d+:\d+:_/.test(cursor)) return cursor;
  }
}

describe("what a look costs", () => {
  async function blocksOf(cursor: string, owner: string | null): Promise<number> {
    const looks: number[] = [];
    // The first look of a session plans, and so does one after statistics came in.
    for (let n = 0; n < 7; n += 1) {
      const [row] = await db.query<{ "QUERY PLAN": [{ Plan: Record<string, number> }] }>(
        "explain (analyze, buffers, format json) select * from lockstep.read_events($1, p_owner => $2)",
        [cursor, owner],
      );
      const plan = row?.["QUERY PLAN"][0].Plan ?? {};
      looks.push((plan["Shared Hit Blocks"] ?? 0) + (plan["Shared Read Blocks"] ?? 0));
    }
    return Math.min(...looks);
  }

  test.each([null, "ada"])(
    "with owner %s, it does not grow with the log, nor with how long another transaction is open",
    async (owner) => {
      const empty = await blocksOf(await now(), owner);
      const late = await aLateAdd("bob");
      for (let n = 0; n < 10; n += 1) {
        await db.query(
          `select count(*) from lockstep.add_jobs((
             select jsonb_agg('{"pipeline": "orders", "owner": "ada"}'::jsonb) from generate_series(1, 1000)
           ))`,
        );
      }
      const full = await blocksOf(await now(), owner);
      await late.client.query("rollback");
      expect(full).toBeLessThan(empty + 60);
    },
  );
});

describe("retention", () => {
  const day = (number: number) => new Date(Date.UTC(2040, 0, number, 12));
  const prune = async (at: Date) =>
    (await runRetention(db, { p_keep_completed: "100 years", p_keep_unsuccessful: "100 years", p_now: at }))
      .length;
  const makeDays = (from: number) => db.value("create_partitions", { p_days: 2, p_now: day(from) });
  const addedOn = (number: number) => jobs.aPendingJob({ owner: "ada", at: day(number) });
  const tableOf = async (id: string) =>
    (
      await db.query("select tableoid::regclass::text as name from lockstep.events where job_id = $1", [id])
    )[0]?.name;

  test("drops whole days after three, and tells a reader that had not had them", async () => {
    await makeDays(1);
    const from = await now();
    const old = await addedOn(1);
    const kept = await addedOn(3);
    expect(await tableOf(old)).toBe(`${db.schema}.events_20400101`);
    await prune(new Date(Date.UTC(2040, 0, 5)));
    expect(await tableOf(old)).toBe(`${db.schema}.events_20400101`);
    // The table of that day's streams goes with it.
    expect(await prune(new Date(Date.UTC(2040, 0, 5, 0, 0, 1)))).toBe(2);

    const rows = await read(from);
    expect(rows.map(({ kind, job_id }) => [kind, job_id])).toEqual([
      ["events.reset", null],
      ["job.added", kept],
      ["events.read", null],
    ]);
    for (const { cursor } of rows) {
      expect((await read(cursor)).map(({ kind }) => kind)).not.toContain("events.reset");
    }
    expect(kinds((await read("start")).slice(0, 1))).toEqual(["added"]);
  });

  test("says nothing to a reader that had them, however long ago", async () => {
    await makeDays(10);
    // Open transactions, those of other databases too, are on a cursor's list; of what they did one cannot be sure.
    const from = await whenNothingIsOpen(now);
    await addedOn(10);
    const [event] = await read(from);
    const cursor = await whenNothingIsOpen(async () => (await readAll(from)).cursor);
    expect(await prune(day(15))).toBeGreaterThan(0);
    for (const had of [cursor, event?.cursor ?? ""]) {
      expect((await read(had)).map(({ kind }) => kind)).toEqual(["events.read"]);
    }
  });

  test("tells a reader of a late transaction whose events it never had", async () => {
    await makeDays(20);
    const from = await now();
    const late = await db.connect();
    await late.query("begin");
    await late.query("select lockstep.add_job('orders', p_owner => 'ada', p_now => $1)", [day(20)]);
    await addedOn(20);
    const { cursor } = await readAll(from);
    await late.query("commit");
    await prune(day(25));
    expect((await read(cursor)).map(({ kind }) => kind)).toEqual(["events.reset", "events.read"]);
  });

  test("deletes what came on a day without a table, and tells that too", async () => {
    const from = await now();
    const id = await jobs.aPendingJob({ owner: "ada", at: new Date("2039-06-01T12:00:00Z") });
    expect(await tableOf(id)).toBe(`${db.schema}.events_default`);
    await prune(new Date("2039-06-04T12:00:01Z"));
    expect((await read(from)).map(({ kind }) => kind)).toEqual(["events.reset", "events.read"]);
  });

  test("leaves a day that somebody holds for the next time, and makes no writer wait for long", async () => {
    await makeDays(30);
    const id = await addedOn(30);
    const holder = await db.connect();
    await holder.query("begin");
    await holder.query("select 1 from lockstep.events_20400130");
    const later = new Date(Date.UTC(2040, 1, 10));
    const pruner = await db.connect();
    const pruning = pruner.query(
      "select name from lockstep.drop_old_table(p_place => 'events_20400129', p_now => $1)",
      [later],
    );
    // It comes back while the day is held.
    await addedOn(31);
    expect((await pruning).rows).toEqual([{ name: "events_20400130" }]);
    expect(await tableOf(id)).toBe(`${db.schema}.events_20400130`);
    await holder.query("commit");
    await prune(later);
    expect(await tableOf(id)).toBeUndefined();
  });

  test("is part of the upkeep, and keeps as long as that is told to", async () => {
    await db.value("create_partitions", { p_days: 0, p_now: new Date(Date.UTC(2040, 5, 1)) });
    const id = await jobs.aPendingJob({ owner: "ada", at: new Date(Date.UTC(2040, 5, 1, 12)) });
    const at = new Date(Date.UTC(2040, 5, 9));
    await runRetention(db, { p_keep_events: "30 days", p_now: at });
    expect(await tableOf(id)).toBe(`${db.schema}.events_20400601`);
    await runRetention(db, { p_keep_events: "1 day", p_now: at });
    expect(await tableOf(id)).toBeUndefined();
  });
});
