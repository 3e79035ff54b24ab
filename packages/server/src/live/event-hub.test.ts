import { setMaxListeners } from "node:events";
import { JobFactory, ManualClock, testDatabase } from "@lockstep/test-support";
import { createEngine, DatabaseUnavailableError, type EventsPart } from "lockstep";
import type pg from "pg";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { EventHub } from "./event-hub.ts";
import type { EventScope } from "./event-scope.ts";
import type { FollowedEvent } from "./followed-event.ts";

const db = testDatabase();
const jobs = new JobFactory(db);
const all: EventScope = { owner: null, pipeline: null, jobId: null };

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
});

/** A hub on a reader of its own, whose reads are noted: "hub" for its own, else where they end. */
function aHub() {
  const engine = createEngine({ databaseUrl: db.url, logger: null });
  const reader = engine.reader();
  const clock = new ManualClock();
  const reads: EventsPart[] = [];
  const outage = { left: 0 };
  const restore = { isDone: false };
  const meanwhile: { do: (() => Promise<unknown>) | null } = { do: null };
  const hub = new EventHub({
    clock,
    reader: {
      events: async (part) => {
        reads.push(part);
        if (outage.left > 0) {
          outage.left -= 1;
          throw new DatabaseUnavailableError({ code: "ECONNREFUSED" });
        }
        if (part.until !== undefined) await meanwhile.do?.();
        // Once: a cursor as it would then be, of transactions that have not been.
        const after = restore.isDone ? "1_999999999:999999999:__0_0" : part.after;
        restore.isDone = false;
        return await reader.events({ ...part, after });
      },
    },
  });
  const over = new AbortController();
  setMaxListeners(0, over.signal);
  onTestFinished(async () => {
    over.abort();
    await hub.stop();
    await engine.stop();
  });
  const follow = (scope: Partial<EventScope> = {}, after: string | null = null) =>
    new Following(hub.follow({ ...all, ...scope }, after, over.signal), clock);
  return { hub, clock, reads, outage, restore, meanwhile, follow, over };
}

/** Notes what a follower is given, while time goes on. */
class Following {
  readonly #events: AsyncGenerator<FollowedEvent, void>;
  readonly #clock: ManualClock;

  constructor(events: AsyncGenerator<FollowedEvent, void>, clock: ManualClock) {
    this.#events = events;
    this.#clock = clock;
  }

  async next(): Promise<FollowedEvent> {
    let isThere = false;
    const coming = this.#events.next().finally(() => {
      isThere = true;
    });
    while (!isThere) await this.#clock.advance(50);
    const { value } = await coming;
    if (value === undefined) throw new Error("The following has ended.");
    return value;
  }

  /** The next so many events of jobs, by "job kind"; places between them are passed over. */
  async stories(count: number): Promise<string[]> {
    const told: string[] = [];
    while (told.length < count) {
      const given = await this.next();
      if (given.kind === "job") told.push(storyOf(given));
      if (given.kind === "reset") told.push("reset");
    }
    return told;
  }

  async place(): Promise<string> {
    const given = await this.next();
    expect(given.kind).toBe("place");
    return given.cursor;
  }

  end(): Promise<unknown> {
    return this.#events.return(undefined);
  }
}

function storyOf(given: FollowedEvent): string {
  return given.kind === "job" ? `${given.event.jobId} ${given.event.kind}` : given.kind;
}

async function aLateAdd(owner = "ada"): Promise<{ id: string; client: pg.Client }> {
  const client = await db.connect();
  await client.query("begin");
  const { rows } = await client.query("select id from lockstep.add_job('orders', p_owner => $1)", [owner]);
  return { id: rows[0].id, client };
}

const anAdd = async (owner = "ada") => `${await jobs.aPendingJob({ owner })} job.added`;

async function moreThanFits(): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select id from lockstep.add_jobs((
       select jsonb_agg(jsonb_build_object('pipeline', 'orders', 'owner', 'ada')) from generate_series(1, 400)
     ))`,
  );
  return rows.map(({ id }) => `${id} job.added`);
}

describe("many who follow", () => {
  test("cost the reads of one, and each gets what is for it", async () => {
    const { follow, clock, reads } = aHub();
    await jobs.aPipeline("letters", ["write"]);
    const everyone = Array.from({ length: 20 }, () => follow());
    const bobs = Array.from({ length: 20 }, () => follow({ owner: "bob" }));
    const letters = follow({ pipeline: "letters" });
    for (const one of [...everyone, ...bobs, letters]) await one.place();
    const before = reads.length;
    const first = await anAdd("ada");
    const second = await anAdd("bob");
    const third = `${await jobs.aPendingJob({ owner: "ada", pipeline: "letters" })} job.added`;
    await clock.advance(250);
    for (const one of everyone) expect(await one.stories(3)).toEqual([first, second, third]);
    for (const one of bobs) expect(await one.stories(1)).toEqual([second]);
    expect(await letters.stories(1)).toEqual([third]);
    expect(reads.slice(before).every(({ after, owner }) => after !== null && owner === undefined)).toBe(true);
    expect(reads.length - before).toBeLessThan(20);
  });

  test("when the last has left, nothing is read any more", async () => {
    const { follow, clock, reads } = aHub();
    const [one, other] = [follow(), follow({ owner: "ada" })];
    await one.place();
    await other.place();
    await one.end();
    await clock.advance(1_000);
    await other.end();
    await clock.advance(0);
    const before = reads.length;
    await clock.advance(60_000);
    expect(reads).toHaveLength(before);
    expect(await follow().place()).toEqual(expect.any(String));
  });

  test("are told of progress once a round, as it is at the end of it", async () => {
    const { follow } = aHub();
    const worker = await jobs.aWorker();
    const { id, claim_token } = await jobs.aClaimedJob({ by: worker, owner: "ada" });
    const one = follow();
    const from = await one.place();
    for (const p_percent of [10, 20, 30]) {
      await db.value("report_progress", { p_id: id, p_claim_token: claim_token, p_percent });
    }
    await db.value("complete_job", { p_id: id, p_claim_token: claim_token });
    for (const follower of [one, follow({}, from)]) {
      const [progress, end] = [await follower.next(), await follower.next()];
      expect(progress).toMatchObject({ event: { kind: "job.progress", detail: { percent: 30 } } });
      expect(end).toMatchObject({ event: { kind: "job.completed" } });
    }
  });
});

describe("whoever comes with a cursor", () => {
  test("gets what it has missed, then what comes, each once, whatever commits late", async () => {
    const { follow } = aHub();
    const hubKeeper = follow();
    const from = await hubKeeper.place();
    const [early, late] = [await aLateAdd(), await aLateAdd("bob")];
    const first = await anAdd();
    await hubKeeper.stories(1);
    await early.client.query("commit");
    const back = follow({}, from);
    expect(new Set(await back.stories(2))).toEqual(new Set([first, `${early.id} job.added`]));
    await back.place();
    await late.client.query("commit");
    const last = await anAdd();
    expect(await back.stories(2)).toEqual([`${late.id} job.added`, last]);
  });

  test("gets once what commits between the hub's place and its own read", async () => {
    const { follow, meanwhile } = aHub();
    const from = await follow().place();
    const stories = [await anAdd()];
    meanwhile.do = async () => {
      meanwhile.do = null;
      stories.push(await anAdd());
    };
    const back = follow({}, from);
    await back.stories(2);
    const last = await anAdd();
    expect(stories).toHaveLength(2);
    expect(await back.stories(1)).toEqual([last]);
  });

  test("goes on from any event it was given, at this server and at another", async () => {
    const here = aHub();
    const there = aHub();
    const keepers = [here.follow(), there.follow()];
    const from = await keepers[0]?.place();
    await keepers[1]?.place();
    const late = await aLateAdd();
    const before = [await anAdd(), await anAdd()];
    await keepers[0]?.stories(2);
    const back = here.follow({}, from);
    const cursors = [(await back.next()).cursor];
    await late.client.query("commit");
    cursors.push((await back.next()).cursor);
    const after = [`${late.id} job.added`, await anAdd(), await anAdd()];
    const whole = [...before, ...after];
    cursors.push((await back.next()).cursor);
    while (cursors.length < 6) cursors.push((await back.next()).cursor);
    // The third is the place between what was read for it alone and what was read for all.
    const had = [1, 2, 2, 3, 4, 5];
    await anAdd().then((story) => whole.push(story));
    for (const [index, cursor] of cursors.entries()) {
      for (const server of [here, there]) {
        const rest = whole.slice(had[index]);
        expect(await server.follow({}, cursor).stories(rest.length), `cursor ${index}`).toEqual(rest);
      }
    }
  });

  test("and is further on than this server was, is not given it twice", async () => {
    const here = aHub();
    const there = aHub();
    const slow = here.follow();
    await slow.place();
    const ahead = there.follow();
    await ahead.place();
    const first = await anAdd();
    const given = await ahead.next();
    expect(storyOf(given)).toBe(first);
    // The hub here has not read since: its place lies before the cursor.
    const moved = here.follow({}, given.cursor);
    const second = await anAdd();
    expect(await moved.stories(1)).toEqual([second]);
    expect(await slow.stories(2)).toEqual([first, second]);
  });

  test.each(["garbage", "1_999999999:999999999:__0_0"])(
    "that leads nowhere (%s) is told to begin anew, and follows from there",
    async (cursor) => {
      const { follow } = aHub();
      await anAdd();
      const lost = follow({}, cursor);
      const reset = await lost.next();
      expect(reset.kind).toBe("reset");
      const next = await anAdd();
      expect(await lost.stories(1)).toEqual([next]);
      expect(await follow({}, reset.cursor).stories(1)).toEqual([next]);
    },
  );

  test("from before what was deleted is told so, and gets the rest", async () => {
    const { follow } = aHub();
    const one = follow();
    const from = await one.place();
    await jobs.aPendingJob({ owner: "ada", at: new Date("2039-06-01T12:00:00Z") });
    await one.stories(1);
    await db.value("delete_old_events", { p_keep: "1 day", p_now: new Date("2039-06-03T12:00:00Z") });
    const kept = await anAdd();
    expect(await follow({}, from).stories(2)).toEqual(["reset", kept]);
  });
});

describe("whoever does not keep up", () => {
  test("is held a little of what waits, and gets the rest, all of it and in order, when it reads on", async () => {
    const { follow, clock, reads } = aHub();
    const [slow, quick] = [follow(), follow()];
    await slow.place();
    await quick.place();
    const stories = [await anAdd(), ...(await moreThanFits()), ...(await moreThanFits())];
    expect(await quick.stories(stories.length)).toEqual(stories);
    await clock.advance(1_000);
    const ownReads = () => reads.filter(({ until }) => until !== undefined).length;
    const before = ownReads();
    const last = await anAdd();
    expect(await slow.stories(stories.length + 1)).toEqual([...stories, last]);
    expect(ownReads()).toBeGreaterThan(before);
  });

  test("also while it is being brought to the hub's place", async () => {
    const { follow, clock } = aHub();
    const keeper = follow();
    const from = await keeper.place();
    const stories = await moreThanFits();
    await keeper.stories(stories.length);
    const back = follow({}, from);
    const told = await back.stories(1);
    stories.push(...(await moreThanFits()));
    await clock.advance(1_000);
    expect([...told, ...(await back.stories(stories.length - 1))]).toEqual(stories);
  });
});

test("who hears nothing learns now and then how far all is, and comes back from there", async () => {
  const { follow } = aHub();
  const quiet = follow({ owner: "nobody" });
  const from = await quiet.place();
  await anAdd();
  const later = await quiet.place();
  expect(later).not.toBe(from);
  const next = await anAdd();
  expect(await follow({}, later).stories(1)).toEqual([next]);
});

test("an outage is waited out, and loses nothing", async () => {
  const { follow, outage } = aHub();
  const one = follow();
  const from = await one.place();
  outage.left = 3;
  const story = await anAdd();
  expect(await one.stories(1)).toEqual([story]);
  outage.left = 3;
  expect(await follow({}, from).stories(1)).toEqual([story]);
});

test("how far all are behind the log is told while somebody follows, and grows while nothing can be read", async () => {
  const { hub, follow, clock, outage } = aHub();
  expect(hub.lagMs()).toBeNull();
  const one = follow();
  await one.place();
  const pass = async (ms: number) => {
    await clock.advance(ms);
    await clock.whenAsleep();
  };
  await pass(250);
  expect(hub.lagMs()).toBeLessThanOrEqual(250);
  outage.left = Number.POSITIVE_INFINITY;
  await pass(4_000);
  expect(hub.lagMs()).toBeGreaterThanOrEqual(4_000);
  outage.left = 0;
  await pass(1_000);
  await pass(250);
  expect(hub.lagMs()).toBeLessThanOrEqual(250);
  await one.end();
  await clock.advance(0);
  expect(hub.lagMs()).toBeNull();
});

test("when the database was put back, all are told to begin anew", async () => {
  const { follow, restore } = aHub();
  const one = follow();
  await one.place();
  restore.isDone = true;
  expect((await one.next()).kind).toBe("reset");
  const next = await anAdd();
  expect(await one.stories(1)).toEqual([next]);
});

test("all end with the hub, and each with its signal", async () => {
  const { hub, follow, over } = aHub();
  const [one, other] = [follow(), hub.follow(all, null, new AbortController().signal)];
  await one.place();
  over.abort();
  await expect(one.next()).rejects.toThrow("The following has ended.");
  const end = other.next().then(() => other.next());
  await hub.stop();
  expect(await end).toEqual({ value: undefined, done: true });
});
