import { access, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ManualClock, recordEvents } from "@lockstep/test-support";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { EngineEvents } from "../../events/engine-events.ts";
import { giveUp, RetryAfter, snooze } from "../../jobs/outcomes/outcome.ts";
import { type AnyPipeline, definePipeline } from "../../jobs/pipelines/pipeline.ts";
import type { StageContext } from "../../jobs/pipelines/stage-context.ts";
import { workStagesOf } from "../../jobs/pipelines/work-stage.ts";
import type { Claim } from "../../store/working/claim.ts";
import { noBudgets } from "../../test-support/no-budgets.ts";
import { noStreams } from "../../test-support/no-streams.ts";
import { JobRun, type JobRunParts } from "./job-run.ts";
import type { AbortReason } from "./run-abort.ts";
import { TempFolders } from "./temp-folder.ts";

let tempFolders: TempFolders;
let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "lockstep-job-run-"));
  tempFolders = new TempFolders(root);
});
afterAll(() => rm(root, { recursive: true, force: true }));

const aClaim: Claim = {
  jobId: "0190b0a0-0000-7000-8000-000000000001",
  stageId: 1,
  token: "7d7c7a4e-0000-4000-8000-000000000001",
  attempt: 2,
  priority: 10,
  position: 1,
  owner: "ada",
  tags: ["urgent"],
  payload: { amount: "12" },
  outputs: { read: { lines: 3 } },
  more: null,
};

const noFanOuts: JobRunParts["fanOuts"] = {
  write: async () => ({ kind: "release" }),
  childrenOf: (jobId) => {
    throw new Error(`Job ${jobId} has no children.`);
  },
};

/** A run of the given stage; the first unless told. */
function aRun(pipeline: AnyPipeline, claim: Partial<Claim> = {}, stageId = 1) {
  const clock = new ManualClock();
  const events = new EngineEvents();
  const reports: unknown[] = [];
  const logs: (string | null)[] = [];
  const stages = workStagesOf(pipeline, new Map(pipeline.stages.map(({ name }, index) => [name, index + 1])));
  const stage = stages.find(({ id }) => id === stageId);
  if (stage === undefined) throw new Error(`The pipeline has no stage ${stageId}.`);
  const run = new JobRun({ ...aClaim, stageId, ...claim }, stage, {
    clock,
    events,
    progress: {
      report: (_claim, percent, note, data) => void reports.push({ percent, note, data }),
      reportLog: (_claim, read) => void logs.push(read()),
    },
    tempFolders,
    schema: "lockstep",
    effectsOf: ({ claim: { token } }) => ({ once: async (key, run) => [token, key, typeof run] }),
    streams: noStreams,
    budgets: noBudgets,
    graceMs: 1_000,
    onEndedIn: () => {},
    fanOuts: noFanOuts,
    setSignalKey: async () => "applied",
  });
  return { run, clock, reports, logs, told: recordEvents(events) };
}

function aHandler(handler: (context: StageContext) => unknown): AnyPipeline {
  return definePipeline("orders").stage("read", { timeoutMs: 500 }, handler);
}

describe("what a handler does becomes an outcome", () => {
  test.each<[string, (context: StageContext) => unknown, object]>([
    ["a value is done", () => ({ ok: true }), { kind: "done", value: { ok: true } }],
    ["no value is done", () => undefined, { kind: "done", value: undefined }],
    [
      "a throw is retried",
      () => fail(new Error("oh")),
      { kind: "retry", error: { message: "oh" }, afterMs: null },
    ],
    [
      "a rejection is retried",
      () => Promise.reject("plain text"),
      { kind: "retry", error: { message: "plain text" } },
    ],
    [
      "RetryAfter sets the wait",
      () => fail(new RetryAfter("429", { afterMs: 7 })),
      { kind: "retry", afterMs: 7 },
    ],
    ["giveUp gives up", () => giveUp("useless"), { kind: "give_up", error: { message: "useless" } }],
    ["snooze snoozes", () => snooze({ forMs: 60 }), { kind: "snooze", forMs: 60 }],
    ["a promise is waited for", async () => 7, { kind: "done", value: 7 }],
    ["a query builder, which is no Promise, is waited for", () => aThenable(7), { kind: "done", value: 7 }],
    [
      "what throws when it is looked at is retried",
      () => new Proxy({}, { get: () => fail(new Error("hands off")) }),
      { kind: "retry", error: { message: "hands off" } },
    ],
  ])("%s", async (_what, handler, outcome) => {
    expect(await aRun(aHandler(handler)).run.run()).toMatchObject(outcome);
  });
});

describe("a handler that answers without a promise", () => {
  test("has ended when run returns", () => {
    expect(aRun(aHandler(() => 1)).run.run()).toEqual({ kind: "done", value: 1 });
  });

  test("has ended when run returns also when it throws", () => {
    expect(aRun(aHandler(() => fail(new Error("oh")))).run.run()).toMatchObject({
      kind: "retry",
      error: { message: "oh" },
    });
  });

  test("leaves no temporary folder behind", async () => {
    let folder: Promise<string> | null = null;
    const { run } = aRun(
      aHandler(({ tempFolder }) => {
        folder = tempFolder();
        return 1;
      }),
    );
    expect(await run.run()).toEqual({ kind: "done", value: 1 });
    await expect(access(String(await folder))).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe("what the handler is handed", () => {
  test("it knows its job, pipeline, stage, attempt, owner and tags", async () => {
    let seen: Partial<StageContext> = {};
    const { run } = aRun(
      aHandler(({ jobId, pipeline, stage, attempt, maxAttempts, owner, tags, output, payload }) => {
        seen = { jobId, pipeline, stage, attempt, maxAttempts, owner, tags, output, payload };
      }),
    );
    await run.run();
    expect(seen).toEqual({
      jobId: aClaim.jobId,
      pipeline: "orders",
      stage: "read",
      attempt: 2,
      maxAttempts: 3,
      owner: "ada",
      tags: ["urgent"],
      output: undefined,
      payload: { amount: "12" },
    });
  });

  test("a later stage reads the output of the one before it and all of them by name", async () => {
    const pipeline = definePipeline("orders")
      .stage("read", () => ({ lines: 0 }))
      .stage("send", ({ output, outputs }) => [output.lines, outputs.read.lines]);
    const { run } = aRun(pipeline, {}, 2);
    expect(await run.run()).toEqual({ kind: "done", value: [3, 3] });
  });

  test("progress goes to the reporter", async () => {
    const { run, reports } = aRun(
      aHandler(({ progress }) => {
        progress(10);
        progress(50, "half", { of: 2 });
      }),
    );
    await run.run();
    expect(reports).toEqual([
      { percent: 10, note: null, data: null },
      { percent: 50, note: "half", data: { of: 2 } },
    ]);
  });

  test("once goes to what runs the effects of this attempt", async () => {
    const { run } = aRun(aHandler(({ once }) => once("mail", () => "sent")));
    expect(await run.run()).toEqual({ kind: "done", value: [aClaim.token, "mail", "function"] });
  });

  test("what it logs is told at once and kept for the attempt", async () => {
    const { run, told } = aRun(aHandler(({ log }) => log.info("read it", { lines: 3 })));
    expect(run.logAsJson).toBeNull();
    await run.run();
    expect(told.all("job.log")).toMatchObject([
      { jobId: aClaim.jobId, stage: "read", attempt: 2, message: "read it" },
    ]);
    expect(JSON.parse(run.logAsJson ?? "")).toMatchObject([
      { level: "info", message: "read it", data: { lines: 3 } },
    ]);
  });

  test("what it logs goes to the reporter until the attempt is over", async () => {
    const { run, logs } = aRun(aHandler(({ log }) => log.info("read it")));
    const outcome = await run.run();
    expect(logs).toEqual([run.logAsJson]);
    run.end(outcome);
    run.context.log.info("left running");
    expect(logs).toHaveLength(1);
  });

  test("its temporary folder is one for the whole attempt and gone when the attempt has ended", async () => {
    let folders: string[] = [];
    const { run } = aRun(
      aHandler(async ({ tempFolder }) => {
        folders = [await tempFolder(), await tempFolder()];
        await writeFile(join(String(folders[0]), "page.txt"), "text");
        throw new Error("a failing try leaves nothing behind either");
      }),
    );
    await run.run();
    expect(folders[0]).toBe(folders[1]);
    await expect(access(String(folders[0]))).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("a temporary folder that cannot be made fails the attempt, not the run", async () => {
    const { run } = aRun(aHandler(({ tempFolder }) => tempFolder()));
    await writeFile(join(root, "a file"), "");
    const broken = new TempFolders(join(root, "a file", "inside"));
    const failing = new JobRun(run.claim, run.workStage, {
      clock: new ManualClock(),
      events: new EngineEvents(),
      progress: { report: () => {}, reportLog: () => {} },
      tempFolders: broken,
      schema: "lockstep",
      effectsOf: () => ({ once: async () => undefined }),
      streams: noStreams,
      budgets: noBudgets,
      graceMs: 1_000,
      onEndedIn: () => {},
      fanOuts: noFanOuts,
      setSignalKey: async () => "applied",
    });
    expect(await failing.run()).toMatchObject({ kind: "retry", error: { code: "ENOTDIR" } });
  });
});

describe("the payload is read through its schema before every run", () => {
  const schema = z.object({ amount: z.string().transform(Number) });

  test("the handler reads what the schema makes of it", async () => {
    const pipeline = definePipeline("orders", { payload: schema }).stage(
      "read",
      ({ payload }) => payload.amount + 1,
    );
    expect(await aRun(pipeline).run.run()).toEqual({ kind: "done", value: 13 });
  });

  test("an asynchronous schema is waited for", async () => {
    const slow = z.object({ amount: z.string() }).refine(async () => true);
    const pipeline = definePipeline("orders", { payload: slow }).stage(
      "read",
      ({ payload }) => payload.amount,
    );
    expect(await aRun(pipeline).run.run()).toEqual({ kind: "done", value: "12" });
  });

  test("a stored payload that the schema no longer takes is given up without calling the handler", async () => {
    let calls = 0;
    const pipeline = definePipeline("orders", { payload: schema }).stage("read", () => {
      calls += 1;
    });
    expect(await aRun(pipeline, { payload: { amount: 12 } }).run.run()).toMatchObject({
      kind: "give_up",
      error: {
        name: "InvalidPayloadError",
        code: "invalid_payload",
        message: expect.stringContaining("/amount"),
      },
    });
    expect(calls).toBe(0);
  });

  test("a schema that throws is the schema's fault: the attempt is retried", async () => {
    const broken = z.string().refine(() => fail(new Error("no dictionary")));
    const pipeline = definePipeline("orders", { payload: broken }).stage("read", () => 1);
    expect(await aRun(pipeline, { payload: "x" }).run.run()).toMatchObject({
      kind: "retry",
      error: { message: "no dictionary" },
    });
  });
});

describe("when it is told to stop", () => {
  const reasons: AbortReason[] = ["timeout", "cancel", "lease_lost", "shutdown"];

  test.each(reasons)("the signal says why: %s", async (reason) => {
    const { run } = aRun(
      aHandler(async ({ signal }) => {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        return signal.reason;
      }),
    );
    const ended = run.run();
    run.abort(reason);
    await ended;
    expect(run.signal.reason).toMatchObject({
      name: "AbortError",
      reason,
      message: expect.stringMatching(/\.$/),
    });
  });

  test("a signal that is first asked for afterwards has aborted already", () => {
    const { run } = aRun(aHandler(() => 1));
    run.abort("cancel");
    expect(run.signal.aborted).toBe(true);
    expect(run.signal.reason).toMatchObject({ reason: "cancel" });
  });

  test("the first reason stands, with its time", async () => {
    const { run, clock } = aRun(aHandler(() => 1));
    await clock.advance(100);
    run.abort("cancel");
    await clock.advance(100);
    run.abort("timeout");
    expect([run.abortReason, run.abortedMs]).toEqual(["cancel", 100]);
  });

  const value = { kind: "done", value: 1 };
  const released = { kind: "release" };
  const timedOut = {
    kind: "retry",
    timedOut: true,
    afterMs: null,
    error: {
      name: "TimeoutError",
      code: "timeout",
      message: "Stage orders/read took longer than its timeout of 500 ms in attempt 2",
    },
  };
  const handlers = {
    "returns a value": () => 1,
    throws: () => fail(new Error("stopped")),
    "gives up": () => giveUp("stopped"),
    snoozes: () => snooze({ forMs: 5 }),
  };
  test.each<[AbortReason, keyof typeof handlers, object]>([
    ["timeout", "returns a value", timedOut],
    ["timeout", "throws", timedOut],
    ["cancel", "returns a value", value],
    ["cancel", "throws", released],
    ["cancel", "gives up", released],
    ["cancel", "snoozes", released],
    ["shutdown", "returns a value", value],
    ["shutdown", "throws", released],
    ["shutdown", "gives up", { kind: "give_up" }],
    ["shutdown", "snoozes", { kind: "snooze", forMs: 5 }],
    ["lease_lost", "returns a value", value],
    ["lease_lost", "throws", released],
  ])(
    "after %s a handler that %s ends as the meaning of that reason has it",
    async (reason, what, outcome) => {
      const { run } = aRun(aHandler(handlers[what]));
      run.abort(reason);
      expect(await run.run()).toMatchObject(outcome);
    },
  );

  test.each<[AbortReason, object]>([
    ["timeout", timedOut],
    ["cancel", released],
    ["lease_lost", released],
    ["shutdown", released],
  ])("when %s does not stop its handler, the attempt ends without it", (reason, outcome) => {
    const { run } = aRun(aHandler(() => new Promise(() => {})));
    run.abort(reason);
    expect(run.outcomeWithoutHandler).toMatchObject(outcome);
  });
});

function aThenable(value: unknown): object {
  // biome-ignore lint/suspicious/noThenProperty: query builders have one, and handlers return them.
  return { then: (resolve: (value: unknown) => void) => resolve(value) };
}

function fail(error: Error): never {
  throw error;
}
