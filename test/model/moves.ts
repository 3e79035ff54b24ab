import assert from "node:assert/strict";
import fc from "fast-check";
import type { Clients } from "./clients.ts";
import {
  allStages,
  type Claim,
  type End,
  isFinished,
  leaseMs,
  modelPipelines,
  modelStages,
  pipelineOf,
  splitStage,
} from "./model-job.ts";
import { Move, type MoveKind } from "./move.ts";
import type { NewJob } from "./queue-model.ts";
import type { RealQueue } from "./real-queue.ts";

const dayMs = 86_400_000;
const freezeMs = leaseMs + 10_000;
const pick = fc.nat({ max: 9 });
const process = fc.nat({ max: 2 });
const stage = fc.nat({ max: modelStages.length - 1 });
const done: End = { outcome: "done" };
const ends: readonly End[] = [
  done,
  done,
  done,
  { outcome: "retry" },
  { outcome: "retry", delayMs: 5_000 },
  { outcome: "give_up" },
  { outcome: "snooze", delayMs: 15_000 },
  { outcome: "release" },
];

const hasClaim = ({ claims }: Clients) => claims.length > 0;
const hasJob = ({ model }: Clients) => model.jobs.length > 0;
const workerOf = ({ workerIds }: Clients, number: number) => workerIds[number] ?? "";

async function enter(clients: Clients, queue: RealQueue, number: number): Promise<void> {
  const id = clients.newId();
  clients.workerIds[number] = id;
  clients.model.register(id);
  await queue.register(id);
}

/** Where a run begins: three processes, something to do, and a replica that has heard of it. */
export async function open(clients: Clients, queue: RealQueue): Promise<void> {
  for (const number of [0, 1, 2]) await enter(clients, queue, number);
  const job = { id: null, priority: 10, dedupKey: null, owner: null, inMs: 0, pipeline: "orders" as const };
  const others: NewJob[] = [
    { ...job, dedupKey: "a" },
    { ...job, priority: 5, owner: "ada" },
    { ...job, pipeline: "talks" },
    { ...job, pipeline: "trees" },
  ];
  await addAll(clients, queue, [job, ...others]);
  clients.model.replicate();
  await queue.replicate();
}

async function addAll({ model, adds }: Clients, queue: RealQueue, jobs: readonly NewJob[]): Promise<void> {
  const answers = await queue.add(jobs);
  for (const [index, job] of jobs.entries()) {
    const answer = answers[index];
    const known = model.inTheWayOf(job);
    assert.deepEqual(
      answer,
      known
        ? { id: known.id, created: false, status: known.status }
        : { id: job.id ?? answer?.id, created: true, status: job.inMs > 0 ? "scheduled" : "pending" },
    );
    if (answer?.created) model.add(job, answer.id);
    adds.push(job);
  }
}

/** Which of equals a claim got is taken from its answer; that it got its due, in order, is checked. */
function take(
  clients: Clients,
  workerId: string,
  stages: readonly number[],
  room: number,
  got: readonly Claim[],
): number {
  const { model } = clients;
  let count = 0;
  for (const line of model.look(workerId, stages, room)) {
    const due = line.jobs.slice(0, line.room);
    const taken = got.slice(count, count + due.length);
    const orderOf = ({ jobId }: Claim) => line.jobs.find(({ id }) => id === jobId)?.order;
    assert.deepEqual(
      taken.map(orderOf),
      due.map(({ order }) => order),
      "claimed what is due, in order",
    );
    for (const claim of taken) {
      const job = model.job(claim.jobId);
      if (job) model.take(job, workerId, claim.token);
      clients.remember(claim);
    }
    count += taken.length;
  }
  return count;
}

async function claim(
  clients: Clients,
  queue: RealQueue,
  { process, stages, batchSize }: { process: number; stages: number[]; batchSize: number },
): Promise<void> {
  const workerId = workerOf(clients, process);
  const got = await queue.claim(workerId, stages, batchSize);
  if (!clients.model.isAlive(workerId)) {
    assert.equal(got, "LS004");
    // It was told that it is lost; what it holds in its hands it still has.
    return enter(clients, queue, process);
  }
  assert.ok(typeof got !== "string", `the claim was refused: ${got}`);
  let count = 0;
  for (const one of stages) {
    if (count < batchSize) count += take(clients, workerId, [one], batchSize - count, got.slice(count));
  }
  assert.equal(got.length, count, "claimed no more than there is");
}

async function send({ model, sent }: Clients, queue: RealQueue, claim: Claim, end: End): Promise<void> {
  const answer = await sendEnd(queue, claim, end);
  assert.equal(answer, model.settle(claim, end));
  sent.push({ claim, end });
}

/** Whatever stage of the pipeline with branches it is in; the last one may have some too. */
const mayBranch = ({ model }: Clients, claim: Claim | undefined) => {
  const job = claim && model.job(claim.jobId);
  return job !== undefined && pipelineOf(job.stage) === pipelineOf(splitStage);
};

async function branch({ model }: Clients, queue: RealQueue, claim: Claim): Promise<void> {
  // Which branches of a job are its last is told by the time.
  model.nowMs += 1;
  queue.nowMs = model.nowMs;
  const { answer, childIds } = await queue.branch(claim);
  assert.equal(answer, model.branch(claim, childIds));
}

function sendEnd(queue: RealQueue, claim: Claim, end: End): Promise<string> {
  switch (end.outcome) {
    case "done":
      return queue.complete(claim);
    case "snooze":
      return queue.snooze(claim, end);
    case "release":
      return queue.release(claim);
    default:
      return queue.fail(claim, end);
  }
}

const adding: MoveKind<Omit<NewJob, "id"> & { hasId: boolean }> = {
  name: "add",
  make: (clients, queue, { hasId, ...job }) =>
    addAll(clients, queue, [{ ...job, id: hasId ? clients.newId() : null }]),
};

const addingMany: MoveKind<Omit<NewJob, "id">[]> = {
  name: "add many",
  make: (clients, queue, jobs) =>
    addAll(
      clients,
      queue,
      jobs.map((job) => ({ ...job, id: null })),
    ),
};

const addingAgain: MoveKind<number> = {
  name: "add again",
  isPossible: ({ adds }) => adds.some(({ id }) => id !== null),
  make(clients, queue, number) {
    const known = clients.adds.filter(({ id }) => id !== null);
    const again = known.at(-1 - (number % known.length));
    return addAll(clients, queue, again ? [again] : []);
  },
};

const claiming: MoveKind<{ process: number; stages: number[]; batchSize: number }> = {
  name: "claim",
  make: claim,
};

/** A worker as most of them are: it claims what is furthest, and ends it well. */
const working: MoveKind<number> = {
  name: "work",
  async make(clients, queue, process) {
    for (let number = 0; number < 3; number += 1) {
      const known = clients.claims.length;
      await claim(clients, queue, { process, stages: [9, 8, 7, 6, 5, 3, 2, 1, 0], batchSize: 1 });
      const got = clients.claims[known];
      if (got && clients.model.job(got.jobId)?.stage === splitStage) await branch(clients, queue, got);
      else if (got) await send(clients, queue, got, done);
    }
  },
};

const beating: MoveKind<number> = {
  name: "heartbeat",
  async make(clients, queue, number) {
    const expected = clients.model.heartbeat(workerOf(clients, number));
    assert.deepEqual(await queue.heartbeat(workerOf(clients, number)), expected);
    if (!expected.isAlive) await enter(clients, queue, number);
  },
};

const reporting: MoveKind<{ pick: number; percent: number }> = {
  name: "progress",
  isPossible: hasClaim,
  async make(clients, queue, { pick, percent }) {
    const claim = clients.claim(pick);
    if (claim) assert.equal(await queue.progress(claim, percent), clients.model.progress(claim, percent));
  },
};

const settling: MoveKind<{ pick: number; end: End }> = {
  name: "settle",
  isPossible: hasClaim,
  async make(clients, queue, { pick, end }) {
    const claim = clients.claim(pick);
    if (claim) await send(clients, queue, claim, end);
  },
};

const branching: MoveKind<number> = {
  name: "branch",
  isPossible: (clients, pick) => mayBranch(clients, clients.claim(pick)),
  async make(clients, queue, pick) {
    const claim = clients.claim(pick);
    if (claim) await branch(clients, queue, claim);
  },
};

const sendingAgain: MoveKind<number> = {
  name: "send again",
  isPossible: ({ sent }) => sent.length > 0,
  async make(clients, queue, number) {
    const again = clients.sent.at(-1 - (number % clients.sent.length));
    if (again)
      assert.equal(
        await sendEnd(queue, again.claim, again.end),
        clients.model.settle(again.claim, again.end),
      );
  },
};

const settlingMany: MoveKind<{ picks: number[]; ends: End[] }> = {
  name: "settle many",
  isPossible: hasClaim,
  async make(clients, queue, { picks, ends: given }) {
    const claims = new Map<string, Claim>();
    for (const number of picks) {
      const claim = clients.claim(number);
      if (claim) claims.set(claim.jobId, claim);
    }
    const list = [...claims.values()];
    const answers = await queue.settle(list, given);
    const settled = list.map((claim, index) => ({ claim, end: given[index] ?? done }));
    assert.deepEqual(answers, clients.model.settleAll(settled));
    clients.sent.push(...settled);
  },
};

const exchanging: MoveKind<number> = {
  name: "exchange",
  isPossible: hasClaim,
  async make(clients, queue, number) {
    const { model, sent } = clients;
    const claim = clients.claim(number);
    const job = claim && model.job(claim.jobId);
    if (!claim || !job) return;
    const token = clients.newId();
    const answer = await queue.exchange(claim, job.stage, token);
    assert.equal(answer.answer, model.settle(claim, done, token));
    sent.push({ claim, end: done });
    const isKept = job.token === token && job.status === "processing";
    assert.equal(answer.isKept, isKept, "kept for the next stage");
    if (isKept) clients.remember({ ...claim, token });
    assert.equal(answer.isLost, !model.isAlive(claim.workerId), "told that it is lost");
    const count = take(clients, claim.workerId, allStages, 1, answer.claims);
    assert.equal(answer.claims.length, count, "claimed no more than there is");
  },
};

const signalling: MoveKind<number> = {
  name: "signal",
  isPossible: hasJob,
  async make(clients, queue, number) {
    const id = clients.jobId(number) ?? "";
    const value = clients.newId();
    assert.equal(await queue.signal(id, value), clients.model.signal(id, value));
  },
};

const endingWaits: MoveKind<null> = {
  name: "end due waits",
  async make({ model }, queue) {
    assert.equal(await queue.endDueWaits(), model.endDueWaits());
  },
};

const cancelling: MoveKind<number> = {
  name: "cancel",
  isPossible: hasJob,
  async make(clients, queue, number) {
    const id = clients.jobId(number) ?? "";
    assert.equal(await queue.cancel(id), clients.model.cancel(id));
  },
};

const retrying: MoveKind<{ pick: number; from: number | null }> = {
  name: "retry",
  isPossible: hasJob,
  async make(clients, queue, { pick, from }) {
    const id = clients.jobId(pick) ?? "";
    assert.equal(await queue.retry(id, from), clients.model.retry(id, from));
  },
};

const forking: MoveKind<{ pick: number; from: number | null }> = {
  name: "fork",
  isPossible: hasJob,
  async make(clients, queue, { pick, from }) {
    const id = clients.jobId(pick) ?? "";
    const newId = clients.newId();
    assert.equal(await queue.fork(id, from, newId), clients.model.fork(id, from, newId));
  },
};

const pausing: MoveKind<{ stage: number; isPaused: boolean }> = {
  name: "pause",
  async make({ model }, queue, { stage, isPaused }) {
    assert.equal(await queue.setPaused(stage, isPaused), model.setPaused(stage, isPaused));
  },
};

const sweeping: MoveKind<null> = {
  name: "sweep",
  async make({ model }, queue) {
    model.sweep();
    await queue.sweep();
  },
};

const pruning: MoveKind<number> = {
  name: "prune",
  async make({ model }, queue, keepMs) {
    await queue.prune(keepMs);
    const left = new Set((await queue.state()).jobs.map(({ id }) => id));
    // Whole days at a time: what is past its time may stay for one more.
    for (const job of model.jobs.filter(isFinished)) {
      const ageMs = model.nowMs - (job.finishedAtMs ?? 0);
      if (!left.has(job.id) && ageMs > keepMs) model.forget(job.id);
      else assert.ok(ageMs <= keepMs + dayMs, `job ${job.id} is long past its retention`);
    }
    model.forgetBatches(keepMs);
  },
};

const ticking: MoveKind<number> = {
  name: "tick",
  async make({ model }, queue, ms) {
    model.nowMs += ms;
    queue.nowMs = model.nowMs;
  },
};

/** One process stands still past its lease, and the others do not. */
const freezing: MoveKind<number> = {
  name: "freeze",
  async make(clients, queue, frozen) {
    const { model, workerIds } = clients;
    for (let step = 0; step < 2; step += 1) {
      model.nowMs += freezeMs / 2;
      queue.nowMs = model.nowMs;
      for (const [number, workerId] of workerIds.entries()) {
        if (number !== frozen) assert.deepEqual(await queue.heartbeat(workerId), model.heartbeat(workerId));
      }
    }
    model.sweep();
    await queue.sweep();
  },
};

const crashing: MoveKind<number> = {
  name: "crash",
  async make(clients, queue, number) {
    clients.forget(number);
    await enter(clients, queue, number);
  },
};

const restarting: MoveKind<number> = {
  name: "restart",
  async make(clients, queue, number) {
    clients.model.deregister(workerOf(clients, number));
    await queue.deregister(workerOf(clients, number));
    clients.forget(number);
    await enter(clients, queue, number);
  },
};

const beginning: MoveKind<{ pick: number; key: string }> = {
  name: "begin effect",
  isPossible: hasClaim,
  async make(clients, queue, { pick, key }) {
    const claim = clients.claim(pick);
    if (!claim) return;
    const effect = clients.model.job(claim.jobId)?.effects.get(key);
    const isResent = effect?.token === claim.token && !effect.isDone;
    assert.equal(await queue.beginEffect(claim, key, isResent), clients.model.beginEffect(claim, key));
  },
};

const finishing: MoveKind<{ pick: number; key: string }> = {
  name: "finish effect",
  isPossible: hasClaim,
  async make(clients, queue, { pick, key }) {
    const claim = clients.claim(pick);
    if (claim) assert.equal(await queue.finishEffect(claim, key), clients.model.finishEffect(claim, key));
  },
};

const replicating: MoveKind<null> = {
  name: "replicate",
  async make({ model }, queue) {
    model.replicate();
    await queue.replicate();
  },
};

const failingOver: MoveKind<null> = {
  name: "fail over",
  async make({ model }, queue) {
    model.failOver();
    await queue.failOver();
  },
};

const jobFields = {
  priority: fc.constantFrom(10, 10, 5),
  dedupKey: fc.constantFrom(null, null, "a", "b"),
  owner: fc.constantFrom(null, null, "ada"),
  inMs: fc.constantFrom(0, 0, 0, 20_000),
  pipeline: fc.constantFrom(...modelPipelines, "orders" as const),
};
const newJob = fc.record(jobFields);
const claimArgs = fc.record({
  process,
  stages: fc.constantFrom<number[][]>(
    [0, 1, 2],
    [0],
    [1, 2],
    [2, 1, 0],
    [5, 4, 3],
    [3, 0],
    [9, 8],
    [8, 7, 6],
  ),
  batchSize: fc.integer({ min: 1, max: 3 }),
});
const tickMs = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(5_000, 10_000, 20_000) },
  { weight: 2, arbitrary: fc.constantFrom(30_000, 35_000, 65_000) },
  { weight: 1, arbitrary: fc.constantFrom(3_600_000, 2 * dayMs) },
);
const settle = fc.record({ pick, end: fc.constantFrom(...ends) });
const effect = fc.record({ pick, key: fc.constantFrom("mail", "text") });

const of = <A>(kind: MoveKind<A>, args: fc.Arbitrary<A>) =>
  args.map((given) => new Move(kind, given) as Move<unknown>);
const nothing = fc.constant(null);

const many = fc.record({
  picks: fc.array(pick, { minLength: 2, maxLength: 3 }),
  ends: fc.array(fc.constantFrom(...ends), { minLength: 3, maxLength: 3 }),
});

const weighted: [weight: number, move: fc.Arbitrary<Move<unknown>>][] = [
  [3, of(adding, fc.record({ ...jobFields, hasId: fc.boolean() }))],
  [1, of(addingMany, fc.array(newJob, { minLength: 2, maxLength: 3 }))],
  [1, of(addingAgain, pick)],
  [8, of(claiming, claimArgs)],
  [4, of(working, process)],
  [1, of(beating, process)],
  [1, of(reporting, fc.record({ pick, percent: fc.integer({ min: 0, max: 100 }) }))],
  [7, of(settling, settle)],
  [2, of(settlingMany, many)],
  [4, of(branching, pick)],
  [3, of(exchanging, pick)],
  [1, of(sendingAgain, pick)],
  [4, of(signalling, pick)],
  [2, of(endingWaits, nothing)],
  [3, of(cancelling, pick)],
  [2, of(retrying, fc.record({ pick, from: fc.option(stage) }))],
  [1, of(forking, fc.record({ pick, from: fc.option(stage) }))],
  [1, of(pausing, fc.record({ stage, isPaused: fc.boolean() }))],
  [2, of(sweeping, nothing)],
  [1, of(pruning, fc.constantFrom(3_600_000, dayMs))],
  [3, of(ticking, tickMs)],
  [3, of(freezing, process)],
  [1, of(crashing, process)],
  [1, of(restarting, process)],
  [1, of(beginning, effect)],
  [1, of(finishing, effect)],
  [1, of(replicating, nothing)],
  [1, of(failingOver, nothing)],
];

/** Every move that a client, a worker, a person or time can make. */
export const moves = [fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary })))];
