import { randomUUID } from "node:crypto";
import { recordEvents, testDatabase } from "@lockstep/test-support";
import {
  type Act,
  ActError,
  createEngine,
  definePipeline,
  type Engine,
  IdempotencyKeyInUseError,
  IdempotencyKeyReusedError,
  InvalidPayloadError,
  RefusedError,
} from "lockstep";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";

const db = testDatabase();
beforeEach(() => db.reset());

const letter = definePipeline("letter", { payload: z.object({ to: z.string() }) }).stage(
  "send",
  () => "sent",
);
const toAda = [{ payload: { to: "ada" } }];

function anEngine(): Engine {
  const engine = createEngine({ databaseUrl: db.url, pipelines: [letter], logger: null });
  onTestFinished(() => engine.stop());
  return engine;
}

const cancelling: Act = { user: "ada", action: "jobs.cancel", requestId: "r-1" };
const adding = (key: string, requestHash = "h"): Act => ({
  user: "ada",
  action: "jobs.add",
  idempotency: { key, requestHash },
});
const jobCount = async () =>
  (await db.query<{ jobs: number }>("select count(*)::int as jobs from lockstep.jobs"))[0]?.jobs;

describe("a recorded act", () => {
  test("does its writes, and the record says who did what, and what came of it", async () => {
    const engine = anEngine();
    const events = recordEvents(engine);
    const { id } = await engine.add(letter, { to: "ada" });
    const done = await engine.recorded(cancelling, async (writes) => ({ is: await writes.cancel(id) }));
    expect(done).toEqual({ answer: { is: "cancelled" }, isReplayed: false });
    expect(await engine.get(id)).toMatchObject({ status: "cancelled" });
    expect(events.all("job.cancelled")).toEqual([{ jobId: id }]);
    expect(await engine.recordedActions()).toMatchObject([
      { user: "ada", action: "jobs.cancel", target: `jobs/${id}`, outcome: "cancelled", requestId: "r-1" },
    ]);
  });

  test("adds, retries, pauses and steers schedules, each under its own target and outcome", async () => {
    const engine = anEngine();
    const events = recordEvents(engine);
    await engine.schedule("nightly", letter, { cron: "0 3 * * *", payload: { to: "ada" } });
    const { id } = await engine.add(letter, { to: "ada" });
    await engine.cancel(id);
    const act = (action: string): Act => ({ user: "ada", action });
    const { answer: added } = await engine.recorded(act("jobs.add"), (writes) => writes.add(letter, toAda));
    await engine.recorded(act("jobs.add"), (writes) => writes.add("letter", [...toAda, ...toAda]));
    await engine.recorded(act("jobs.retry"), (writes) => writes.retry(id));
    await engine.recorded(act("stages.pause"), (writes) => writes.pause(letter, "send"));
    await engine.recorded(act("stages.pause"), (writes) => writes.pause("letter", "send"));
    await engine.recorded(act("stages.resume"), (writes) => writes.resume("letter", "send"));
    await engine.recorded(act("schedules.pause"), (writes) => writes.pauseSchedule("nightly"));
    await engine.recorded(act("schedules.resume"), (writes) => writes.resumeSchedule("nightly"));
    await engine.recorded(act("schedules.remove"), (writes) => writes.removeSchedule("nightly"));
    const actions = await engine.recordedActions();
    expect(actions.reverse().map(({ action, target, outcome }) => [action, target, outcome])).toEqual([
      ["jobs.add", `jobs/${added[0]?.id}`, "added"],
      ["jobs.add", "pipelines/letter", "added"],
      ["jobs.retry", `jobs/${id}`, "applied"],
      ["stages.pause", "stages/letter/send", "paused"],
      ["stages.pause", "stages/letter/send", "unchanged"],
      ["stages.resume", "stages/letter/send", "resumed"],
      ["schedules.pause", "schedules/nightly", "paused"],
      ["schedules.resume", "schedules/nightly", "resumed"],
      ["schedules.remove", "schedules/nightly", "removed"],
    ]);
    expect(actions[1]?.detail).toEqual({ pipeline: "letter", jobs: 2, created: 2 });
    expect(events.all("job.added")).toHaveLength(4);
    expect(events.all("job.retried")).toEqual([{ jobId: id }]);
    expect(await jobCount()).toBe(4);
  });

  test("may say more of itself than its writes do", async () => {
    const engine = anEngine();
    const act: Act = { ...cancelling, target: "jobs/all", detail: { why: "moved" } };
    await engine.recorded(act, async (writes) => {
      await writes.cancel(randomUUID());
      writes.note({ outcome: "nothing_there", detail: { looked: 1 } });
    });
    expect(await engine.recordedActions({ user: "ada", target: "jobs/all" })).toMatchObject([
      { target: "jobs/all", outcome: "nothing_there", detail: { why: "moved", looked: 1 } },
    ]);
  });

  test("that throws has done nothing, is not recorded, and tells nobody", async () => {
    const engine = anEngine();
    const events = recordEvents(engine);
    const mine = Object.assign(new Error("not so"), { code: "ENOENT" });
    const failing = engine.recorded(adding("k"), async (writes) => {
      await writes.add(letter, toAda);
      throw mine;
    });
    await expect(failing).rejects.toBe(mine);
    expect(await jobCount()).toBe(0);
    expect(await engine.recordedActions()).toEqual([]);
    expect(events.names()).toEqual([]);
    // The key is free, and the connection is as good as new.
    expect(await engine.recorded(adding("k"), (writes) => writes.add(letter, toAda))).toMatchObject({
      isReplayed: false,
    });
  });

  test("hears of a refusal as everywhere, and cannot go on after it", async () => {
    const engine = anEngine();
    const pausing: Act = { user: "ada", action: "stages.pause" };
    await expect(engine.recorded(pausing, (writes) => writes.pause("letter", "sned"))).rejects.toThrow(
      RefusedError,
    );
    const stubborn = engine.recorded(pausing, async (writes) => {
      await writes.pause("letter", "sned").catch(() => null);
      return "done";
    });
    await expect(stubborn).rejects.toThrow(RefusedError);
    const wrong = engine.recorded(adding("k"), (writes) => writes.add("letter", [{ payload: { to: 7 } }]));
    await expect(wrong).rejects.toThrow(InvalidPayloadError);
    expect(await engine.recordedActions()).toEqual([]);
  });

  test("must have waited for its writes when it returns", async () => {
    const engine = anEngine();
    let late: Promise<unknown> = Promise.resolve();
    await engine.recorded(cancelling, async (writes) => {
      late = new Promise((resolve) => setImmediate(resolve)).then(() => writes.cancel(randomUUID()));
      late.catch(() => {});
    });
    await expect(late).rejects.toThrow("This act is over");
  });

  test("names the job's version, and is not done to another", async () => {
    const engine = anEngine();
    const { id } = await engine.add(letter, { to: "ada" });
    const seen = (await engine.get(id))?.version ?? "";
    const cancel = (ifVersion: string) =>
      engine.recorded(cancelling, (writes) => writes.cancel(id, { ifVersion }));
    expect(await cancel("another")).toMatchObject({ answer: "changed" });
    expect(await cancel(seen)).toMatchObject({ answer: "cancelled" });
    expect(await engine.retry(id, { ifVersion: seen })).toMatchObject({ answer: "changed" });
    const ifVersion = (await engine.get(id))?.version;
    expect(await engine.retry(id, { ifVersion })).toMatchObject({ answer: "applied" });
    expect(await engine.cancel(id, { ifVersion })).toBe("changed");
  });
});

describe("a key", () => {
  test("has a request done once, and answered alike for ever after", async () => {
    const engine = anEngine();
    const add = () =>
      engine.recorded(adding("k"), async (writes) => ({
        status: 201,
        jobs: await writes.add(letter, toAda),
      }));
    const first = await add();
    expect(first.isReplayed).toBe(false);
    expect(await add()).toEqual({ ...first, isReplayed: true });
    expect(await jobCount()).toBe(1);
    expect(await engine.recordedActions()).toHaveLength(1);
  });

  test("is refused to another request, and is another user's own", async () => {
    const engine = anEngine();
    await engine.recorded(adding("k"), (writes) => writes.add(letter, toAda));
    await expect(
      engine.recorded(adding("k", "other"), (writes) => writes.add(letter, toAda)),
    ).rejects.toThrow(IdempotencyKeyReusedError);
    const bobs = engine.recorded({ ...adding("k", "other"), user: "bob" }, (writes) =>
      writes.add(letter, toAda),
    );
    expect(await bobs).toMatchObject({ isReplayed: false });
    expect(await jobCount()).toBe(2);
  });

  test("sent 32 times at once adds one job; the others get its answer, or are told that it is in use", async () => {
    const engines = [anEngine(), anEngine(), anEngine(), anEngine()];
    const sent = Array.from({ length: 32 }, (_, index) =>
      (engines[index % 4] as Engine).recorded(adding("k"), (writes) => writes.add(letter, toAda)),
    );
    const settled = await Promise.allSettled(sent);
    const answers = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    const errors = settled.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    expect(answers.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1);
    expect(new Set(answers.map(({ answer }) => answer[0]?.id)).size).toBe(1);
    for (const error of errors) expect(error).toBeInstanceOf(IdempotencyKeyInUseError);
    expect(await jobCount()).toBe(1);
    expect(await (engines[0] as Engine).recordedActions()).toHaveLength(1);
  });

  test("is in use while its first request is at it, and nobody waits", async () => {
    const engine = anEngine();
    const add = () => engine.recorded(adding("k"), (writes) => writes.add(letter, toAda));
    await engine.recorded(adding("first"), async (writes) => {
      await writes.add(letter, toAda);
      await engine.recorded(adding("k"), async (inner) => {
        await expect(add()).rejects.toThrow(IdempotencyKeyInUseError);
        return inner.add(letter, toAda);
      });
    });
    expect(await add()).toMatchObject({ isReplayed: true });
  });
});

test.each([
  [{ action: "jobs.add" }, "user"],
  [{ user: "ada" }, "action"],
  [{ user: "ada", action: "add" }, "jobs.cancel"],
  [{ user: "ada\0", action: "jobs.add" }, "user"],
  [{ user: "ada", action: "jobs.add", requestID: "1" }, 'Did you mean "requestId"?'],
  [{ user: "ada", action: "jobs.add", idempotency: { key: "k" } }, "requestHash"],
  [{ user: "ada", action: "jobs.add", detail: [] }, "detail"],
])("the act %j is refused, with %s in the sentence", async (act, word) => {
  const refused = anEngine().recorded(act as Act, async () => null);
  await expect(refused).rejects.toThrow(ActError);
  await expect(refused).rejects.toThrow(word);
});
