import type { Claim, StageRequest } from "../../store/working/claim.ts";
import type { StageLook } from "../../store/working/settle-and-claim.ts";

const priorities = 20;
// Under load, what committed late is found within this.
const lookFromStartEveryMs = 500;
// At most a twentieth of the time goes into looking from the start, but no late job waits longer than this for it.
const restPerCost = 20;
const longestRestMs = 5_000;

/**
 * Where a worker stopped in one stage, per priority. A claim that starts there does not read past
 * the entries of jobs that were claimed before, which PostgreSQL cannot clean up while anyone holds an old snapshot.
 * New and returning jobs get larger positions; only what committed late is behind, and found by looking from the start.
 */
export class StagePlaces {
  readonly #places: number[] = new Array(priorities).fill(0);
  #lookedFromStartMs = Number.NEGATIVE_INFINITY;
  #restUntilMs = Number.NEGATIVE_INFINITY;
  #dueAfter: string | null = null;
  #wasShort = false;
  #lastScanMs = Number.POSITIVE_INFINITY;

  request(stageId: number, room: number, nowMs: number): Omit<StageRequest, "keep"> {
    if (room <= 0) return { stageId, room: 0, places: this.#places, scan: 0, dueAfter: this.#dueAfter };
    const mayLook = nowMs >= this.#restUntilMs;
    const isTime = mayLook && nowMs - this.#lookedFromStartMs >= lookFromStartEveryMs;
    // When the last look came back short, this one would most likely end at the start as well.
    const scan = isTime || (mayLook && this.#wasShort) ? 2 : mayLook ? 1 : 0;
    this.#wasShort = false;
    return { stageId, room, places: this.#places, scan, dueAfter: isTime ? null : this.#dueAfter };
  }

  claimed(claim: Claim): void {
    const index = claim.priority - 1;
    this.#places[index] = Math.max(this.#places[index] ?? 0, claim.position);
  }

  looked(look: StageLook, nowMs: number): void {
    this.#wasShort = look.isShort;
    if (look.promotedUpTo !== null) this.#dueAfter = look.promotedUpTo;
    if (look.scanMs === null) return;
    this.#lookedFromStartMs = nowMs;
    // The cheaper of two, since one may have been held up by something else.
    const scanMs = Math.min(look.scanMs, this.#lastScanMs);
    this.#restUntilMs = nowMs + Math.min(restPerCost * scanMs, longestRestMs);
    this.#lastScanMs = look.scanMs;
  }
}
