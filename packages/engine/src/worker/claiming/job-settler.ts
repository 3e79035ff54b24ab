import type { EngineEvents } from "../../events/engine-events.ts";
import { type Outcome, outcomeOfThrown } from "../../jobs/outcomes/outcome.ts";
import type { WorkStage } from "../../jobs/pipelines/work-stage.ts";
import type { JobError } from "../../jobs/reading/job.ts";
import { encodeOutput } from "../../jobs/values/json-value.ts";
import type { Claim, Settlement } from "../../store/working/claim.ts";
import type { SettledJob } from "../../store/working/settle-and-claim.ts";
import { tellDone, tellSkipped } from "./tell-done.ts";

/** An attempt that has ended and whose end the database has not confirmed yet. */
export interface EndedAttempt {
  readonly claim: Claim;
  readonly stage: WorkStage;
  readonly outcome: Outcome;
  /** The output or the error, as JSON text. */
  readonly value: string | null;
  readonly durationMs: number;
  readonly log: string | null;
}

/** Collects attempts that have ended until the next call sends them, and tells what became of them. */
export class JobSettler {
  readonly #events: EngineEvents;
  #waiting: EndedAttempt[] = [];

  constructor(events: EngineEvents) {
    this.#events = events;
  }

  /** An attempt has ended like this. */
  add(claim: Claim, stage: WorkStage, outcome: Outcome, durationMs: number, log: string | null): void {
    if (!("value" in outcome)) {
      this.#waiting.push({ claim, stage, outcome, value: errorText(outcome), durationMs, log });
      return;
    }
    try {
      this.#waiting.push({ claim, stage, outcome, value: encodeOutput(outcome.value), durationMs, log });
    } catch (thrown) {
      const refused = outcomeOfThrown(thrown, stage.definition.options.retry, claim.attempt);
      this.#waiting.push({ claim, stage, outcome: refused, value: errorText(refused), durationMs, log });
    }
  }

  /** Gives a claim back unspent. */
  addReleased(claim: Claim, stage: WorkStage): void {
    this.add(claim, stage, { kind: "release" }, 0, null);
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** How many attempts of each stage have ended and wait for a call. */
  waitingByStage(): ReadonlyMap<number, number> {
    const counts = new Map<number, number>();
    for (const { stage } of this.#waiting) counts.set(stage.id, (counts.get(stage.id) ?? 0) + 1);
    return counts;
  }

  /** The first of them, but no job twice: a second end of the same job goes with a later call. */
  take(limit = Number.POSITIVE_INFINITY): EndedAttempt[] {
    const jobIds = new Set<string>();
    const taken: EndedAttempt[] = [];
    const later: EndedAttempt[] = [];
    for (const ended of this.#waiting) {
      // The set grows with each job that it does not hold yet.
      if (taken.length < limit && jobIds.add(ended.claim.jobId).size > taken.length) taken.push(ended);
      else later.push(ended);
    }
    this.#waiting = later;
    return taken;
  }

  /** The call failed or its reply was lost: sent again, each is applied or recognised. */
  putBack(attempts: readonly EndedAttempt[]): void {
    this.#waiting = [...attempts, ...this.#waiting];
  }

  /** The database refuses this one whatever we do: let the failure itself be recorded. */
  putBackAsFailed(ended: EndedAttempt, error: JobError): void {
    const outcome: Outcome = { kind: "give_up", error };
    this.#waiting.unshift({ ...ended, outcome, value: JSON.stringify(error), log: null });
  }

  /** Tells the engine's listeners; comes back with the claims that were kept for their next stage. */
  confirm(attempts: readonly EndedAttempt[], settled: readonly SettledJob[]): Claim[] {
    const answers = new Map(settled.map((job) => [job.jobId, job]));
    const kept: Claim[] = [];
    for (const ended of attempts) {
      // Most are plainly done, and the database says nothing of those.
      const answer = answers.size === 0 ? undefined : answers.get(ended.claim.jobId);
      if (answer?.keptUnder) kept.push(keptClaim(ended, answer.keptUnder));
      this.#tell(ended, answer);
    }
    return kept;
  }

  #tell(ended: EndedAttempt, settled: SettledJob | undefined): void {
    const { claim, stage, outcome, durationMs } = ended;
    const { jobId, attempt } = claim;
    const events = this.#events;
    if (settled !== undefined && settled.answer !== "applied") {
      // The first reply was lost and its news with it; a listener hears of the rest from the database.
      if (settled.answer === "lease_lost") {
        events.emit("claim.lost", { jobId, stage: stage.definition.name, status: settled.status });
      }
    } else if (settled?.status === "cancelled") {
      events.emit("job.cancelled", aboutOf(ended));
    } else if (outcome.kind === "done" && settled?.status !== "completed") {
      tellDone(events, jobId, stage, durationMs);
    } else if (outcome.kind === "done" || outcome.kind === "finish") {
      // Done, in a stage that is the last one by now.
      events.emit("job.completed", { ...aboutOf(ended), durationMs });
    } else if (outcome.kind === "skip") {
      tellSkipped(events, jobId, stage, durationMs);
    } else if (outcome.kind === "snooze") {
      events.emit("job.snoozed", { ...aboutOf(ended), attempt, forMs: outcome.forMs });
    } else if (outcome.kind === "release") {
      events.emit("job.released", { ...aboutOf(ended), attempt });
    } else {
      const name = settled?.status === "retrying" ? "job.retrying" : "job.failed";
      events.emit(name, { ...aboutOf(ended), attempt, error: outcome.error, durationMs });
    }
  }
}

function aboutOf({ claim, stage }: EndedAttempt): { jobId: string; pipeline: string; stage: string } {
  return { jobId: claim.jobId, pipeline: stage.pipeline.name, stage: stage.definition.name };
}

/** As the database takes it; `keepIn` asks to keep the job for its next stage. */
export function settlementOf(ended: EndedAttempt, keepIn: number | null): Settlement {
  const { claim, outcome, value, log } = ended;
  return {
    jobId: claim.jobId,
    token: claim.token,
    outcome: outcome.kind,
    value,
    delayMs: outcome.kind === "retry" ? outcome.afterMs : outcome.kind === "snooze" ? outcome.forMs : null,
    timedOut: outcome.kind === "retry" && outcome.timedOut === true,
    keepIn,
    log,
  };
}

function errorText(outcome: Outcome): string | null {
  return "error" in outcome ? JSON.stringify(outcome.error) : null;
}

function keptClaim(ended: EndedAttempt, token: string): Claim {
  // As the next stage would read it from the database, not as the handler returned it.
  const output: unknown = ended.value === null ? null : JSON.parse(ended.value);
  return {
    ...ended.claim,
    stageId: ended.stage.nextId ?? ended.stage.id,
    token,
    attempt: 1,
    outputs: { ...ended.claim.outputs, [ended.stage.definition.name]: output },
  };
}
