import {
  type Claim,
  cancelGraceMs,
  type End,
  isFinished,
  isLastStage,
  leaseMs,
  modelStages,
  pipelineOf,
  type Settled,
  type ShownJob,
  type ShownWorker,
  type Status,
  waitStage,
} from "./model-job.ts";

export interface ModelJob extends ShownJob {
  readonly dedupKey: string | null;
  readonly owner: string | null;
  /** The turn in which it became pending; of one turn, any may come first. */
  position: number;
  claimedAtMs: number | null;
  /** What it was told for its wait, and whether that has taken it. */
  signal: { readonly value: string; isTaken: boolean } | null;
  readonly effects: Map<string, { isDone: boolean; token: string }>;
}

export interface NewJob {
  readonly id: string | null;
  readonly priority: number;
  readonly dedupKey: string | null;
  readonly owner: string | null;
  readonly inMs: number;
  /** Whether it is of the pipeline with a wait. */
  readonly waits: boolean;
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
}

/** For so long a lost worker that holds nothing stays on the list. */
const lostWorkerMs = 15 * 60_000;

/** What Lockstep promises, in memory, one move at a time: docs/lifecycle.md as a program. */
export class QueueModel {
  nowMs = 0;
  turn = 0;
  #state: ModelState = { jobs: new Map(), workers: new Map(), paused: new Set() };
  #replica: ModelState | null = null;

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
  shown(): { jobs: ShownJob[]; workers: ShownWorker[] } {
    return {
      jobs: this.jobs
        .map(({ dedupKey, owner, position, claimedAtMs, signal, effects, ...job }) => job)
        .sort(byId),
      workers: this.workers.map(({ id, leaseUntilMs, isLost }) => ({ id, leaseUntilMs, isLost })).sort(byId),
    };
  }

  // Adding

  /** The job that an add would find in its way: under its id, or with its dedup key. */
  inTheWayOf({ id, dedupKey, owner, waits }: NewJob): ModelJob | undefined {
    const known = id === null ? undefined : this.job(id);
    if (known && !isFinished(known)) return known;
    return this.#twinOf({ dedupKey, owner, stage: firstStage(waits) }) ?? known;
  }

  add({ priority, dedupKey, owner, inMs, waits }: NewJob, id: string): void {
    this.#state.jobs.set(id, {
      id,
      status: inMs > 0 ? "scheduled" : "pending",
      stage: firstStage(waits),
      priority,
      dedupKey,
      owner,
      attempt: 0,
      losses: 0,
      isSuspect: false,
      token: null,
      workerId: null,
      claimedAtMs: null,
      dueAtMs: inMs > 0 ? this.nowMs + inMs : null,
      cancelAskedAtMs: null,
      progress: null,
      outputs: {},
      result: null,
      history: [],
      finishedAtMs: null,
      lastOutcome: null,
      position: this.turn,
      signal: null,
      effects: new Map(),
    });
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

  settle({ jobId, token }: Claim, end: End, keepAs: string | null = null): Settled {
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
    for (const job of this.jobs.filter(({ status }) => status === "processing")) {
      const askedAtMs = job.cancelAskedAtMs ?? this.nowMs;
      if (askedAtMs < this.nowMs - cancelGraceMs) this.#finish(job, "cancelled", "forced");
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
      this.#finish(job, "cancelled", null);
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
    if (stage > job.stage || pipelineOf(stage) !== pipelineOf(job.stage)) return "LS003";
    if (this.#twinOf(job)) return "conflict";
    if (job.token !== null) this.#endAttempt(job, job.lastOutcome ?? job.status);
    job.history.push({ stage, attempt: null, outcome: "retried", token: null });
    for (const passed of Object.keys(job.outputs).map(Number))
      if (passed >= stage) delete job.outputs[passed];
    Object.assign(job, { stage, attempt: 0, losses: 0, progress: null, cancelAskedAtMs: null });
    Object.assign(job, { finishedAtMs: null, lastOutcome: null });
    if (stage <= waitStage && job.signal?.isTaken) job.signal = null;
    if (stage === waitStage) this.#beginWait(job);
    else this.#wait(job, "pending");
    return "applied";
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
    if (job.stage > waitStage) return "timed_out";
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
    Object.assign(job, { stage: job.stage + 1, attempt: 0, losses: 0, isSuspect: false, progress: null });
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
    return status === "pending" || (isWaiting && (dueAtMs ?? 0) <= this.nowMs);
  }
}

const firstStage = (waits: boolean) => (waits ? waitStage - 1 : 0);

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);

const byOrder = (a: { order: readonly number[] }, b: { order: readonly number[] }) =>
  a.order.map((part, index) => part - (b.order[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
