import { type ModelBatch, outputOf } from "./model-batch.ts";
import {
  type Claim,
  cancelGraceMs,
  type End,
  firstStage,
  isFinished,
  isLastStage,
  leaseMs,
  type ModelPipeline,
  modelBranches,
  modelStages,
  pipelineOf,
  type Settled,
  type Shown,
  type ShownJob,
  type ShownWorker,
  type Status,
  waitStage,
} from "./model-job.ts";
import { type Continued, goOn, type ModelStream, newStream, type Written, write } from "./model-stream.ts";

export interface ModelJob extends ShownJob {
  readonly dedupKey: string | null;
  readonly owner: string | null;
  /** The turn in which it became pending; of one turn, any may come first. */
  position: number;
  claimedAtMs: number | null;
  /** What it was told for its wait, and whether that has taken it. */
  signal: { readonly value: string; isTaken: boolean } | null;
  /** The token of the batch that it is a branch of, and of that which it waits for. */
  readonly batch: string | null;
  waitsFor: string | null;
  readonly effects: Map<string, { isDone: boolean; token: string }>;
  stream: ModelStream | null;
}

export interface NewJob {
  readonly id: string | null;
  readonly priority: number;
  readonly dedupKey: string | null;
  readonly owner: string | null;
  readonly inMs: number;
  readonly pipeline: ModelPipeline;
}

/** Jobs that a claim may get, and how many of them it does; those of the same order in any order. */
export interface Line {
  readonly room: number;
  readonly jobs: readonly { readonly id: string; readonly order: readonly number[] }[];
}

interface ModelState {
  readonly jobs: Map<string, ModelJob>;
  readonly workers: Map<string, ShownWorker & { lostAtMs: number }>;
  readonly paused: Set<number>;
  /** By the token of the claim that branched. */
  readonly batches: Map<string, ModelBatch>;
}

/** For so long a lost worker that holds nothing stays on the list. */
const lostWorkerMs = 15 * 60_000;

/** What Lockstep promises, in memory, one move at a time: docs/lifecycle.md as a program. */
export class QueueModel {
  nowMs = 0;
  turn = 0;
  #state: ModelState = { jobs: new Map(), workers: new Map(), paused: new Set(), batches: new Map() };
  #replica: ModelState | null = null;
  /** Jobs that have ended in this move, and are still to be counted in their batches. */
  #ended: ModelJob[] = [];
  #hasWait = true;

  get jobs(): ModelJob[] {
    return [...this.#state.jobs.values()];
  }

  get workers(): ShownWorker[] {
    return [...this.#state.workers.values()];
  }

  job(id: string): ModelJob | undefined {
    return this.#state.jobs.get(id);
  }

  /** As the database shows them. */
  shown(): Shown {
    return {
      jobs: this.jobs
        .map(
          ({ dedupKey, owner, position, claimedAtMs, signal, batch, waitsFor, effects, stream, ...job }) =>
            job,
        )
        .sort(byId),
      workers: this.workers.map(({ id, leaseUntilMs, isLost }) => ({ id, leaseUntilMs, isLost })).sort(byId),
      streams: this.jobs
        .flatMap(({ id, stream }) =>
          stream === null ? [] : [{ id, lastEntry: stream.lastEntry, texts: [...stream.texts] }],
        )
        .sort(byId),
    };
  }

  // Adding

  /** The job that an add would find in its way: under its id, or with its dedup key. */
  inTheWayOf({ id, dedupKey, owner, pipeline }: NewJob): ModelJob | undefined {
    const known = id === null ? undefined : this.job(id);
    if (known && !isFinished(known)) return known;
    return this.#twinOf({ dedupKey, owner, stage: firstStage(pipeline) }) ?? known;
  }

  add({ priority, dedupKey, owner, inMs, pipeline }: NewJob, id: string): void {
    const job = this.#place({ id, stage: firstStage(pipeline), priority, dedupKey, owner, batch: null });
    if (inMs > 0) this.#wait(job, "scheduled", inMs);
  }

  #place(given: Pick<ModelJob, "id" | "stage" | "priority" | "dedupKey" | "owner" | "batch">): ModelJob {
    const job: ModelJob = {
      ...given,
      status: "pending",
      attempt: 0,
      losses: 0,
      isSuspect: false,
      token: null,
      workerId: null,
      claimedAtMs: null,
      dueAtMs: null,
      cancelAskedAtMs: null,
      progress: null,
      outputs: {},
      result: null,
      history: [],
      finishedAtMs: null,
      lastOutcome: null,
      position: this.turn,
      signal: null,
      waitsFor: null,
      effects: new Map(),
      stream: null,
    };
    this.#state.jobs.set(job.id, job);
    return job;
  }

  // Holding

  register(workerId: string): void {
    this.#state.workers.set(workerId, {
      id: workerId,
      leaseUntilMs: this.nowMs + leaseMs,
      isLost: false,
      lostAtMs: 0,
    });
  }

  deregister(workerId: string): void {
    if (this.#heldBy(workerId).length === 0) this.#state.workers.delete(workerId);
    else this.#lose(workerId);
  }

  /** A worker that was swept is never revived; one that is only late is. */
  heartbeat(workerId: string): { isAlive: boolean; cancel: string[] } {
    const worker = this.#state.workers.get(workerId);
    const isAlive = worker !== undefined && !worker.isLost;
    if (isAlive) worker.leaseUntilMs = this.nowMs + leaseMs;
    const cancel = this.#heldBy(workerId).filter(({ cancelAskedAtMs }) => cancelAskedAtMs !== null);
    return { isAlive, cancel: cancel.map(({ id }) => id).sort() };
  }

  isAlive(workerId: string): boolean {
    const worker = this.#state.workers.get(workerId);
    return worker !== undefined && !worker.isLost && worker.leaseUntilMs > this.nowMs;
  }

  /**
   * One look of a claim: makes pending what is due in these stages, and says what it may get of each. It takes none: of
   * equals any may come first.
   */
  look(workerId: string, stages: readonly number[], room: number): Line[] {
    if (!this.isAlive(workerId)) return [];
    const held = this.#heldBy(workerId);
    if (held.some(({ isSuspect }) => isSuspect)) return [];
    const suspects = this.jobs.filter(
      ({ isSuspect, status, stage }) => isSuspect && status === "pending" && this.#isOpen(stage, stages),
    );
    if (suspects.length > 0) {
      const inLine = suspects.map(({ id, position }) => ({ id, order: [position] }));
      if (held.length === 0) return [{ room: 1, jobs: inLine.sort(byOrder) }];
      // One of the fleet runs dry for it.
      const [first] = this.workers.filter(({ id }) => this.isAlive(id)).sort(byId);
      if (first?.id === workerId) return [];
    }
    const ready = this.jobs.filter(
      (job) => stages.includes(job.stage) && job.stage !== waitStage && this.#isReady(job),
    );
    const lines = stages
      .filter((stage) => this.#isOpen(stage, stages))
      .map((stage) => ({
        room,
        jobs: ready
          .filter((job) => job.stage === stage && !job.isSuspect)
          .map((job) => ({ id: job.id, order: this.#orderOf(job) }))
          .sort(byOrder),
      }));
    for (const job of ready) if (job.status !== "pending") this.#wait(job, "pending");
    return lines;
  }

  take(job: ModelJob, workerId: string, token: string): void {
    Object.assign(job, { status: "processing", workerId, token, dueAtMs: null, claimedAtMs: this.nowMs });
    job.attempt += 1;
  }

  progress({ jobId, token }: Claim, percent: number): Settled {
    const job = this.#heldUnder(jobId, token);
    if (job) job.progress = percent;
    return job ? "applied" : "lease_lost";
  }

  // Ending

  settle(claim: Claim, end: End, keepAs: string | null = null): Settled {
    const answer = this.#settle(claim, end, keepAs);
    this.#countEnded();
    return answer;
  }

  /** Many in one call: what their ends mean for the batches that they are part of is seen when all have ended. */
  settleAll(settled: readonly { claim: Claim; end: End }[]): Settled[] {
    const answers = settled.map(({ claim, end }) => this.#settle(claim, end, null));
    this.#countEnded();
    return answers;
  }

  #settle({ jobId, token }: Claim, end: End, keepAs: string | null): Settled {
    const job = this.#heldUnder(jobId, token);
    if (!job) return this.#wasSettled(jobId, token) ? "already_applied" : "lease_lost";
    const stage = modelStages[job.stage];
    const isDone = end.outcome === "done";
    if (isDone && isLastStage(job.stage)) {
      job.result = token;
      this.#finish(job, "completed", null);
    } else if (job.cancelAskedAtMs !== null) {
      // A stage that was done has its output all the same; a late failure does not revive.
      if (isDone) job.outputs[job.stage] = token;
      this.#finish(job, "cancelled", null);
    } else if (
      end.outcome === "give_up" ||
      (end.outcome === "retry" && job.attempt >= (stage?.maxAttempts ?? 0))
    ) {
      this.#finish(job, "failed", null);
    } else {
      const { workerId, attempt } = job;
      const delayMs = end.delayMs ?? (stage?.retryBaseMs ?? 0) * 2 ** (attempt - 1);
      this.#endAttempt(
        job,
        { done: "done", retry: "failed", snooze: "snoozed", release: "released" }[end.outcome],
      );
      if (isDone) this.#advance(job, token, keepAs, workerId);
      else if (end.outcome === "retry") this.#wait(job, "retrying", delayMs);
      else {
        job.attempt -= 1;
        this.#wait(job, end.outcome === "snooze" ? "scheduled" : "pending", delayMs);
      }
    }
    return "applied";
  }

  /** Kept by its worker only while nothing more urgent waits in the next stage. */
  isKept(job: ModelJob): boolean {
    const next = job.stage + 1;
    const ahead = this.jobs.filter(
      ({ stage, status, isSuspect, priority }) =>
        stage === next && status === "pending" && !isSuspect && priority < job.priority,
    );
    const isNext = !isLastStage(job.stage) && next !== waitStage;
    return isNext && !this.#state.paused.has(next) && ahead.length === 0;
  }

  // Losing

  sweep(): void {
    for (const { id, isLost, leaseUntilMs } of this.workers) {
      if (!isLost && leaseUntilMs < this.nowMs) this.#lose(id);
    }
    for (const job of this.jobs.filter(({ status }) => status === "processing")) {
      const worker = this.#state.workers.get(job.workerId ?? "");
      if (worker === undefined || worker.isLost) this.#lost(job);
    }
    this.#countEnded();
    for (const job of this.jobs.filter(({ status }) => status === "processing")) {
      const askedAtMs = job.cancelAskedAtMs ?? this.nowMs;
      if (askedAtMs < this.nowMs - cancelGraceMs) this.#finish(job, "cancelled", "forced");
      this.#countEnded();
    }
    for (const { id, isLost, lostAtMs } of [...this.#state.workers.values()]) {
      if (isLost && lostAtMs < this.nowMs - lostWorkerMs && this.#heldBy(id).length === 0)
        this.#state.workers.delete(id);
    }
  }

  // Steering

  cancel(id: string): string {
    const job = this.job(id);
    if (!job) return "not_found";
    if (isFinished(job)) return "already_finished";
    if (job.status !== "processing") {
      const batch = this.#state.batches.get(job.waitsFor ?? "");
      if (!batch || !this.#endParent(batch, "cancelled")) this.#finish(job, "cancelled", null);
      this.#countEnded();
      return "cancelled";
    }
    job.cancelAskedAtMs ??= this.nowMs;
    return "cancel_requested";
  }

  retry(id: string, fromStage: number | null): string {
    const job = this.job(id);
    if (!job) return "not_found";
    if (!isFinished(job) || job.status === "completed") return "not_finished";
    const stage = fromStage ?? job.stage;
    if (!this.#leadsTo(stage, job.stage) && stage !== job.stage) return "LS003";
    if (this.#twinOf(job)) return "conflict";
    const resumed = stage === job.stage ? this.#batchToResume(job) : undefined;
    const batch = resumed ?? this.#batchBefore(id, stage);
    if (job.token !== null) this.#endAttempt(job, job.lastOutcome ?? job.status);
    job.history.push({ stage, attempt: null, outcome: "retried", token: null });
    if (!this.#isKeptFrom(waitStage, stage, job) && job.signal?.isTaken) job.signal = null;
    job.outputs = this.#outputsBefore(job, stage);
    // A branch may have run again since.
    const output = batch && !resumed ? outputOf(batch, (child) => this.job(child)) : null;
    if (batch && output) job.outputs[batch.stage] = output;
    Object.assign(job, { stage, attempt: 0, losses: 0, progress: null, cancelAskedAtMs: null });
    Object.assign(job, { finishedAtMs: null, lastOutcome: null, waitsFor: batch?.token ?? null });
    const ofBatch = this.#state.batches.get(job.batch ?? "");
    if (ofBatch) ofBatch.finishedAtMs = null;
    if (stage === waitStage) this.#beginWait(job);
    else this.#wait(job, "pending");
    if (resumed || batch?.finishedAtMs === null) this.#waitForBatch(job, batch);
    if (resumed) this.#resumeBranches(resumed);
    return "applied";
  }

  /** Once more as a new job; others have read what the old one returned. */
  fork(id: string, fromStage: number | null, newId: string): string {
    const job = this.job(id);
    if (!job) return "not_found";
    if (!isFinished(job)) return "not_finished";
    const stage = fromStage ?? firstStage(pipelineOf(job.stage));
    if (this.#isDropped(stage) || !this.#leadsTo(stage, job.stage)) return "LS003";
    const { priority, owner } = job;
    const forked = this.#place({ id: newId, stage, priority, owner, dedupKey: null, batch: null });
    forked.outputs = this.#outputsBefore(job, stage);
    if (stage === waitStage) this.#beginWait(forked);
    return "forked";
  }

  setPaused(stage: number, isPaused: boolean): boolean {
    if (this.#state.paused.has(stage) === isPaused) return false;
    if (isPaused) this.#state.paused.add(stage);
    else this.#state.paused.delete(stage);
    if (stage === waitStage) this.endDueWaits();
    return true;
  }

  // Waiting for a signal: see docs/waits.md

  signal(id: string, value: string): string {
    const job = this.job(id);
    if (!job) return "not_found";
    if (pipelineOf(job.stage) !== pipelineOf(waitStage)) return "no_such_wait";
    if (job.signal !== null) return "already_signalled";
    if (isFinished(job)) return "already_finished";
    const isAhead = job.stage < waitStage && this.#hasWait;
    if (job.stage !== waitStage && !isAhead) return this.#hasWait ? "timed_out" : "no_such_wait";
    job.signal = { value, isTaken: false };
    if (job.stage !== waitStage) return "kept";
    if (this.#state.paused.has(waitStage)) {
      job.dueAtMs = Math.min(job.dueAtMs ?? this.nowMs, this.nowMs);
      return "kept";
    }
    this.#takeSignal(job);
    return "signalled";
  }

  /** How many it has ended. */
  endDueWaits(): number {
    if (this.#state.paused.has(waitStage)) return 0;
    const due = this.jobs.filter(
      (job) => job.stage === waitStage && !isFinished(job) && (job.dueAtMs ?? Infinity) <= this.nowMs,
    );
    for (const job of due) {
      if (job.signal !== null) this.#takeSignal(job);
      else {
        job.history.push({ stage: job.stage, attempt: null, outcome: "timed_out", token: null });
        this.#finish(job, "failed", null);
      }
    }
    return due.length;
  }

  /** Another definition drops the wait, or has it again. Jobs that are in it stay there. */
  define({ hasWait }: { hasWait: boolean }): void {
    this.#hasWait = hasWait;
  }

  // Branches: see docs/branches.md

  /** Ends a claim with branches, which are jobs of their own. */
  branch(claim: Claim, childIds: readonly string[]): Settled {
    const { token, jobId } = claim;
    const job = this.#heldUnder(jobId, token);
    if (!job || job.cancelAskedAtMs !== null) return this.settle(claim, { outcome: "release" });
    const { stage, priority, owner } = job;
    const batch = { parentId: jobId, stage, token, addedAtMs: this.nowMs, childIds, finishedAtMs: null };
    this.#state.batches.set(token, batch);
    for (const [index, { pipeline }] of modelBranches.entries()) {
      const id = childIds[index] ?? "";
      this.#place({ id, stage: firstStage(pipeline), priority, owner, dedupKey: null, batch: token });
    }
    this.#endAttempt(job, "branched");
    this.#waitForBatch(job, batch);
    return "applied";
  }

  /** Retention of batches whose last job ended so long ago. */
  forgetBatches(keepMs: number): void {
    for (const { token, finishedAtMs } of [...this.#state.batches.values()]) {
      if (finishedAtMs !== null && finishedAtMs < this.nowMs - keepMs) this.#state.batches.delete(token);
    }
  }

  #waitForBatch(job: ModelJob, batch: ModelBatch | undefined): void {
    this.#wait(job, "scheduled");
    job.dueAtMs = null;
    job.waitsFor = batch?.token ?? null;
  }

  /** Whoever waits for these branches now. */
  #parentOf({ token, parentId }: ModelBatch): ModelJob | undefined {
    const parent = this.job(parentId);
    const isWaiting = parent?.status === "scheduled" && parent.dueAtMs === null && parent.waitsFor === token;
    return isWaiting ? parent : undefined;
  }

  #childrenOf({ childIds }: ModelBatch): ModelJob[] {
    return childIds.flatMap((id) => this.job(id) ?? []);
  }

  /** Ends the job that waits for these branches, in the stage that branched, and cancels those that are left. */
  #endParent(batch: ModelBatch, status: "failed" | "cancelled"): boolean {
    const parent = this.#parentOf(batch);
    if (!parent) return false;
    parent.stage = batch.stage;
    this.#finish(parent, status, null);
    for (const child of this.#childrenOf(batch).filter((one) => !isFinished(one))) {
      if (child.cancelAskedAtMs !== null) continue;
      if (child.status === "processing") child.cancelAskedAtMs = this.nowMs;
      else this.#finish(child, "cancelled", null);
    }
    return true;
  }

  /** What the ends of this move mean for those who wait for them. */
  #countEnded(): void {
    while (this.#ended.length > 0) {
      const ended = this.#ended;
      this.#ended = [];
      for (const token of new Set(ended.flatMap(({ batch }) => batch ?? []))) {
        const batch = this.#state.batches.get(token);
        if (batch && batch.finishedAtMs === null) this.#count(batch, ended);
      }
    }
  }

  #count(batch: ModelBatch, ended: readonly ModelJob[]): void {
    const hasFailed = modelBranches.some(({ onFailure }, index) => {
      const child = ended.find(({ id }) => id === batch.childIds[index]);
      return onFailure === "fail" && child !== undefined && child.status !== "completed";
    });
    if (hasFailed) this.#endParent(batch, "failed");
    if (!this.#childrenOf(batch).every(isFinished)) return;
    batch.finishedAtMs = this.nowMs;
    this.#takeResults(batch);
  }

  #takeResults(batch: ModelBatch): void {
    const parent = this.#parentOf(batch);
    if (!parent) return;
    const output = outputOf(batch, (id) => this.job(id));
    if (output === null) this.#endParent(batch, "failed");
    else if (parent.stage === batch.stage && isLastStage(batch.stage)) {
      parent.result = output;
      this.#finish(parent, "completed", null);
    } else {
      parent.outputs[batch.stage] = output;
      const stage = parent.stage === batch.stage ? batch.stage + 1 : parent.stage;
      Object.assign(parent, { stage, attempt: 0, losses: 0, isSuspect: false, progress: null });
      this.#wait(parent, "pending");
    }
  }

  /** The branches that a job waited for when it ended, if it has done nothing since and all of them are still kept. */
  #batchToResume({ stage, token, history, id }: ModelJob): ModelBatch | undefined {
    const last = history.findLast(({ outcome }) => outcome !== "retried");
    const batch = this.#state.batches.get(last?.token ?? "");
    if (!batch || token !== null || batch.stage !== stage || batch.parentId !== id) return undefined;
    return this.#childrenOf(batch).length === batch.childIds.length ? batch : undefined;
  }

  /** The last one that this job has waited for before it came to this stage. */
  #batchBefore(id: string, before: number): ModelBatch | undefined {
    return [...this.#state.batches.values()]
      .filter(({ parentId, stage }) => parentId === id && stage < before)
      .sort((a, b) => b.addedAtMs - a.addedAtMs)[0];
  }

  /** Those that did not complete run again under their own ids; those that were only asked to stop go on. */
  #resumeBranches(batch: ModelBatch): void {
    for (const child of this.#childrenOf(batch)) {
      if (!isFinished(child)) child.cancelAskedAtMs = null;
      else if (child.status !== "completed") this.retry(child.id, null);
    }
    if (this.#childrenOf(batch).every(({ status }) => status === "completed")) this.#takeResults(batch);
  }

  forget(id: string): void {
    this.#state.jobs.delete(id);
  }

  // Effects: fenced by the start, see docs/effects.md

  beginEffect({ jobId, token }: Claim, key: string): "run" | "done" | "lease_lost" {
    const job = this.#heldUnder(jobId, token);
    if (!job) return "lease_lost";
    if (job.effects.get(key)?.isDone) return "done";
    job.effects.set(key, { isDone: false, token });
    return "run";
  }

  finishEffect({ jobId, token }: Claim, key: string): Settled | "LS003" {
    const effect = this.job(jobId)?.effects.get(key);
    const isOwn = effect?.token === token;
    const wasDone = effect?.isDone ?? false;
    // It did happen, whoever holds the job now.
    if (isOwn) effect.isDone = true;
    if (!this.#heldUnder(jobId, token)) return "lease_lost";
    if (!isOwn) return "LS003";
    return wasDone ? "already_applied" : "applied";
  }

  // Streams: cut back, not replayed, see docs/streams.md

  writeStream({ jobId, token }: Claim, after: number | null, texts: readonly string[]): Written {
    const job = this.#heldUnder(jobId, token);
    if (!job) return { answer: "lease_lost", lastEntry: null };
    const stream = job.stream ?? newStream(this.nowMs);
    const written = write(stream, { stage: job.stage, token }, after, texts);
    if (written.answer === "applied") job.stream = stream;
    return written;
  }

  continueStream({ jobId, token }: Claim): Continued {
    const job = this.#heldUnder(jobId, token);
    if (!job) return { answer: "lease_lost", lastEntry: null, texts: null };
    if (job.stream === null) return { answer: "applied", lastEntry: null, texts: [] };
    return goOn(job.stream, { stage: job.stage, token });
  }

  /** Retention goes by the day on which a stream began, whether its job is kept longer or not. */
  forgetStreams(beforeMs: number): void {
    for (const job of this.jobs) if (job.stream && job.stream.begunAtMs < beforeMs) job.stream = null;
  }

  // Failing over to a replica that has not heard everything

  replicate(): void {
    this.#replica = structuredClone(this.#state);
  }

  failOver(): void {
    if (this.#replica) this.#state = structuredClone(this.#replica);
  }

  #lost(job: ModelJob): void {
    const maxLosses = modelStages[job.stage]?.maxLosses ?? 0;
    job.losses = Math.min(job.losses + 1, maxLosses);
    if (job.cancelAskedAtMs !== null) this.#finish(job, "cancelled", "lost");
    else if (job.losses >= maxLosses) this.#finish(job, "failed", "lost");
    else {
      this.#endAttempt(job, "lost");
      job.attempt -= 1;
      // One more loss would end it: from here on it runs alone.
      job.isSuspect = job.losses + 1 >= maxLosses;
      this.#wait(job, "pending");
    }
  }

  #advance(job: ModelJob, token: string, keepAs: string | null, workerId: string | null): void {
    const isKept = keepAs !== null && this.isKept(job);
    job.outputs[job.stage] = token;
    const next = job.stage + 1;
    const stage = this.#isDropped(next) ? next + 1 : next;
    Object.assign(job, { stage, attempt: 0, losses: 0, isSuspect: false, progress: null });
    if (job.stage === waitStage) this.#beginWait(job);
    else this.#wait(job, "pending");
    if (isKept && workerId !== null) this.take(job, workerId, keepAs);
  }

  #beginWait(job: ModelJob): void {
    this.#wait(job, "scheduled", modelStages[waitStage]?.waitMs);
    if (job.signal === null) return;
    if (this.#state.paused.has(waitStage)) job.dueAtMs = this.nowMs;
    else this.#takeSignal(job);
  }

  #takeSignal(job: ModelJob): void {
    if (job.signal === null) return;
    job.signal.isTaken = true;
    job.history.push({ stage: job.stage, attempt: null, outcome: "signalled", token: null });
    job.outputs[job.stage] = job.signal.value;
    job.stage += 1;
    this.#wait(job, "pending");
  }

  #wait(job: ModelJob, status: "scheduled" | "pending" | "retrying", delayMs = 0): void {
    const dueAtMs = status === "pending" ? null : this.nowMs + delayMs;
    Object.assign(job, {
      status,
      dueAtMs,
      token: null,
      workerId: null,
      claimedAtMs: null,
      position: this.turn,
    });
  }

  #endAttempt(job: ModelJob, outcome: string): void {
    job.history.push({ stage: job.stage, attempt: job.attempt, outcome, token: job.token });
  }

  #finish(job: ModelJob, status: Status, lastOutcome: string | null): void {
    Object.assign(job, { status, lastOutcome, finishedAtMs: this.nowMs, isSuspect: false, dueAtMs: null });
    this.#ended.push(job);
  }

  #lose(workerId: string): void {
    const worker = this.#state.workers.get(workerId);
    if (worker && !worker.isLost) Object.assign(worker, { isLost: true, lostAtMs: this.nowMs });
  }

  #heldBy(workerId: string): ModelJob[] {
    return this.jobs.filter((job) => job.status === "processing" && job.workerId === workerId);
  }

  #heldUnder(jobId: string, token: string): ModelJob | undefined {
    const job = this.job(jobId);
    return job?.status === "processing" && job.token === token ? job : undefined;
  }

  /** Whether the holder of this token ended its attempt itself. */
  #wasSettled(jobId: string, token: string): boolean {
    const job = this.job(jobId);
    const isOwnWord = (outcome: string | null) => outcome !== "lost" && outcome !== "forced";
    if (!job) return false;
    if (isFinished(job) && job.token === token && isOwnWord(job.lastOutcome)) return true;
    return job.history.some((ended) => ended.token === token && isOwnWord(ended.outcome));
  }

  #twinOf({ dedupKey, owner, stage }: Pick<ModelJob, "dedupKey" | "owner" | "stage">): ModelJob | undefined {
    if (dedupKey === null) return undefined;
    return this.jobs.find(
      (job) =>
        !isFinished(job) &&
        job.dedupKey === dedupKey &&
        job.owner === owner &&
        pipelineOf(job.stage) === pipelineOf(stage),
    );
  }

  /** What became pending earlier comes before what only now does. */
  #orderOf({ status, priority, position, dueAtMs }: ModelJob): number[] {
    return status === "pending" ? [priority, position, 0] : [priority, this.turn, dueAtMs ?? 0];
  }

  #isOpen(stage: number, stages: readonly number[]): boolean {
    return stages.includes(stage) && stage !== waitStage && !this.#state.paused.has(stage);
  }

  #isReady({ status, dueAtMs }: ModelJob): boolean {
    const isWaiting = status === "scheduled" || status === "retrying";
    // Without a time it waits for its branches.
    return status === "pending" || (isWaiting && (dueAtMs ?? Infinity) <= this.nowMs);
  }

  #isDropped(stage: number): boolean {
    return stage === waitStage && !this.#hasWait;
  }

  /** Whether a job that ended in a stage has come through this one; of a stage that was dropped nobody knows where it was. */
  #leadsTo(stage: number, endedIn: number): boolean {
    if (pipelineOf(stage) !== pipelineOf(endedIn) || this.#isDropped(stage)) return false;
    return stage <= endedIn || this.#isDropped(endedIn);
  }

  /** Whether a job keeps what a stage gave it when it runs again from another one. */
  #isKeptFrom(passed: number, from: number, { stage }: ModelJob): boolean {
    if (passed === from) return false;
    return this.#isDropped(passed) || this.#isDropped(from) ? from === stage : passed < from;
  }

  #outputsBefore(job: ModelJob, from: number): Record<number, unknown> {
    const kept = Object.entries(job.outputs).filter(([passed]) =>
      this.#isKeptFrom(Number(passed), from, job),
    );
    return Object.fromEntries(kept);
  }
}

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);

const byOrder = (a: { order: readonly number[] }, b: { order: readonly number[] }) =>
  a.order.map((part, index) => part - (b.order[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
