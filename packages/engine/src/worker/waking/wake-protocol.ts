import type { Clock } from "../../clock.ts";
import type { WorkerStore } from "../../store/working/worker-store.ts";
import { type Hearing, IdleLadder } from "./idle-ladder.ts";
import type { EndedLook, Waking } from "./waking.ts";

export interface WakeProtocolParts {
  readonly store: Pick<WorkerStore, "waitForJobs" | "passOnWakeUp">;
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly workerId: () => string;
  /** Whether wake-ups reach this worker now. */
  readonly isHearing: () => boolean;
  /** Whether a job of this stage could begin soon. */
  readonly hasRoom: (stageId: number, nowMs: number) => boolean;
  readonly pollIntervalMs: number;
  readonly random: () => number;
}

const busyBeforeAwakeMs = 1_000;
const wakeUpsPerSecond = 50;
// Jobs that end sooner leave room for the next one; the others would hold up what is meant for any worker.
const fullBeforePassingOnMs = 250;
// One of them will know of a job that falls due; if all did, such a job would cost more the more workers sleep.
const lookersForDueJobs = 8;

/**
 * How an idle worker hears of new jobs without polling hard.
 *
 *   awake      it looks again soon. After a few looks that find nothing it announces, in its row, the stages it sleeps for.
 *   announced  the commit of an add wakes it. It polls slowly, and the more slowly the more others sleep for the same jobs.
 *   deaf       no wake-up can reach it, so it announces nothing and polls.
 *
 * It takes its announcement back, so that adds send nothing, when it has been busy for a second, or is woken so often that
 * looking is cheaper ("hurry"). A wake-up goes to few workers: one that is still full a quarter of a second later passes it on.
 */
export class WakeProtocol implements Waking {
  readonly looksBetweenPolls = true;
  readonly #parts: WakeProtocolParts;
  readonly #ladder: IdleLadder;
  #announced: ReadonlySet<number> = new Set();
  #busySinceMs: number | null = null;
  #wakeUps = 0;
  #wakeUpsSinceMs = 0;
  #passOnAtMs = Number.POSITIVE_INFINITY;

  constructor(parts: WakeProtocolParts) {
    this.#parts = parts;
    this.#ladder = new IdleLadder(parts.pollIntervalMs);
  }

  get sleepers(): number {
    return this.#ladder.sleepers;
  }

  set sleepers(count: number) {
    this.#ladder.sleepers = count;
  }

  get isBusy(): boolean {
    return this.#busySinceMs !== null;
  }

  get passOnAtMs(): number {
    return this.#passOnAtMs;
  }

  heard(): void {
    this.#wakeUps += 1;
  }

  wokenUp(): void {
    this.#planPassingOn();
  }

  found(): void {
    this.#ladder.found();
  }

  async foundAll(nowMs: number): Promise<void> {
    this.#planPassingOn();
    this.#busySinceMs ??= nowMs;
    if (this.#announced.size > 0 && nowMs - this.#busySinceMs >= busyBeforeAwakeMs) await this.#announce([]);
  }

  async foundTooFew(look: EndedLook, nowMs: number): Promise<number> {
    const { random } = this.#parts;
    this.#busySinceMs = null;
    if (this.#isWokenTooOften(nowMs)) {
      await this.#announce([]);
      this.#ladder.hurry();
    }
    const waitMs = this.#ladder.next(this.#hearing(look.stageIds), random());
    if (waitMs === "announce") {
      // The others go on being announced: this call may not have asked for all of them.
      await this.#announce([...new Set([...this.#announced, ...look.stageIds])]);
      return 0;
    }
    // What it has just settled may be what falls due, and nobody else need know of it yet.
    const looksForDueJobs = look.hasSettled || random() * this.sleepers < lookersForDueJobs;
    return looksForDueJobs ? Math.min(waitMs, look.nextDueMs) : waitMs;
  }

  /** Others are told of what waits in the stages that are full here. */
  passOn(nowMs: number): void {
    const { store, workerId, hasRoom } = this.#parts;
    this.#passOnAtMs = Number.POSITIVE_INFINITY;
    const full = [...this.#announced].filter((stageId) => !hasRoom(stageId, nowMs));
    if (full.length === 0) return;
    this.#announced = new Set([...this.#announced].filter((stageId) => !full.includes(stageId)));
    // Should it not get through, others find their jobs by looking.
    store.passOnWakeUp(workerId(), full).catch(() => {});
  }

  workerChanged(): void {
    this.#announced = new Set();
  }

  #planPassingOn(): void {
    if (this.#announced.size === 0 || this.#passOnAtMs !== Number.POSITIVE_INFINITY) return;
    this.#passOnAtMs = this.#parts.clock.monotonicMs() + fullBeforePassingOnMs;
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

  /** Jobs that come so fast are found by looking; wake-ups for each would cost their adders more. */
  #isWokenTooOften(nowMs: number): boolean {
    const isTooOften = this.#announced.size > 0 && this.#wakeUps > wakeUpsPerSecond;
    if (isTooOften || nowMs - this.#wakeUpsSinceMs >= 1_000) {
      this.#wakeUps = 0;
      this.#wakeUpsSinceMs = nowMs;
    }
    return isTooOften;
  }
}
