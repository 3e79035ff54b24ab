import type { EngineEvents } from "../events/engine-events.ts";
import type { JobError } from "../jobs/job.ts";
import { encodeOutput } from "../jobs/json-value.ts";
import { type Outcome, outcomeOfThrown } from "../jobs/outcome.ts";
import type { Claim, Settlement } from "../store/claim.ts";
import type { SettledJob } from "../store/settle-and-claim.ts";
import type { WorkStage } from "./work-stage.ts";

/** A try that has ended and whose end the database has not confirmed yet. */
export interface EndedTry {
  readonly claim: Claim;
  readonly stage: WorkStage;
  readonly outcome: Outcome;
  /** The output or the error, as JSON text. */
  readonly value: string | null;
  readonly durationMs: number;
  readonly log: string | null;
}

/** Gathers the ends of tries until the next call takes them along, and says what became of them. */
export class JobSettler {
  readonly #events: EngineEvents;
  #waiting: EndedTry[] = [];

  constructor(events: EngineEvents) {
    this.#events = events;
  }

  settle(claim: Claim, stage: WorkStage, outcome: Outcome, durationMs: number, log: string | null): void {
    this.#waiting.push({ claim, stage, durationMs, log, ...encoded(outcome, stage, claim) });
  }

  /** Gives a claim back unspent. */
  release(claim: Claim, stage: WorkStage): void {
    this.settle(claim, stage, { kind: "release" }, 0, null);
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** The first of them, but no job twice: a second end of the same job goes with a later call. */
  take(limit = Number.POSITIVE_INFINITY): EndedTry[] {
    const taken = new Map<string, EndedTry>();
    const later: EndedTry[] = [];
    for (const ended of this.#waiting) {
      if (taken.size >= limit || taken.has(ended.claim.jobId)) later.push(ended);
      else taken.set(ended.claim.jobId, ended);
    }
    this.#waiting = later;
    return [...taken.values()];
  }

  /** The call failed or its reply was lost: sent again, each is applied or recognised. */
  putBack(tries: readonly EndedTry[]): void {
    this.#waiting = [...tries, ...this.#waiting];
  }

  /** The database refuses this one whatever we do: let the failure itself be recorded. */
  putBackAsFailed(ended: EndedTry, error: JobError): void {
    const outcome: Outcome = { kind: "give_up", error };
    this.#waiting.unshift({ ...ended, outcome, value: JSON.stringify(error), log: null });
  }

  /** Tells the engine's listeners; comes back with the claims that were kept for their next stage. */
  confirm(tries: readonly EndedTry[], settled: readonly SettledJob[]): Claim[] {
    const answers = new Map(settled.map((job) => [job.jobId, job]));
    const kept: Claim[] = [];
    for (const ended of tries) {
      const answer = answers.get(ended.claim.jobId);
      if (answer?.keptUnder) kept.push(keptClaim(ended, answer.keptUnder));
      this.#announce(ended, answer);
    }
    return kept;
  }

  #announce(ended: EndedTry, settled: SettledJob | undefined): void {
    const { claim, stage, outcome, durationMs } = ended;
    const events = this.#events;
    const about = { jobId: claim.jobId, pipeline: stage.pipeline.name, stage: stage.definition.name };
    if (settled !== undefined && settled.answer !== "applied") {
      // The first reply was lost and its news with it; a listener hears of the rest from the database.
      if (settled.answer === "lease_lost")
        events.emit("claim.lost", { jobId: about.jobId, stage: about.stage });
      return;
    }
    const attempt = claim.attempt;
    if (settled?.status === "cancelled") {
      events.emit("job.cancelled", about);
    } else if (outcome.kind === "done") {
      this.#announceDone(about, stage, durationMs);
    } else if (outcome.kind === "snooze") {
      events.emit("job.snoozed", { ...about, attempt, forMs: outcome.forMs });
    } else if (outcome.kind === "release") {
      events.emit("job.released", { ...about, attempt });
    } else {
      const name = settled?.status === "retrying" ? "job.retrying" : "job.failed";
      events.emit(name, { ...about, attempt, error: outcome.error, durationMs });
    }
  }

  #announceDone(
    about: { jobId: string; pipeline: string; stage: string },
    stage: WorkStage,
    durationMs: number,
  ): void {
    const { stages } = stage.pipeline;
    const next = stages[stages.indexOf(stage.definition) + 1];
    const name = next === undefined ? "job.completed" : "job.advanced";
    if (!this.#events.hasListeners(name)) return;
    if (next === undefined) this.#events.emit("job.completed", { ...about, durationMs });
    else this.#events.emit("job.advanced", { ...about, nextStage: next.name, durationMs });
  }
}

/** As the database takes it; `keepIn` asks to go on with the next stage at once. */
export function settlementOf(ended: EndedTry, keepIn: number | null): Settlement {
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

function encoded(
  outcome: Outcome,
  stage: WorkStage,
  claim: Claim,
): { outcome: Outcome; value: string | null } {
  if (outcome.kind === "retry" || outcome.kind === "give_up") {
    return { outcome, value: JSON.stringify(outcome.error) };
  }
  if (outcome.kind !== "done") return { outcome, value: null };
  try {
    return { outcome, value: encodeOutput(outcome.value) };
  } catch (thrown) {
    const refused = outcomeOfThrown(thrown, stage.definition.options.retry, claim.attempt);
    return { outcome: refused, value: "error" in refused ? JSON.stringify(refused.error) : null };
  }
}

function keptClaim(ended: EndedTry, token: string): Claim {
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
