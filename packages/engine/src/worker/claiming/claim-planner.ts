import { hasLimits } from "../../jobs/pipelines/stage-limits.ts";
import { jobsPerCall, type WorkStage } from "../../jobs/pipelines/work-stage.ts";
import type { Claim, StageRequest } from "../../store/working/claim.ts";
import type { Exchange } from "../../store/working/settle-and-claim.ts";
import type { ProcessorPool } from "../running/processor-pool.ts";
import type { JobQueue } from "./job-queue.ts";
import type { EndedAttempt, JobSettler } from "./job-settler.ts";
import { StagePace } from "./stage-pace.ts";
import { StagePlaces } from "./stage-places.ts";
import { StageTurns } from "./stage-turns.ts";

export interface ClaimPlannerParts {
  readonly stages: readonly WorkStage[];
  readonly queue: Pick<JobQueue, "waiting">;
  readonly pool: Pick<ProcessorPool, "idle" | "busy">;
  readonly settler: Pick<JobSettler, "waitingByStage">;
  readonly claimBatchSize: number;
  readonly queueLimit: number;
  /** The most jobs of all stages together; null: as many as the stages have processors. */
  readonly jobsAtOnce: number | null;
  /** Whether a look asks for a whole batch, idle processors or not. */
  readonly takesWholeBatches: boolean;
  readonly nowMs: number;
}

interface StageState {
  readonly stage: WorkStage;
  /** The stage before it, when this worker serves that too. */
  readonly previousId: number | null;
  readonly places: StagePlaces;
  readonly pace: StagePace;
  /** How many jobs the calls under way may bring. */
  asked: number;
}

// What a stage with room may always ask the database for, however much is on its way from the stage before it: other
// jobs wait there too, given back or left by other workers.
const leastShare = 1 / 10;

/** How many jobs of which stage this worker has room for: those it keeps from the stage before come first. */
export class ClaimPlanner {
  readonly #parts: ClaimPlannerParts;
  readonly #states = new Map<number, StageState>();
  readonly #turns: StageTurns;
  /** The stages that had their turn in the last plan, and whether they were asked. */
  #planned: { readonly requests: readonly StageRequest[]; readonly asked: ReadonlyMap<number, boolean> };

  constructor(parts: ClaimPlannerParts) {
    this.#parts = parts;
    const previousIds = new Map(parts.stages.map(({ id, nextId }) => [nextId, id]));
    for (const stage of parts.stages) {
      this.#states.set(stage.id, {
        stage,
        previousId: previousIds.get(stage.id) ?? null,
        places: new StagePlaces(),
        pace: new StagePace(stage.definition.options.processors * jobsPerCall(stage), parts.nowMs),
        asked: 0,
      });
    }
    this.#turns = new StageTurns([...this.#states.keys()]);
    this.#planned = { requests: [], asked: new Map() };
  }

  stage(stageId: number): WorkStage | undefined {
    return this.#states.get(stageId)?.stage;
  }

  /** What a call that carries the ends of these attempts asks for. */
  plan(attempts: readonly EndedAttempt[], nowMs: number): StageRequest[] {
    const arriving = arrivingIn(attempts);
    const unsettled = this.#parts.settler.waitingByStage();
    let left = this.#left();
    const keeps = new Map<number, number>();
    for (const [stageId, count] of arriving) {
      const state = this.#states.get(stageId);
      const keep = state === undefined ? 0 : Math.min(left, count, this.#space(state, nowMs));
      left -= keep;
      keeps.set(stageId, keep);
    }
    const requests: StageRequest[] = [];
    const asked = new Map<number, boolean>();
    for (const stageId of this.#turns.order) {
      const state = this.#states.get(stageId);
      if (state === undefined) continue;
      const keep = keeps.get(stageId) ?? 0;
      const room = Math.min(left, this.#room(state, this.#space(state, nowMs) - keep, unsettled));
      if (left > 0) asked.set(stageId, room > 0);
      left -= room;
      if (keep > 0 || room > 0) requests.push({ ...state.places.request(stageId, room, nowMs), keep });
    }
    this.#planned = { requests, asked };
    return requests;
  }

  /** The stages that nothing is left in, after a look with these requests; null when others come next. */
  lookedAt(requests: readonly StageRequest[]): number[] | null {
    if (this.#parts.jobsAtOnce === null) return requests.map(({ stageId }) => stageId);
    return this.#turns.endRound();
  }

  /** Jobs were found, or may have come: more may wait in stages that were asked already. */
  lookAgain(): void {
    this.#turns.beginRound();
  }

  /** Whether a job of this stage could begin soon. */
  hasRoom(stageId: number, nowMs: number): boolean {
    const state = this.#states.get(stageId);
    // What was asked for and has not come takes no processor yet.
    return state !== undefined && this.#leftOf(0) > 0 && this.#space({ ...state, asked: 0 }, nowMs) > 0;
  }

  /** A call with these requests is under way. */
  begin(requests: readonly StageRequest[]): void {
    this.#ask(requests, 1);
    // A plan may be dropped; then no stage has had its turn.
    if (this.#planned.requests !== requests) return;
    for (const [stageId, wasAsked] of this.#planned.asked) this.#turns.passed(stageId, wasAsked);
  }

  end(requests: readonly StageRequest[]): void {
    this.#ask(requests, -1);
  }

  learn(exchange: Exchange, nowMs: number): void {
    for (const look of exchange.looks) this.#states.get(look.stageId)?.places.looked(look, nowMs);
    for (const claim of exchange.claims) {
      // The groups have lines of their own, which a place in the common one says nothing about.
      if (claim.more?.groupKey == null) this.#states.get(claim.stageId)?.places.claimed(claim);
    }
  }

  /** An attempt of this stage has ended. */
  ended(stageId: number, durationMs: number): void {
    this.#states.get(stageId)?.pace.ended(durationMs);
  }

  /** How many more jobs this worker may have, whatever their stage. */
  #left(): number {
    let asked = 0;
    for (const state of this.#states.values()) asked += state.asked;
    return this.#leftOf(asked);
  }

  #leftOf(asked: number): number {
    const { jobsAtOnce, queue, pool } = this.#parts;
    if (jobsAtOnce === null) return Number.POSITIVE_INFINITY;
    let waiting = 0;
    for (const stageId of this.#states.keys()) waiting += queue.waiting(stageId);
    return Math.max(0, jobsAtOnce - pool.busy - waiting - asked);
  }

  /** How many more jobs the processors of a stage will soon be free for. */
  #space({ stage, pace, asked }: StageState, nowMs: number): number {
    const { queue, pool, claimBatchSize, queueLimit, takesWholeBatches } = this.#parts;
    const waiting = queue.waiting(stage.id) + asked;
    // Where limits and budgets are shared by the fleet, a job that waits here would take what another worker could run.
    const { limits, spends } = stage.definition.options;
    const ahead = hasLimits(limits) || spends !== null ? 0 : pace.jobsAhead(nowMs);
    const startable = pool.idle(stage.id) * jobsPerCall(stage);
    const wanted = takesWholeBatches ? claimBatchSize : startable + ahead - waiting;
    return Math.max(0, Math.min(claimBatchSize, queueLimit - waiting, wanted));
  }

  #room({ stage, previousId }: StageState, space: number, unsettled: ReadonlyMap<number, number>): number {
    const { queue, claimBatchSize, takesWholeBatches } = this.#parts;
    if (takesWholeBatches) return space;
    // Claiming ahead of what can be settled would only make this worker hold more.
    const room = Math.max(0, space - (unsettled.get(stage.id) ?? 0));
    if (previousId === null) return room;
    // What this worker holds in the stage before will be kept, most likely, and needs its room then.
    const askedBefore = this.#states.get(previousId)?.asked ?? 0;
    const coming = queue.waiting(previousId) + (unsettled.get(previousId) ?? 0) + askedBefore;
    return Math.max(room - coming, Math.min(space, Math.ceil(claimBatchSize * leastShare)));
  }

  #ask(requests: readonly StageRequest[], sign: 1 | -1): void {
    for (const { stageId, room, keep } of requests) {
      const state = this.#states.get(stageId);
      if (state !== undefined) state.asked += sign * (room + keep);
    }
  }
}

/** How many of these jobs go on to which stage. */
function arrivingIn(attempts: readonly EndedAttempt[]): Map<number, number> {
  const arriving = new Map<number, number>();
  for (const { outcome, stage } of attempts) {
    if ((outcome.kind !== "done" && outcome.kind !== "skip") || stage.nextId === null) continue;
    arriving.set(stage.nextId, (arriving.get(stage.nextId) ?? 0) + 1);
  }
  return arriving;
}

/** Whether some stage got all that was asked for it, so that more may wait there. */
export function foundAll(requests: readonly StageRequest[], claims: readonly Claim[]): boolean {
  const found = new Map<number, number>();
  for (const { stageId } of claims) found.set(stageId, (found.get(stageId) ?? 0) + 1);
  return requests.some(({ stageId, room }) => room > 0 && (found.get(stageId) ?? 0) >= room);
}
