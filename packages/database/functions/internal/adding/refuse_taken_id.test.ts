import { randomUUID } from "node:crypto";
import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
const at = (seconds: number) => secondsAfter(noon, seconds);
const victim = { pipeline: "orders", owner: "ada", payload: { card: 4111 }, tags: ["secret"], dedupKey: "v" };
let id: string;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
  await jobs.aPipeline("letters", ["send"]);
  id = randomUUID();
});

const add = (seconds: number, ...list: object[]) =>
  db.call<{ id: string; created: boolean; status: string }>("add_jobs", { p_jobs: list, p_now: at(seconds) });

/** All that an add may change. */
const stored = () =>
  db.query(
    `select 'jobs' as of, to_jsonb(j) as row from lockstep.jobs j
     union all select 'finished', to_jsonb(f) from lockstep.finished_jobs f
     union all select 'keys', to_jsonb(k) from lockstep.recent_keys k
     union all select 'debounced', to_jsonb(d) from lockstep.debounced_adds d
     union all select 'batches', to_jsonb(b) from lockstep.batches b
     union all select 'moves', to_jsonb(m) from lockstep.stage_moves m
     order by 1, 2`,
  );

/** How the job under the id comes to be what another must not learn. */
const states: Record<string, () => Promise<void>> = {
  scheduled: async () => void (await add(0, { ...victim, id, scheduledFor: at(3_600) })),
  pending: async () => void (await add(0, { ...victim, id })),
  processing: async () => {
    await add(0, { ...victim, id });
    await jobs.claimAs(await jobs.aWorker({ at: noon }), { at: noon });
  },
  completed: async () => {
    await add(0, { ...victim, id });
    const [claimed] = await jobs.claimAs(await jobs.aWorker({ at: noon }), { at: noon });
    await db.value("complete_job", { p_id: id, p_claim_token: claimed?.claim_token, p_now: noon });
  },
  cancelled: async () => {
    await add(0, { ...victim, id });
    await db.value("cancel_job", { p_id: id });
  },
};

const strangers: Record<string, object> = {
  "of another owner": { pipeline: "orders", owner: "eve" },
  "of no owner": { pipeline: "orders" },
  "of another pipeline": { pipeline: "letters", owner: "ada" },
};

const ways = [
  {},
  { dedupKey: "v" },
  { dedupKey: "k", dedup: { forMs: 60_000 } },
  { dedupKey: "k", dedup: { throttleMs: 60_000 } },
  { dedupKey: "k", dedup: { debounceMs: 60_000 } },
];

const cases = Object.keys(states).flatMap((state) =>
  Object.keys(strangers).map((stranger) => [state, stranger] as const),
);

describe("the id of a job", () => {
  test.each(cases)(
    "that is %s is refused in an add %s, in words that tell nothing",
    async (state, stranger) => {
      await states[state]?.();
      const before = await stored();
      const refusal = {
        code: "LS008",
        message: `The job cannot be added: its id ${id} is taken.`,
        detail: undefined,
      };
      for (const way of ways) {
        const taken = { ...strangers[stranger], ...way, id, payload: "evil" };
        await expect(add(1, taken)).rejects.toMatchObject(refusal);
        // All or none, wherever it stands in the call.
        const other = { pipeline: "letters" };
        await expect(add(1, other, taken, other)).rejects.toMatchObject(refusal);
      }
      expect(await stored()).toEqual(before);
    },
  );

  test.each(Object.keys(states))(
    "that is %s gives the job again to its own pipeline and owner",
    async (state) => {
      await states[state]?.();
      const status = state;
      expect(await add(1, { ...victim, id, payload: "again" })).toEqual([{ id, created: false, status }]);
      expect(await jobs.read(id)).toMatchObject({ payload: victim.payload });
    },
  );

  test("is refused when one call has it for two pipelines, and nothing is added", async () => {
    await expect(add(0, { pipeline: "orders", id }, { pipeline: "letters", id })).rejects.toMatchObject({
      code: "LS008",
    });
    expect(await stored()).toEqual([]);
  });

  test("is refused for plain jobs of another pipeline, new or not", async () => {
    await add(0, { ...victim, id });
    const before = await stored();
    const plain = [randomUUID(), id].map((one) => ({ pipeline: "letters", id: one, payload: 1 }));
    const asNew = { p_pipeline: "letters", p_ids: [randomUUID(), id], p_payloads: [1, 2] };
    await expect(db.call("add_jobs_of_pipeline", asNew)).rejects.toMatchObject({ code: "LS008" });
    await expect(db.call("add_new_jobs", { p_jobs: plain })).rejects.toMatchObject({ code: "23505" });
    await expect(db.call("add_jobs", { p_jobs: plain })).rejects.toMatchObject({ code: "LS008" });
    expect(await stored()).toEqual(before);
  });

  test("is refused in a batch and for what follows one", async () => {
    await add(0, { ...victim, id });
    const [batch] = await db.call<{ id: string }>("open_batch", {});
    const before = await stored();
    const theirs = { pipeline: "orders", owner: "eve", id };
    await expect(add(1, { ...theirs, batchId: batch?.id })).rejects.toMatchObject({ code: "LS008" });
    await expect(db.call("open_batch", { p_follower: theirs })).rejects.toMatchObject({ code: "LS008" });
    expect(await stored()).toEqual(before);
  });
});

describe("a debounced add", () => {
  const debounced = { dedupKey: "k", dedup: { debounceMs: 60_000 } };

  test("of a key whose first add was refused for its id changes no job but its own", async () => {
    await states.pending?.();
    const eve = { pipeline: "orders", owner: "eve", ...debounced };
    await expect(add(1, { ...eve, id })).rejects.toMatchObject({ code: "LS008" });
    const [added] = await add(2, { ...eve, payload: "evil", priority: 1 });
    expect(added).toMatchObject({ created: true, status: "scheduled" });
    expect(added?.id).not.toBe(id);
    expect(await jobs.read(id)).toMatchObject({ payload: victim.payload, priority: 10, status: "pending" });
  });

  test("does not change a job that was never added under its key, whosever it is", async () => {
    await states.pending?.();
    const own = { pipeline: "orders", owner: "ada", ...debounced };
    expect(await add(1, { ...own, id, payload: "again" })).toMatchObject([{ id, created: false }]);
    expect(await add(2, { ...own, payload: "new" })).toMatchObject([{ created: true }]);
    expect(await jobs.read(id)).toMatchObject({ payload: victim.payload, status: "pending" });
  });

  test("does not change a job that has its key's place and is another's", async () => {
    await states.pending?.();
    const eve = { pipeline: "orders", owner: "eve", ...debounced };
    await add(1, eve);
    await db.query("update lockstep.recent_keys set job_id = $1", [id]);
    expect(await add(2, { ...eve, payload: "evil" })).toMatchObject([{ created: true }]);
    expect(await jobs.read(id)).toMatchObject({ payload: victim.payload, status: "pending" });
  });

  test("that was merged into a job is known by its id to its own owner only", async () => {
    const own = { pipeline: "orders", owner: "ada", ...debounced };
    const [first] = await add(0, own);
    expect(await add(1, { ...own, id })).toMatchObject([{ id: first?.id, created: false }]);
    expect(await add(2, { ...own, id })).toMatchObject([{ id: first?.id, created: false }]);
    await expect(add(3, { ...own, owner: "eve", id })).rejects.toMatchObject({ code: "LS008" });
    await expect(add(3, { ...own, pipeline: "letters", id })).rejects.toMatchObject({ code: "LS008" });
  });
});
