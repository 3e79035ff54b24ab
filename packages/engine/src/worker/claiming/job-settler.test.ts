import { randomUUID } from "node:crypto";
import { recordEvents } from "@lockstep/test-support";
import { describe, expect, test } from "vitest";
import { EngineEvents } from "../../events/engine-events.ts";
import type { Outcome } from "../../jobs/outcomes/outcome.ts";
import { definePipeline } from "../../jobs/pipelines/pipeline.ts";
import { type WorkStage, workStagesOf } from "../../jobs/pipelines/work-stage.ts";
import type { Claim } from "../../store/working/claim.ts";
import type { SettledJob } from "../../store/working/settle-and-claim.ts";
import { JobSettler, settlementOf } from "./job-settler.ts";

const pipeline = definePipeline("orders")
  .stage("read", () => 1)
  .stage("send", () => 2);
const [read, send] = workStagesOf(
  pipeline,
  new Map([
    ["read", 1],
    ["send", 2],
  ]),
) as [WorkStage, WorkStage];

const error = { name: "Error", message: "oh" };
const done: Outcome = { kind: "done", value: { ok: true } };

function aClaim(jobId: string, stage = read): Claim {
  return {
    jobId,
    stageId: stage.id,
    token: randomUUID(),
    attempt: 2,
    priority: 5,
    position: 77,
    owner: "ada",
    tags: ["urgent"],
    payload: { n: 1 },
    outputs: { earlier: 0 },
    more: null,
  };
}

function aSettler() {
  const events = new EngineEvents();
  return { settler: new JobSettler(events), told: recordEvents(events) };
}

function settled(jobId: string, rest: Partial<SettledJob>): SettledJob {
  return { jobId, answer: "applied", status: null, keptUnder: null, ...rest };
}

describe("gathering", () => {
  test("what has ended is taken once, in order", () => {
    const { settler } = aSettler();
    expect(settler.isEmpty).toBe(true);
    for (const id of ["a", "b", "c"]) settler.add(aClaim(id), read, done, 5, null);
    expect(settler.isEmpty).toBe(false);
    expect(settler.take().map(({ claim }) => claim.jobId)).toEqual(["a", "b", "c"]);
    expect(settler.isEmpty).toBe(true);
    expect(settler.take()).toEqual([]);
  });

  test("no job goes twice with one call: its second end goes with the next", () => {
    const { settler } = aSettler();
    const [first, second] = [aClaim("a"), aClaim("a", send)];
    settler.add(first, read, done, 5, null);
    settler.add(aClaim("b"), read, done, 5, null);
    settler.add(second, send, done, 5, null);
    expect(settler.take().map(({ claim }) => claim.token)).toEqual([first.token, expect.any(String)]);
    expect(settler.take().map(({ claim }) => claim.token)).toEqual([second.token]);
  });

  test("a second end of a job takes no place from the others of a call", () => {
    const { settler } = aSettler();
    for (const id of ["a", "a", "b", "c"]) settler.add(aClaim(id), read, done, 5, null);
    expect(settler.take(2).map(({ claim }) => claim.jobId)).toEqual(["a", "b"]);
    expect(settler.take(2).map(({ claim }) => claim.jobId)).toEqual(["a", "c"]);
  });

  test("no more are taken than a call is to carry", () => {
    const { settler } = aSettler();
    for (const id of ["a", "b", "c"]) settler.add(aClaim(id), read, done, 5, null);
    expect(settler.take(2).map(({ claim }) => claim.jobId)).toEqual(["a", "b"]);
    expect(settler.waiting).toBe(1);
    expect(settler.take(2).map(({ claim }) => claim.jobId)).toEqual(["c"]);
  });

  test("what is put back comes before what ended since, in its old order", () => {
    const { settler } = aSettler();
    for (const id of ["a", "b"]) settler.add(aClaim(id), read, done, 5, null);
    const tries = settler.take();
    settler.add(aClaim("c"), read, done, 5, null);
    settler.putBack(tries);
    expect(settler.take().map(({ claim }) => claim.jobId)).toEqual(["a", "b", "c"]);
  });

  test("an end that cannot be stored is put back as a failure, without its log, and goes first", () => {
    const { settler } = aSettler();
    settler.add(aClaim("a"), read, done, 5, '[{"message":"kept"}]');
    const [ended] = settler.take();
    if (ended === undefined) throw new Error("One has ended.");
    settler.add(aClaim("b"), read, done, 5, null);
    settler.putBackAsFailed(ended, error);
    const [first, second] = settler.take();
    expect(first && settlementOf(first, null)).toMatchObject({
      jobId: "a",
      token: ended.claim.token,
      outcome: "give_up",
      value: JSON.stringify(error),
      log: null,
    });
    expect(second?.claim.jobId).toBe("b");
  });
});

describe("as the database takes it", () => {
  const nothing = { value: null, delayMs: null, timedOut: false, keepIn: null };
  test.each<[string, Outcome, object]>([
    ["a value", done, { ...nothing, outcome: "done", value: '{"ok":true}' }],
    ["no value", { kind: "done", value: undefined }, { ...nothing, outcome: "done" }],
    [
      "a retry at the stage's own pace",
      { kind: "retry", error, afterMs: null },
      { ...nothing, outcome: "retry", value: JSON.stringify(error) },
    ],
    ["a retry after a wait", { kind: "retry", error, afterMs: 90 }, { outcome: "retry", delayMs: 90 }],
    [
      "a timeout",
      { kind: "retry", error, afterMs: null, timedOut: true },
      { outcome: "retry", timedOut: true },
    ],
    [
      "giving up",
      { kind: "give_up", error },
      { ...nothing, outcome: "give_up", value: JSON.stringify(error) },
    ],
    ["a snooze", { kind: "snooze", forMs: 60 }, { ...nothing, outcome: "snooze", delayMs: 60 }],
    ["a release", { kind: "release" }, { ...nothing, outcome: "release" }],
  ])("%s", (_what, outcome, expected) => {
    const { settler } = aSettler();
    const claim = aClaim("a");
    settler.add(claim, read, outcome, 5, "[]");
    const [ended] = settler.take();
    expect(ended && settlementOf(ended, null)).toMatchObject({
      jobId: "a",
      token: claim.token,
      log: "[]",
      ...expected,
    });
  });

  test("an output that JSON cannot carry is a failure that no retry would mend", () => {
    const { settler } = aSettler();
    settler.add(aClaim("a"), read, { kind: "done", value: { big: 10n } }, 5, null);
    const [ended] = settler.take();
    expect(ended && settlementOf(ended, 2)).toMatchObject({ outcome: "give_up" });
    expect(JSON.parse(ended?.value ?? "")).toMatchObject({
      name: "InvalidOutputError",
      code: "invalid_output",
    });
  });
});

describe("telling what became of it", () => {
  const about = { jobId: "a", pipeline: "orders", stage: "read" };
  const retry: Outcome = { kind: "retry", error, afterMs: null };
  test.each<[string, Outcome, WorkStage, Partial<SettledJob> | null, string, object]>([
    [
      "a plain done in a stage before the last",
      done,
      read,
      null,
      "job.advanced",
      { ...about, nextStage: "send", durationMs: 5 },
    ],
    [
      "a plain done in the last stage",
      done,
      send,
      null,
      "job.completed",
      { ...about, stage: "send", durationMs: 5 },
    ],
    ["a done that a cancel took", done, read, { status: "cancelled" }, "job.cancelled", about],
    [
      "a failed attempt with attempts left",
      retry,
      read,
      { status: "retrying" },
      "job.retrying",
      { ...about, attempt: 2, error, durationMs: 5 },
    ],
    [
      "a failed attempt with none left",
      retry,
      read,
      { status: "failed" },
      "job.failed",
      { ...about, attempt: 2, error, durationMs: 5 },
    ],
    [
      "giving up",
      { kind: "give_up", error },
      read,
      { status: "failed" },
      "job.failed",
      { ...about, attempt: 2, error, durationMs: 5 },
    ],
    [
      "a snooze",
      { kind: "snooze", forMs: 60 },
      read,
      { status: "scheduled" },
      "job.snoozed",
      { ...about, attempt: 2, forMs: 60 },
    ],
    ["a release", { kind: "release" }, read, { status: "pending" }, "job.released", { ...about, attempt: 2 }],
    [
      "a release of a job to be cancelled",
      { kind: "release" },
      read,
      { status: "cancelled" },
      "job.cancelled",
      about,
    ],
    [
      "a claim that was lost",
      done,
      read,
      { answer: "lease_lost", status: "pending" },
      "claim.lost",
      { jobId: "a", stage: "read", status: "pending" },
    ],
  ])("%s", (_what, outcome, stage, answer, name, event) => {
    const { settler, told } = aSettler();
    settler.add(aClaim("a", stage), stage, outcome, 5, null);
    settler.confirm(settler.take(), answer === null ? [] : [settled("a", answer)]);
    expect(told.names()).toEqual([name]);
    expect(told.all(name as "job.advanced")).toEqual([event]);
  });

  test("an end that the database had already is not told twice", () => {
    const { settler, told } = aSettler();
    settler.add(aClaim("a"), read, done, 5, null);
    settler.confirm(settler.take(), [settled("a", { answer: "already_applied" })]);
    expect(told.names()).toEqual([]);
  });
});

describe("a job kept for its next stage", () => {
  test("goes on under its new token, at the first attempt, with the output as the database would give it", () => {
    const { settler, told } = aSettler();
    const claim = aClaim("a");
    const value = { at: new Date("2026-01-01T00:00:00Z"), nothing: undefined, text: "a\ud800b" };
    settler.add(claim, read, { kind: "done", value }, 5, null);
    settler.add(aClaim("b"), read, done, 5, null);
    const token = randomUUID();
    const kept = settler.confirm(settler.take(), [settled("a", { status: "processing", keptUnder: token })]);
    expect(kept).toEqual([
      {
        ...claim,
        stageId: 2,
        token,
        attempt: 1,
        outputs: { earlier: 0, read: { at: "2026-01-01T00:00:00.000Z", text: "a\ufffdb" } },
      },
    ]);
    expect(told.names()).toEqual(["job.advanced", "job.advanced"]);
  });

  test("whose stage returned nothing hands on null", () => {
    const { settler } = aSettler();
    settler.add(aClaim("a"), read, { kind: "done", value: undefined }, 5, null);
    const [kept] = settler.confirm(settler.take(), [
      settled("a", { status: "processing", keptUnder: randomUUID() }),
    ]);
    expect(kept?.outputs.read).toBeNull();
  });
});
