import type { Clock } from "../clock.ts";
import type { EngineEvents } from "../events/engine-events.ts";
import type { Claim, StageRequest } from "../store/claim.ts";
import { DatabaseUnavailableError } from "../store/database-error.ts";
import type { JobStore } from "../store/job-store.ts";
import type { Exchange } from "../store/settle-and-claim.ts";
import { ClaimPlanner, foundAll } from "./claim-planner.ts";
import { type Hearing, IdleLadder } from "./idle-ladder.ts";
import type { JobCoordinator } from "./job-coordinator.ts";
import { JobExchange } from "./job-exchange.ts";
import type { JobQueue } from "./job-queue.ts";
import type { EndedTry, JobSettler } from "./job-settler.ts";
import type { ProcessorPool } from "./processor-pool.ts";
import type { WorkStage } from "./work-stage.ts";

export interface JobSchedulerParts {
  readonly stages: readonly WorkStage[];
  readonly store: Pick<JobStore, "settleAndClaim" | "waitForJobs" | "passOnWakeUp">;
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
  /** Jobs have come, and their handlers are about to begin. */
  readonly onClaimed: () => void;
  readonly pollIntervalMs: number;
  readonly claimBatchSize: number;
  readonly queueLimit: number;
  readonly jobsAtOnce: number | null;
  /** Whether wake-ups reach this worker now. */
  readonly isHearing: () => boolean;
  /** A look at all stages has left room. */
  readonly onNothingFound: () => void;
  /** False: by the poll alone, as the classic timing has it. */
  readonly isWoken: boolean;
  readonly random: () => number;
}

interface Call {
  readonly tries: readonly EndedTry[];
  readonly requests: readonly StageRequest[];
}

const longestPauseMs = 5_000;
const callsAtOnce = 2;
const triesPerCall = 500;
const worthASecondCall = 100;
const busyBeforeAwakeMs = 1_000;
const wakeUpsPerSecond = 50;
// Jobs that end sooner leave room for the next one; the others would hold up what is meant for any worker.
const fullBeforePassingOnMs = 250;
// One of them will know of a job that falls due; if all did, such a job would cost more the more workers sleep.
const lookersForDueJobs = 8;
const comeBackLater = { kind: "snooze", forMs: 1_000 } as const;

/** Discovers and claims: one loop, whose calls also carry the ends of tries along. */
export class JobScheduler {
  readonly #parts: JobSchedulerParts;
  readonly #planner: ClaimPlanner;
  readonly #ladder: IdleLadder;
  readonly #exchange: JobExchange;
  /** The tokens, by job, of all claims whose end the database has not confirmed. */
  readonly #held = new Map<string, string>();
  #running: Promise<void> | null = null;
  #isClaiming = false;
  #stopByMs: number | null = null;
  #isRunningDry = false;
  #wakeFromSleep: (() => void) | null = null;
  #timer = new AbortController();
  #isWoken = false;
  #isLookAsked = false;
  #nextLookMs = 0;
  #calls = 0;
  #failures = 0;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #announced: ReadonlySet<number> = new Set();
  #fullSinceMs: number | null = null;
  #isShared = false;
  #wakeUps = 0;
  #wakeUpsSinceMs = 0;
  #sleepers = 1;
  #passOnAtMs = Number.POSITIVE_INFINITY;

  constructor(parts: JobSchedulerParts) {
    this.#parts = parts;
    this.#ladder = new IdleLadder(parts.pollIntervalMs, parts.isWoken);
    const { store, settler, workerId, onDoubt } = parts;
    this.#exchange = new JobExchange({
      store,
      settler,
      workerId,
      onDoubt,
      onConfirmed: ({ claim }) => this.endedElsewhere(claim),
    });
    this.#planner = new ClaimPlanner({ ...parts, nowMs: parts.clock.monotonicMs() });
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
    // A call that hangs must not hold up the end of the process, nor this timer when none does.
    const over = new AbortController();
    await Promise.race([this.#running, this.#parts.clock.sleep(limitMs, over.signal)]);
    over.abort();
    this.#running = null;
  }

  /** How many workers, this one among them, sleep for the same jobs. */
  set sleepers(count: number) {
    this.#sleepers = Math.max(1, count);
    this.#ladder.sleepers = count;
  }

  /** From the database: jobs have come, and few others were told. */
  wakeUp(): void {
    this.#planPassingOn();
    this.lookNow();
  }

  /** "Look now": a wake-up from the database, or from an add in this process. */
  lookNow(): void {
    if (!this.#parts.isWoken) return;
    this.#wakeUps += 1;
    this.#isLookAsked = true;
    this.#planner.lookAgain();
    this.wake();
  }

  /** Something has changed: settle it, and see what there is room for. */
  wake(): void {
    // Once is enough until the loop has come round: every end of a try comes here.
    if (this.#isWoken) return;
    this.#isWoken = true;
    this.#wakeFromSleep?.();
  }

  /** A try of this stage has ended. */
  ended(stageId: number, durationMs: number): void {
    this.#planner.ended(stageId, durationMs);
    this.wake();
  }

  /** Under a new worker id nothing is announced yet. */
  workerChanged(): void {
    this.#announced = new Set();
    this.lookNow();
  }

  /** The database has this claim's end by another way. */
  endedElsewhere({ jobId, token }: Claim): void {
    if (this.holds(jobId, token)) this.#held.delete(jobId);
  }

  get isHolding(): boolean {
    return this.#held.size > 0;
  }

  holds(jobId: string, claimToken: string): boolean {
    return this.#held.get(jobId) === claimToken;
  }

  async #run(): Promise<void> {
    while (!this.#isOver()) {
      this.#isWoken = false;
      const nowMs = this.#parts.clock.monotonicMs();
      if (nowMs >= this.#passOnAtMs) this.#passOn(nowMs);
      const call = nowMs < this.#pausedUntilMs ? null : this.#nextCall(nowMs);
      if (call === null) {
        await this.#sleep(this.#idleMs(nowMs));
      } else {
        this.#begin(call);
        // Lets handlers and sockets have their turn between two calls.
        await nextTurn();
      }
    }
    this.#endTimer();
  }

  #isOver(): boolean {
    if (this.#stopByMs === null) return false;
    const isSettled = this.#parts.settler.isEmpty && this.#calls === 0;
    return isSettled || this.#parts.clock.monotonicMs() >= this.#stopByMs;
  }

  /** What there is to send and to ask for now; null when there is nothing, or enough is under way. */
  #nextCall(nowMs: number): Call | null {
    const { settler, isWoken } = this.#parts;
    if (this.#calls >= callsAtOnce) return null;
    // A second call at the same time only for a busy worker, since it would make the batches of a calm one smaller,
    // or for a job that somebody waits for: the first may be waiting for the disk.
    const isFirst = this.#calls === 0 || this.#isLookAsked;
    if (!isFirst && settler.waiting < worthASecondCall && this.#fullSinceMs === null) return null;
    // Where others claim, too, there are calls at the same time already, and each reads past what all of them hold.
    if (!isFirst && this.#isShared) return null;
    const tries = settler.take(triesPerCall);
    const isLookTime = this.#isLookAsked || nowMs >= this.#nextLookMs;
    // A call that goes anyway may as well look; the classic timing looks at its own times only.
    const requests = isLookTime || (tries.length > 0 && isWoken) ? this.#requests(tries, nowMs) : [];
    const jobs = requests.reduce((sum, { room }) => sum + room, tries.length);
    if (jobs === 0 || (!isFirst && jobs < worthASecondCall)) {
      settler.putBack(tries);
      return null;
    }
    if (requests.some(({ room }) => room > 0)) this.#isLookAsked = false;
    return { tries, requests };
  }

  #idleMs(nowMs: number): number {
    return Math.min(this.#pauseMs(nowMs), this.#passOnAtMs - nowMs);
  }

  #pauseMs(nowMs: number): number {
    if (nowMs < this.#pausedUntilMs) return this.#pausedUntilMs - nowMs;
    // Under way, or without room: what ends it wakes this loop.
    if (this.#calls > 0 || this.#isLookAsked || nowMs >= this.#nextLookMs) return longestPauseMs;
    return this.#nextLookMs - nowMs;
  }

  #begin(call: Call): void {
    this.#calls += 1;
    this.#planner.begin(call.requests);
    void this.#send(call)
      .catch((error) => {
        // What it was woken for was not looked at.
        if (call.requests.length > 0) this.#isLookAsked = true;
        this.#pauseAfter(error);
      })
      .finally(() => {
        this.#calls -= 1;
        this.#planner.end(call.requests);
        this.wake();
      });
  }

  async #send({ tries, requests }: Call): Promise<void> {
    const exchange = await this.#exchange.send(tries, requests);
    this.#failures = 0;
    if (exchange === null) return;
    if (exchange.claims.length > 0) this.#isShared = exchange.isShared;
    const kept = this.#parts.settler.confirm(tries, exchange.settled);
    this.#receive(kept, exchange);
    if (exchange.isLost) this.#parts.onLost();
    if (exchange.mustRunDry) this.#runDry();
    else if (requests.some(({ room }) => room > 0)) await this.#planNextLook(requests, exchange);
  }

  #pauseAfter(error: unknown): void {
    const { clock, events, random } = this.#parts;
    this.#failures += 1;
    // The pool tells of a database that is away.
    if (!(error instanceof DatabaseUnavailableError)) events.emitError(error);
    const pauseMs = Math.min(longestPauseMs, 100 * 2 ** Math.min(this.#failures, 10));
    this.#pausedUntilMs = clock.monotonicMs() + pauseMs * (0.5 + random() / 2);
  }

  #requests(tries: readonly EndedTry[], nowMs: number): StageRequest[] {
    const { queue, pool, settler, isTrusted } = this.#parts;
    if (!this.#isClaiming || !isTrusted()) return [];
    if (this.#isRunningDry) {
      if (pool.busy > 0 || !queue.isEmpty || !settler.isEmpty || this.#calls > 0) return [];
      this.#isRunningDry = false;
    }
    return this.#planner.plan(tries, nowMs);
  }

  #receive(kept: readonly Claim[], exchange: Exchange): void {
    const { coordinator, clock, onClaimed } = this.#parts;
    // Not from the kept ones: their positions are those of an earlier stage.
    this.#planner.learn(exchange, clock.monotonicMs());
    const stageIds = new Set<number>();
    for (const claim of kept) this.#take(claim, stageIds);
    for (const claim of exchange.claims) this.#take(claim, stageIds);
    if (stageIds.size > 0) onClaimed();
    for (const stageId of stageIds) coordinator.notice(stageId);
  }

  #take(claim: Claim, stageIds: Set<number>): void {
    const { queue, settler, events } = this.#parts;
    const stage = this.#planner.stage(claim.stageId);
    if (stage === undefined) return;
    this.#held.set(claim.jobId, claim.token);
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
      const stage = this.#planner.stage(claim.stageId);
      if (stage !== undefined) settler.release(claim, stage);
    }
    this.wake();
  }

  async #planNextLook(requests: readonly StageRequest[], exchange: Exchange): Promise<void> {
    const { clock, random, isWoken } = this.#parts;
    const nowMs = clock.monotonicMs();
    if (exchange.claims.length > 0) {
      this.#ladder.found();
      this.#planner.lookAgain();
    }
    if (isWoken && foundAll(requests, exchange.claims)) {
      this.#nextLookMs = nowMs;
      this.#planPassingOn();
      await this.#stayAwake(nowMs);
      return;
    }
    const stageIds = this.#planner.lookedAt(requests);
    if (stageIds === null) {
      this.#nextLookMs = nowMs;
      return;
    }
    this.#fullSinceMs = null;
    this.#parts.onNothingFound();
    if (this.#isWokenTooOften(nowMs)) {
      await this.#announce([]);
      this.#ladder.hurry();
    }
    const waitMs = this.#ladder.next(this.#hearing(stageIds), random());
    if (waitMs === "announce") {
      // The others go on being announced: this call may not have asked for all of them.
      await this.#announce([...new Set([...this.#announced, ...stageIds])]);
      this.#nextLookMs = nowMs;
      return;
    }
    const dueMs = Math.min(...exchange.looks.map((look) => look.nextDueMs ?? Number.POSITIVE_INFINITY));
    // What it has just settled may be what falls due, and nobody else need know of it yet.
    const isFirstToKnow = exchange.settled.length > 0 || random() * this.#sleepers < lookersForDueJobs;
    const isForDue = isWoken && isFirstToKnow;
    this.#nextLookMs = nowMs + (isForDue ? Math.min(waitMs, dueMs) : waitMs);
  }

  #hearing(stageIds: readonly number[]): Hearing {
    if (!this.#parts.isHearing()) return "deaf";
    return stageIds.every((stageId) => this.#announced.has(stageId)) ? "announced" : "awake";
  }

  async #announce(stageIds: readonly number[]): Promise<void> {
    await this.#parts.store.waitForJobs(this.#parts.workerId(), stageIds);
    this.#announced = new Set(stageIds);
    this.#ladder.announced();
  }

  #planPassingOn(): void {
    if (this.#announced.size === 0 || this.#passOnAtMs !== Number.POSITIVE_INFINITY) return;
    this.#passOnAtMs = this.#parts.clock.monotonicMs() + fullBeforePassingOnMs;
  }

  /** Others are told of what waits in the stages that are full here. */
  #passOn(nowMs: number): void {
    const { store, workerId } = this.#parts;
    this.#passOnAtMs = Number.POSITIVE_INFINITY;
    const full = [...this.#announced].filter((stageId) => !this.#planner.hasRoom(stageId, nowMs));
    if (full.length === 0) return;
    this.#announced = new Set([...this.#announced].filter((stageId) => !full.includes(stageId)));
    // Should it not get through, others find their jobs by looking.
    store.passOnWakeUp(workerId(), full).catch(() => {});
  }

  /** Jobs that come so fast are found by looking; wake-ups for each would cost their adders more. */
  #isWokenTooOften(nowMs: number): boolean {
    const isTooOften = this.#announced.size > 0 && this.#wakeUps > wakeUpsPerSecond;
    if (isTooOften || nowMs - this.#wakeUpsSinceMs >= 1_000) {
      this.#wakeUps = 0;
      this.#wakeUpsSinceMs = nowMs;
    }
    return isTooOften;
  }

  /** A worker that is busy for a while takes its announcement back: adds then send no wake-ups. */
  async #stayAwake(nowMs: number): Promise<void> {
    this.#fullSinceMs ??= nowMs;
    if (this.#announced.size > 0 && nowMs - this.#fullSinceMs >= busyBeforeAwakeMs) await this.#announce([]);
  }

  async #sleep(ms: number): Promise<void> {
    if (this.#isWoken || this.#isOver()) return;
    const leftMs = (this.#stopByMs ?? Number.POSITIVE_INFINITY) - this.#parts.clock.monotonicMs();
    // That of the last sleep, if it was woken from it: only now, since a job that somebody waits for came first.
    this.#endTimer();
    this.#timer = new AbortController();
    const timeIsUp = this.#parts.clock.sleep(Math.max(1, Math.min(ms, leftMs)), this.#timer.signal);
    await new Promise<void>((resolve) => {
      this.#wakeFromSleep = resolve;
      void timeIsUp.then(resolve);
    });
    this.#wakeFromSleep = null;
    // What else ends in this turn of the event loop goes along; a job that somebody waits for does not wait for it.
    if (!this.#isLookAsked) await nextTurn();
  }

  #endTimer(): void {
    // A reason of our own, since the default one is an error with its stack.
    this.#timer.abort("woken");
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
