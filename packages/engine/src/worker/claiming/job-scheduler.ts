import type { Clock } from "../../clock.ts";
import type { EngineEvents } from "../../events/engine-events.ts";
import { DatabaseUnavailableError } from "../../store/connections/database-error.ts";
import type { Claim, StageRequest } from "../../store/working/claim.ts";
import type { Exchange } from "../../store/working/settle-and-claim.ts";
import { LoopSleep } from "../../waiting/loop-sleep.ts";
import { settledWithin } from "../../waiting/settled-within.ts";
import type { WorkerLease } from "../lease/worker-lease.ts";
import type { JobCoordinator } from "../running/job-coordinator.ts";
import type { ProcessorPool } from "../running/processor-pool.ts";
import type { Waking } from "../waking/waking.ts";
import { CallBackoff } from "./call-backoff.ts";
import { type ClaimPlanner, foundAll } from "./claim-planner.ts";
import type { HeldClaims } from "./held-claims.ts";
import type { JobExchange } from "./job-exchange.ts";
import type { JobQueue } from "./job-queue.ts";
import type { EndedAttempt, JobSettler } from "./job-settler.ts";

/*
 * The loop of a worker. Each round makes one call to the database, or sleeps. A call reports the attempts that have
 * ended and brings back new claims; a busy worker has two calls under way.
 *
 * A round begins when
 *   - something has changed here: an attempt has ended, a call is over, a processor is free (`wake`),
 *   - jobs may have come: a wake-up from the database, an add in this process (`wakeUp`, `lookNow`),
 *   - the database answers again after an outage (`databaseAnswered`),
 *   - it is time: for the next look, for the end of a pause after a failed call, for passing a wake-up on.
 *
 * Its modes:
 *
 *   off          nothing runs.                                      start        → claiming
 *   claiming     looks for jobs, and settles what ends.             a suspect waits that must run alone → running dry
 *                                                                   stopClaiming → settling
 *   running dry  claims nothing until nothing is held here.         nothing is left → claiming
 *                                                                   stopClaiming → settling
 *   settling     claims no more; settles what ends.                 stop         → ending
 *   ending       settles what is left, for a limited time.          all is settled, or the time is up → off
 */
type Mode = "off" | "claiming" | "running dry" | "settling" | "ending";

export interface JobSchedulerParts {
  readonly planner: ClaimPlanner;
  readonly exchange: JobExchange;
  readonly waking: Waking;
  readonly held: HeldClaims;
  readonly queue: JobQueue;
  readonly pool: Pick<ProcessorPool, "busy">;
  readonly settler: JobSettler;
  readonly coordinator: Pick<JobCoordinator, "notice">;
  /** Without a lease that may be trusted nothing is claimed. */
  readonly lease: Pick<WorkerLease, "isTrusted" | "taken" | "markInDoubt">;
  readonly clock: Clock;
  readonly events: EngineEvents;
  readonly random: () => number;
  readonly onLost: () => void;
  /** Claims that a crash of PostgreSQL has forgotten, and whose jobs others have now. */
  readonly onClaimsLost: (jobIds: readonly string[]) => void;
  /** A look at all stages has left room. */
  readonly onNothingFound: () => void;
  /** A job has come to a wait of so many ms; null: no pipeline of this worker has waits. */
  readonly onWaitBegan: ((ms: number) => void) | null;
}

interface Call {
  readonly attempts: readonly EndedAttempt[];
  readonly requests: readonly StageRequest[];
}

const longestSleepMs = 5_000;
const callsAtOnce = 2;
const attemptsPerCall = 500;
const worthASecondCall = 100;
const comeBackLater = { kind: "snooze", forMs: 1_000 } as const;

/** Finds and claims jobs: one loop, whose calls also settle the attempts that have ended. */
export class JobScheduler {
  readonly #parts: JobSchedulerParts;
  readonly #backoff: CallBackoff;
  readonly #sleep: LoopSleep;
  #mode: Mode = "off";
  #running: Promise<void> | null = null;
  #endByMs = Number.POSITIVE_INFINITY;
  #isLookAsked = false;
  #nextLookMs = 0;
  #callsUnderWay = 0;
  /** Other workers claim from the same line. */
  #isShared = false;

  constructor(parts: JobSchedulerParts) {
    this.#parts = parts;
    this.#backoff = new CallBackoff(parts.random);
    this.#sleep = new LoopSleep(parts.clock);
  }

  start(): void {
    this.#mode = "claiming";
    this.#endByMs = Number.POSITIVE_INFINITY;
    this.#nextLookMs = this.#parts.clock.monotonicMs();
    this.#running ??= this.#run();
  }

  /** From here on only what has ended is settled. */
  stopClaiming(): void {
    this.#mode = "settling";
  }

  /** Settles what is left, for at most `limitMs`. */
  async stop(limitMs: number): Promise<void> {
    const { clock } = this.#parts;
    this.#mode = "ending";
    this.#endByMs = clock.monotonicMs() + limitMs;
    this.wake();
    // A call that hangs must not hold up the end of the process.
    if (this.#running !== null) await settledWithin(limitMs, this.#running, clock);
    this.#running = null;
    this.#mode = "off";
  }

  /** From the database: jobs have come, and few others were told. */
  wakeUp(): void {
    this.#parts.waking.wokenUp();
    this.lookNow();
  }

  /** "Look now": a wake-up from the database, or from an add in this process. */
  lookNow(): void {
    const { waking, planner } = this.#parts;
    if (!waking.looksBetweenPolls) return;
    waking.heard();
    this.#isLookAsked = true;
    planner.lookAgain();
    this.wake();
  }

  /** PostgreSQL has answered on another connection: what waits for its return need not wait any longer. */
  databaseAnswered(): void {
    if (this.#backoff.leftMs(this.#parts.clock.monotonicMs()) === 0) return;
    this.#backoff.end();
    this.wake();
  }

  /** Something has changed: settle it, and see what there is room for. Every end of an attempt comes here. */
  wake(): void {
    this.#sleep.wake();
  }

  /** An attempt of this stage has ended. */
  ended(stageId: number, durationMs: number): void {
    this.#parts.planner.ended(stageId, durationMs);
    this.wake();
  }

  /** The worker continues under a new id. */
  workerChanged(): void {
    this.#parts.waking.workerChanged();
    this.lookNow();
  }

  /** Gives back the claims that no processor has begun. */
  giveBackWaiting(): void {
    const { queue, settler, planner } = this.#parts;
    for (const claim of queue.takeAll()) {
      const stage = planner.stage(claim.stageId);
      if (stage !== undefined) settler.addReleased(claim, stage);
    }
    this.wake();
  }

  async #run(): Promise<void> {
    const { clock, waking } = this.#parts;
    while (!this.#isOver()) {
      this.#sleep.beginRound();
      const nowMs = clock.monotonicMs();
      if (nowMs >= waking.passOnAtMs) waking.passOn(nowMs);
      const call = this.#backoff.leftMs(nowMs) > 0 ? null : this.#nextCall(nowMs);
      if (call === null) {
        await this.#sleepFor(this.#idleMs(nowMs));
      } else {
        this.#begin(call);
        // Lets handlers and sockets have their turn between two calls.
        await nextTurn();
      }
    }
    this.#sleep.end();
  }

  #isOver(): boolean {
    if (this.#mode === "off") return true;
    if (this.#mode !== "ending") return false;
    const isSettled = this.#parts.settler.isEmpty && this.#callsUnderWay === 0;
    return isSettled || this.#parts.clock.monotonicMs() >= this.#endByMs;
  }

  /** What there is to send and to ask for now; null when there is nothing, or enough is under way. */
  #nextCall(nowMs: number): Call | null {
    const { settler, waking } = this.#parts;
    if (this.#callsUnderWay >= callsAtOnce) return null;
    // A second call at the same time only for a busy worker, since it would make the batches of a calm one smaller,
    // or for a job that somebody waits for: the first may be waiting for the disk.
    const isFirst = this.#callsUnderWay === 0 || this.#isLookAsked;
    if (!isFirst && settler.waiting < worthASecondCall && !waking.isBusy) return null;
    // Where others claim, too, there are calls at the same time already, and each reads past what all of them hold.
    if (!isFirst && this.#isShared) return null;
    const attempts = settler.take(attemptsPerCall);
    const isLookTime = this.#isLookAsked || nowMs >= this.#nextLookMs;
    // A call that goes anyway may as well look.
    const looks = isLookTime || (attempts.length > 0 && waking.looksBetweenPolls);
    const requests = looks && this.#mayClaim() ? this.#parts.planner.plan(attempts, nowMs) : [];
    const jobs = requests.reduce((sum, { room }) => sum + room, attempts.length);
    if (jobs === 0 || (!isFirst && jobs < worthASecondCall)) {
      settler.putBack(attempts);
      return null;
    }
    if (requests.some(({ room }) => room > 0)) this.#isLookAsked = false;
    return { attempts, requests };
  }

  #mayClaim(): boolean {
    const { queue, pool, settler, lease } = this.#parts;
    if (!this.#takesClaims || !lease.isTrusted) return false;
    if (this.#mode === "claiming") return true;
    const isDry = pool.busy === 0 && queue.isEmpty && settler.isEmpty && this.#callsUnderWay === 0;
    if (isDry) this.#mode = "claiming";
    return isDry;
  }

  get #takesClaims(): boolean {
    return this.#mode === "claiming" || this.#mode === "running dry";
  }

  #idleMs(nowMs: number): number {
    return Math.min(this.#untilNextCallMs(nowMs), this.#parts.waking.passOnAtMs - nowMs);
  }

  #untilNextCallMs(nowMs: number): number {
    const pauseMs = this.#backoff.leftMs(nowMs);
    if (pauseMs > 0) return pauseMs;
    // Under way, or without room: what ends it wakes this loop.
    if (this.#callsUnderWay > 0 || this.#isLookAsked || nowMs >= this.#nextLookMs) return longestSleepMs;
    return this.#nextLookMs - nowMs;
  }

  async #sleepFor(ms: number): Promise<void> {
    if (this.#sleep.isWoken || this.#isOver()) return;
    const leftMs = this.#endByMs - this.#parts.clock.monotonicMs();
    await this.#sleep.sleep(Math.max(1, Math.min(ms, leftMs)));
    // What else ends in this turn of the event loop goes along; a job that somebody waits for does not wait for it.
    if (!this.#isLookAsked) await nextTurn();
  }

  #begin(call: Call): void {
    const { planner, events, clock } = this.#parts;
    const { round } = this.#backoff;
    this.#callsUnderWay += 1;
    planner.begin(call.requests);
    void this.#send(call)
      .catch((error) => {
        // What it was woken for was not looked at.
        if (call.requests.length > 0) this.#isLookAsked = true;
        // The pool tells of a database that is away.
        const isAway = error instanceof DatabaseUnavailableError;
        if (!isAway) events.emitError(error);
        this.#backoff.failed(round, isAway, clock.monotonicMs());
      })
      .finally(() => {
        this.#callsUnderWay -= 1;
        planner.end(call.requests);
        this.wake();
      });
  }

  async #send({ attempts, requests }: Call): Promise<void> {
    const { exchange, settler, onLost, onWaitBegan } = this.#parts;
    const answer = await exchange.send(attempts, requests);
    this.#backoff.succeeded();
    if (answer === null) return;
    if (answer.claims.length > 0) this.#isShared = answer.isShared;
    this.#receive(settler.confirm(attempts, answer.settled), answer);
    if (onWaitBegan !== null) {
      for (const { outcome, stage } of attempts) {
        if (outcome.kind === "done" && stage.nextWaitMs !== null) onWaitBegan(stage.nextWaitMs);
      }
    }
    if (answer.isLost) onLost();
    if (answer.mustPresent) await this.#presentAll();
    if (answer.mustRunDry) this.#runDry();
    else if (!answer.mustPresent && requests.some(({ room }) => room > 0)) {
      await this.#planNextLook(requests, answer);
    }
  }

  /** After a crash of PostgreSQL, before anything else is claimed. */
  async #presentAll(): Promise<void> {
    const { held, lease, onClaimsLost } = this.#parts;
    const lost = await held.lost();
    // With the disk, or with a standby that was behind, more may be gone: what is held there and not here is given back.
    lease.markInDoubt();
    if (lost.length > 0) onClaimsLost(lost);
    this.#isLookAsked = true;
  }

  #receive(kept: readonly Claim[], answer: Exchange): void {
    const { planner, coordinator, clock, lease } = this.#parts;
    // Not from the kept ones: their positions are those of an earlier stage.
    planner.learn(answer, clock.monotonicMs());
    const stageIds = new Set<number>();
    for (const claim of kept) this.#take(claim, stageIds);
    for (const claim of answer.claims) this.#take(claim, stageIds);
    // Their handlers are about to begin.
    if (stageIds.size > 0) lease.taken();
    for (const stageId of stageIds) coordinator.notice(stageId);
  }

  #take(claim: Claim, stageIds: Set<number>): void {
    const { planner, held, queue, settler, events } = this.#parts;
    const stage = planner.stage(claim.stageId);
    if (stage === undefined) return;
    held.add(claim);
    if (events.hasListeners("job.claimed")) {
      const { jobId, attempt } = claim;
      events.emit("job.claimed", {
        jobId,
        attempt,
        pipeline: stage.pipeline.name,
        stage: stage.definition.name,
      });
    }
    const enqueued = this.#takesClaims ? queue.enqueue(claim) : "stopped";
    if (enqueued === "queued") stageIds.add(claim.stageId);
    // Given back at once it would come again at once, for as long as a handler of a lost claim does not stop.
    else if (enqueued === "already_processing") settler.add(claim, stage, comeBackLater, 0, null);
    else settler.addReleased(claim, stage);
  }

  /** Jobs that have not started go back first: nobody else could run them while this worker finishes the others. */
  #runDry(): void {
    if (this.#mode === "claiming") this.#mode = "running dry";
    this.giveBackWaiting();
  }

  async #planNextLook(requests: readonly StageRequest[], answer: Exchange): Promise<void> {
    const { clock, planner, waking, onNothingFound } = this.#parts;
    const nowMs = clock.monotonicMs();
    if (answer.claims.length > 0) {
      waking.found();
      planner.lookAgain();
    }
    if (waking.looksBetweenPolls && foundAll(requests, answer.claims)) {
      this.#nextLookMs = nowMs;
      await waking.foundAll(nowMs);
      return;
    }
    const stageIds = planner.lookedAt(requests);
    if (stageIds === null) {
      this.#nextLookMs = nowMs;
      return;
    }
    onNothingFound();
    const nextDueMs = Math.min(...answer.looks.map((look) => look.nextDueMs ?? Number.POSITIVE_INFINITY));
    const look = { stageIds, hasSettled: answer.settled.length > 0, nextDueMs };
    this.#nextLookMs = nowMs + (await waking.foundTooFew(look, nowMs));
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
