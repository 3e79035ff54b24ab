import { beforeEach, describe, expect, test } from "vitest";
import { definePipeline } from "../../jobs/pipelines/pipeline.ts";
import { type WorkStage, workStagesOf } from "../../jobs/pipelines/work-stage.ts";
import type { Claim, StageRequest } from "../../store/working/claim.ts";
import { ClaimPlanner, foundAll } from "./claim-planner.ts";
import type { EndedAttempt } from "./job-settler.ts";

const orders = definePipeline("orders")
  .stage("read", () => 1)
  .stage("send", () => 2);
const ids = new Map([
  ["read", 1],
  ["send", 2],
]);
const stages = workStagesOf(orders, ids);
const [read, send] = stages as [WorkStage, WorkStage];

let waiting: Map<number, number>;
let unsettled: Map<number, number>;
let idle: number;
let busy: number;

beforeEach(() => {
  waiting = new Map();
  unsettled = new Map();
  idle = 10;
  busy = 0;
});

function aPlanner(takesWholeBatches = false, jobsAtOnce: number | null = null): ClaimPlanner {
  return new ClaimPlanner({
    stages,
    queue: { waiting: (stageId) => waiting.get(stageId) ?? 0 },
    pool: {
      idle: () => idle,
      get busy() {
        return busy;
      },
    },
    settler: { waitingByStage: () => unsettled },
    claimBatchSize: 500,
    queueLimit: 1_000,
    jobsAtOnce,
    takesWholeBatches,
    nowMs: 0,
  });
}

/** A planner that has seen both stages end jobs so fast that they are claimed far ahead. */
function aFastPlanner(): ClaimPlanner {
  const planner = aPlanner();
  for (const { id } of stages) for (let job = 0; job < 1_000; job += 1) planner.ended(id, 0.01);
  return planner;
}

function ended(stage: WorkStage, count: number, kind: "done" | "release" = "done"): EndedAttempt[] {
  return new Array(count).fill({ stage, outcome: { kind, value: 1 } });
}

/** Room and keep by stage. */
function asks(requests: readonly StageRequest[]): Record<string, [room: number, keep: number]> {
  return Object.fromEntries(
    requests.map(({ stageId, room, keep }) => [stageId === read.id ? "read" : "send", [room, keep]]),
  );
}

describe("room", () => {
  test("is what processors are idle for, less what waits for them and what was asked for", () => {
    const planner = aPlanner();
    waiting.set(read.id, 3);
    const requests = planner.plan([], 5);
    expect(asks(requests)).toEqual({ read: [7, 0], send: [10, 0] });
    planner.begin(requests);
    expect(planner.plan([], 5)).toEqual([]);
    planner.end(requests);
    expect(asks(planner.plan([], 5))).toEqual({ read: [7, 0], send: [10, 0] });
  });

  test("for fast jobs is as much as a batch takes", () => {
    expect(asks(aFastPlanner().plan([], 5)).read).toEqual([500, 0]);
  });

  test("shrinks by what has ended and could not be settled yet", () => {
    const planner = aFastPlanner();
    unsettled.set(read.id, 200);
    expect(asks(planner.plan([], 5)).read).toEqual([300, 0]);
    unsettled.set(read.id, 5_000);
    expect(asks(planner.plan([], 5)).read).toBeUndefined();
  });

  test("leaves place for what comes from the stage before, but always asks for others too", () => {
    const planner = aFastPlanner();
    waiting.set(read.id, 100);
    unsettled.set(read.id, 200);
    expect(asks(planner.plan([], 5)).send).toEqual([200, 0]);
    unsettled.set(read.id, 2_000);
    expect(asks(planner.plan([], 5)).send).toEqual([50, 0]);
  });

  test("of the classic timing is its batch, whether or not a processor is idle", () => {
    idle = 0;
    unsettled.set(read.id, 2_000);
    expect(asks(aPlanner(true).plan([], 5))).toEqual({ read: [500, 0], send: [500, 0] });
  });
});

describe("keeping", () => {
  test("goes before claiming, and only for jobs that are done", () => {
    const planner = aPlanner();
    idle = 4;
    expect(asks(planner.plan([...ended(read, 3), ...ended(read, 9, "release")], 5)).send).toEqual([1, 3]);
    expect(asks(planner.plan(ended(read, 9), 5)).send).toEqual([0, 4]);
  });

  test("counts as asked for while the call is under way", () => {
    const planner = aPlanner();
    const requests = planner.plan(ended(read, 10), 5);
    expect(asks(requests).send).toEqual([0, 10]);
    planner.begin(requests);
    expect(asks(planner.plan(ended(read, 10), 5)).send).toBeUndefined();
  });

  test("is not hindered by ends that wait to be settled", () => {
    const planner = aFastPlanner();
    unsettled.set(send.id, 5_000);
    expect(asks(planner.plan(ended(read, 400), 5)).send).toEqual([50, 400]);
  });

  test("of the last stage is nothing", () => {
    expect(asks(aPlanner().plan(ended(send, 5), 5))).toEqual({ read: [10, 0], send: [10, 0] });
  });
});

describe("a bound for all stages together", () => {
  test("leaves room for what does not run, does not wait and was not asked for", () => {
    const planner = aPlanner(false, 12);
    busy = 2;
    waiting.set(send.id, 3);
    const requests = planner.plan([], 5);
    expect(asks(requests)).toEqual({ read: [7, 0] });
    expect(planner.hasRoom(send.id, 5)).toBe(true);
    planner.begin(requests);
    expect(planner.plan([], 5)).toEqual([]);
    planner.end(requests);
    busy = 9;
    expect(planner.hasRoom(send.id, 5)).toBe(false);
  });

  /** A look that brings nothing. */
  function look(planner: ClaimPlanner, tries: readonly EndedAttempt[] = []): StageRequest[] {
    const requests = planner.plan(tries, 5);
    planner.begin(requests);
    planner.end(requests);
    return requests;
  }

  test("goes to kept jobs first, and to the stages in turn", () => {
    const planner = aPlanner(false, 1);
    expect(asks(look(planner, ended(read, 3)))).toEqual({ send: [0, 1] });
    const looks = [1, 2, 3].map(() => asks(look(planner)));
    expect(looks).toEqual([{ read: [1, 0] }, { send: [1, 0] }, { read: [1, 0] }]);
  });

  test("leaves the turn where it is when a plan comes to nothing", () => {
    const planner = aPlanner(false, 1);
    expect(asks(planner.plan([], 5))).toEqual({ read: [1, 0] });
    planner.begin([]);
    expect(asks(planner.plan([], 5))).toEqual({ read: [1, 0] });
  });

  test("has seen nothing left only after every stage was asked in vain", () => {
    const planner = aPlanner(false, 1);
    expect(planner.lookedAt(look(planner))).toBeNull();
    expect(planner.lookedAt(look(planner))).toEqual([read.id, send.id]);
    expect(planner.lookedAt(look(planner))).toBeNull();
    planner.lookAgain();
    expect(planner.lookedAt(look(planner))).toBeNull();
    expect(planner.lookedAt(look(planner))).toEqual([send.id, read.id]);
  });
});

test("all was found where a stage got what was asked for it, however little another got", () => {
  const requests = aPlanner().plan([], 5);
  const claims = (stage: WorkStage, count: number): Claim[] => new Array(count).fill({ stageId: stage.id });
  expect(foundAll(requests, claims(read, 9))).toBe(false);
  expect(foundAll(requests, claims(read, 10))).toBe(true);
  expect(foundAll([], [])).toBe(false);
});
