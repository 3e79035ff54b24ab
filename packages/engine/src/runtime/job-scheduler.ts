import type { Clock } from "../clock.ts";
import type { EngineEvents } from "../events/engine-events.ts";
import { jobErrorOf } from "../jobs/job-error.ts";
import type { Claim, StageRequest } from "../store/claim.ts";
import { DatabaseUnavailableError } from "../store/database-error.ts";
import type { JobStore } from "../store/job-store.ts";
import type { Exchange } from "../store/settle-and-claim.ts";
import { IdleLadder } from "./idle-ladder.ts";
import type { JobCoordinator } from "./job-coordinator.ts";
import type { JobQueue } from "./job-queue.ts";
import { type EndedTry, type JobSettler, settlementOf } from "./job-settler.ts";
import type { ProcessorPool } from "./processor-pool.ts";
import { StagePace } from "./stage-pace.ts";
import { StagePlaces } from "./stage-places.ts";
import type { WorkStage } from "./work-stage.ts";

export interface JobSchedulerParts {
  readonly stages: readonly WorkStage[];
  readonly store: Pick<JobStore, "settleAndClaim" | "waitForJobs">;
  readonly queue: JobQueue;
  readonly pool: Pick<ProcessorPool, "idle" | "busy">;
  readonly settler: JobSettler;
  readonly coordinator: Pick<JobCoordinator, "notice">;
  readonly clock: Clock;
  readonly events: EngineEvents;
  readonly workerId: () => string;
  /** Whether the lease may be trusted: without it nothing is claimed. */
  readonly isTrusted: () => boolean;
  readonly onLost: () => void;
  /** The reply to a claim was lost. */
  readonly onDoubt: () => void;
  readonly pollIntervalMs: number;
  readonly claimBatchSize: number;
  readonly queueLimit: number;
  /** False: by the poll alone, as the classic timing has it. */
  readonly isWoken: boolean;
  readonly random: () => number;
}

interface StageState {
  readonly stage: WorkStage;
  readonly places: StagePlaces;
  readonly pace: StagePace;
}

const longestPauseMs = 5_000;
const busyBeforeAwakeMs = 1_000;
const comeBackLater = { kind: "snooze", forMs: 1_000 } as const;

/** Discovers and claims: one loop, one call at a time, which also carries the ends of tries along. */
export class JobScheduler {
  readonly #parts: JobSchedulerParts;
  readonly #states = new Map<number, StageState>();
  readonly #ladder: IdleLadder;
  /** The tokens of all claims whose end the database has not confirmed. */
  readonly #held = new Set<string>();
  #running: Promise<void> | null = null;
  #isClaiming = false;
  #stopByMs: number | null = null;
  #isRunningDry = false;
  #sleeping: AbortController | null = null;
  #isWoken = false;
  #isLookAsked = false;
  #nextLookMs = 0;
  #failures = 0;
  #announced: ReadonlySet<number> = new Set();
  #fullSinceMs: number | null = null;

  constructor(parts: JobSchedulerParts) {
    this.#parts = parts;
    this.#ladder = new IdleLadder(parts.pollIntervalMs, parts.isWoken);
    const nowMs = parts.clock.monotonicMs();
    for (const stage of parts.stages) {
      this.#states.set(stage.id, { stage, places: new StagePlaces(), pace: new StagePace(nowMs) });
    }
  }

  start(): void {
    this.#isClaiming = true;
    this.#stopByMs = null;
    this.#nextLookMs = this.#parts.clock.monotonicMs();
    this.#running ??= this.#run();
  }

  /** From here on only what has ended is settled. */
  stopClaiming(): void {
    this.#isClaiming = false;
  }

  /** Settles what is left, for at most `limitMs`. */
  async stop(limitMs: number): Promise<void> {
    this.#isClaiming = false;
    this.#stopByMs = this.#parts.clock.monotonicMs() + limitMs;
    this.wake();
    // A call that hangs must not hold up the end of the process.
    await Promise.race([this.#running, this.#parts.clock.sleep(limitMs)]);
    this.#running = null;
  }

  /** "Look now": a wake-up from the database, or from an add in this process. */
  lookNow(): void {
    if (!this.#parts.isWoken) return;
    this.#isLookAsked = true;
    this.wake();
  }

  /** Something has changed: settle it, and see what there is room for. */
  wake(): void {
    this.#isWoken = true;
    this.#sleeping?.abort();
  }

  /** A try of this stage has ended. */
  ended(stageId: number): void {
    this.#states.get(stageId)?.pace.ended();
    this.wake();
  }

  /** Under a new worker id nothing is announced yet. */
  workerChanged(): void {
    this.#announced = new Set();
    this.lookNow();
  }

  holds(claimToken: string): boolean {
    return this.#held.has(claimToken);
  }

  async #run(): Promise<void> {
    while (!this.#isOver()) {
      this.#isWoken = false;
      try {
        const sleepMs = await this.#round();
        if (sleepMs > 0) await this.#sleep(sleepMs);
        // Lets handlers and sockets have their turn between two rounds.
        else await new Promise((resolve) => setImmediate(resolve));
      } catch (error) {
        await this.#pauseAfter(error);
      }
    }
  }

  #isOver(): boolean {
    if (this.#stopByMs === null) return false;
    return this.#parts.settler.isEmpty || this.#parts.clock.monotonicMs() >= this.#stopByMs;
  }

  async #pauseAfter(error: unknown): Promise<void> {
    const { events, random } = this.#parts;
    this.#failures += 1;
    // The pool tells of a database that is away.
    if (!(error instanceof DatabaseUnavailableError)) {
      events.emit("engine.error", { error: error instanceof Error ? error : new Error(String(error)) });
    }
    this.#isWoken = false;
    await this.#sleep(
      Math.min(longestPauseMs, 100 * 2 ** Math.min(this.#failures, 10)) * (0.5 + random() / 2),
    );
  }

  /** One call at most; says how long there is nothing to do. */
  async #round(): Promise<number> {
    const { clock, settler, isWoken } = this.#parts;
    const nowMs = clock.monotonicMs();
    const tries = settler.take();
    const isLookTime = this.#isLookAsked || nowMs >= this.#nextLookMs;
    // A call that goes anyway may as well look; the classic timing looks at its own times only.
    const requests = isLookTime || (tries.length > 0 && isWoken) ? this.#requests(nowMs) : [];
    if (tries.length === 0 && requests.length === 0) {
      return isLookTime ? longestPauseMs : this.#nextLookMs - nowMs;
    }
    if (requests.length > 0) this.#isLookAsked = false;
    const exchange = await this.#exchange(tries, requests);
    this.#failures = 0;
    if (exchange === null) return 0;

    const kept = settler.confirm(tries, exchange.settled);
    for (const { claim } of tries) this.#held.delete(claim.token);
    this.#receive(kept, exchange);
    if (exchange.isLost) this.#parts.onLost();
    if (exchange.mustRunDry) this.#runDry();
    else if (requests.length > 0) await this.#planNextLook(requests, exchange, kept.length);
    return settler.isEmpty && !this.#isLookAsked ? Math.max(0, this.#nextLookMs - clock.monotonicMs()) : 0;
  }

  /** Null: the tries were settled one by one, since something in the batch could not be stored. */
  async #exchange(tries: readonly EndedTry[], requests: readonly StageRequest[]): Promise<Exchange | null> {
    const { store, settler, workerId, onDoubt } = this.#parts;
    const rooms = new Map(requests.map((request) => [request.stageId, request.room]));
    const settlements = tries.map((ended) => settlementOf(ended, this.#mayKeep(ended, rooms)));
    const left = requests.map((request) => ({ ...request, room: rooms.get(request.stageId) ?? 0 }));
    try {
      return await store.settleAndClaim(workerId(), settlements, left);
    } catch (error) {
      if (error instanceof DatabaseUnavailableError) {
        // It may have happened all the same: the ends are recognised when sent again, the claims are asked for.
        if (requests.length > 0) onDoubt();
        settler.putBack(tries);
        throw error;
      }
      if (tries.length === 0) throw error;
      await this.#settleOneByOne(tries);
      return null;
    }
  }

  /** Whose end cannot be stored, that try fails; the others are not touched. */
  async #settleOneByOne(tries: readonly EndedTry[]): Promise<void> {
    const { store, settler, workerId } = this.#parts;
    for (const [index, ended] of tries.entries()) {
      try {
        const { settled } = await store.settleAndClaim(workerId(), [settlementOf(ended, false)], []);
        settler.confirm([ended], settled);
        this.#held.delete(ended.claim.token);
      } catch (error) {
        settler.putBack(tries.slice(index + 1));
        if (error instanceof DatabaseUnavailableError) settler.putBack([ended]);
        else settler.putBackAsFailed(ended, { ...jobErrorOf(error), code: "invalid_output" });
        throw error;
      }
    }
  }

  /** A finished stage goes on here when the next one has room for it; that room is then taken. */
  #mayKeep(ended: EndedTry, rooms: Map<number, number>): boolean {
    const { nextId } = ended.stage;
    if (ended.outcome.kind !== "done" || nextId === null) return false;
    const room = rooms.get(nextId) ?? 0;
    if (room <= 0) return false;
    rooms.set(nextId, room - 1);
    return true;
  }

  #requests(nowMs: number): StageRequest[] {
    const { queue, pool, settler, isTrusted } = this.#parts;
    if (!this.#isClaiming || !isTrusted()) return [];
    if (this.#isRunningDry) {
      if (pool.busy > 0 || !queue.isEmpty || !settler.isEmpty) return [];
      this.#isRunningDry = false;
    }
    const requests: StageRequest[] = [];
    for (const { stage, places, pace } of this.#states.values()) {
      const room = this.#room(stage.id, pace.jobsAhead(nowMs));
      if (room > 0) requests.push(places.request(stage.id, room, nowMs));
    }
    return requests;
  }

  #room(stageId: number, jobsAhead: number): number {
    const { queue, pool, claimBatchSize, queueLimit, isWoken } = this.#parts;
    const waiting = queue.waiting(stageId);
    // The classic scan takes its batch whether or not a processor is idle.
    const wanted = isWoken ? pool.idle(stageId) + jobsAhead - waiting : claimBatchSize;
    return Math.min(claimBatchSize, queueLimit - waiting, wanted);
  }

  #receive(kept: readonly Claim[], exchange: Exchange): void {
    const { coordinator, clock } = this.#parts;
    const nowMs = clock.monotonicMs();
    for (const look of exchange.looks) this.#states.get(look.stageId)?.places.looked(look, nowMs);
    // A kept job has the position of its earlier stage, which says nothing of this one's line.
    for (const claim of exchange.claims) this.#states.get(claim.stageId)?.places.claimed(claim);
    const stageIds = new Set<number>();
    for (const claim of kept) this.#take(claim, stageIds);
    for (const claim of exchange.claims) this.#take(claim, stageIds);
    for (const stageId of stageIds) coordinator.notice(stageId);
  }

  #take(claim: Claim, stageIds: Set<number>): void {
    const { queue, settler, events } = this.#parts;
    const stage = this.#states.get(claim.stageId)?.stage;
    if (stage === undefined) return;
    this.#held.add(claim.token);
    if (events.hasListeners("job.claimed")) {
      const { jobId, attempt } = claim;
      events.emit("job.claimed", {
        jobId,
        attempt,
        pipeline: stage.pipeline.name,
        stage: stage.definition.name,
      });
    }
    const enqueued = this.#isClaiming ? queue.enqueue(claim) : "stopped";
    if (enqueued === "queued") stageIds.add(claim.stageId);
    // Given back at once it would come again at once, for as long as a handler of a lost claim does not stop.
    else if (enqueued === "already_processing") settler.settle(claim, stage, comeBackLater, 0, null);
    else settler.release(claim, stage);
  }

  /** Waiting jobs go back first: nobody else could run them while this worker runs out its others. */
  #runDry(): void {
    this.#isRunningDry = true;
    this.giveBackWaiting();
  }

  /** Gives back the claims that no processor has begun. */
  giveBackWaiting(): void {
    const { queue, settler } = this.#parts;
    for (const claim of queue.takeAll()) {
      const stage = this.#states.get(claim.stageId)?.stage;
      if (stage !== undefined) settler.release(claim, stage);
    }
    this.wake();
  }

  async #planNextLook(requests: readonly StageRequest[], exchange: Exchange, kept: number): Promise<void> {
    const { clock, random, isWoken } = this.#parts;
    const asked = requests.reduce((sum, request) => sum + request.room, 0);
    const found = exchange.claims.length;
    const nowMs = clock.monotonicMs();
    if (found > 0) this.#ladder.reset();
    if (isWoken && found > 0 && found + kept >= asked) {
      this.#nextLookMs = nowMs;
      await this.#stayAwake(nowMs);
      return;
    }
    this.#fullSinceMs = null;
    const stageIds = requests.map((request) => request.stageId);
    const isAnnounced = stageIds.every((stageId) => this.#announced.has(stageId));
    const waitMs = this.#ladder.next(isAnnounced, random());
    if (waitMs === "announce") {
      await this.#announce(stageIds);
      this.#nextLookMs = nowMs;
      return;
    }
    const dueMs = Math.min(...exchange.looks.map((look) => look.nextDueMs ?? Number.POSITIVE_INFINITY));
    this.#nextLookMs = nowMs + (isWoken ? Math.min(waitMs, dueMs) : waitMs);
  }

  async #announce(stageIds: readonly number[]): Promise<void> {
    await this.#parts.store.waitForJobs(this.#parts.workerId(), stageIds);
    this.#announced = new Set(stageIds);
  }

  /** A worker that is busy for a while takes its announcement back: adds then send no wake-ups. */
  async #stayAwake(nowMs: number): Promise<void> {
    this.#fullSinceMs ??= nowMs;
    if (this.#announced.size > 0 && nowMs - this.#fullSinceMs >= busyBeforeAwakeMs) await this.#announce([]);
  }

  async #sleep(ms: number): Promise<void> {
    if (this.#isWoken || this.#isOver()) return;
    const leftMs = (this.#stopByMs ?? Number.POSITIVE_INFINITY) - this.#parts.clock.monotonicMs();
    this.#sleeping = new AbortController();
    await this.#parts.clock.sleep(Math.max(1, Math.min(ms, leftMs)), this.#sleeping.signal);
    this.#sleeping = null;
  }
}
