import type { Clock } from "../../clock.ts";
import type { EngineEvents } from "../../events/engine-events.ts";
import type { FanOutParts } from "../../jobs/adding/fan-out.ts";
import type { Children } from "../../jobs/outcomes/job-outcome.ts";
import { giveUp, type Outcome, outcomeOfAnswer, outcomeOfThrown } from "../../jobs/outcomes/outcome.ts";
import { stageKey } from "../../jobs/pipelines/work-stage.ts";
import { encodeOutput } from "../../jobs/values/json-value.ts";
import type { BatchStore, FanOutWrite } from "../../store/adding/batch-store.ts";
import { DatabaseUnavailableError, RefusedError } from "../../store/connections/database-error.ts";
import { encodeChildren } from "./encoded-children.ts";
import type { JobRun } from "./job-run.ts";
import { StoredChildren } from "./stored-children.ts";

export interface FanOutsParts {
  readonly store: Pick<BatchStore, "fanOut" | "childrenOf">;
  readonly clock: Clock;
  readonly events: EngineEvents;
  readonly onAdded: () => void;
}

const resendAfterMs = 1_000;
// A pipeline that is full now or not defined yet: another attempt may find it otherwise.
const mayPass = ["LS002", "LS005"];

/** Writes the children of attempts that end with some, and reads those that a job has waited for. */
export class FanOuts {
  readonly #parts: FanOutsParts;

  constructor(parts: FanOutsParts) {
    this.#parts = parts;
  }

  childrenOf(jobId: string): Children {
    return new StoredChildren((after, limit) => this.#parts.store.childrenOf(jobId, after, limit));
  }

  /**
   * Ends the attempt's stage with its children. Never rejects. What it resolves to is settled like any other end: when the
   * children were written, the database recognises the claim as one that has ended.
   */
  async write(run: JobRun, wanted: FanOutParts): Promise<Outcome> {
    const { retry } = run.workStage.definition.options;
    try {
      return await this.#write(run, wanted);
    } catch (error) {
      return error instanceof RefusedError && !mayPass.includes(error.code)
        ? outcomeOfAnswer(giveUp(error))
        : outcomeOfThrown(error, retry, run.attempt);
    }
  }

  async #write(run: JobRun, wanted: FanOutParts): Promise<Outcome> {
    if (wanted.returns === null && run.workStage.nextId === null) {
      return outcomeOfAnswer(
        giveUp(
          `Stage ${stageKey(run.workStage)} is the last of its pipeline, so nothing would wait for its children: give the pipeline a stage after it`,
        ),
      );
    }
    const { children, onFailure, returns } = wanted;
    if (children.length === 0) return { kind: "done", value: wanted.output };
    const chunks = await encodeChildren(children);
    const output = encodeOutput(wanted.output);
    return this.#send(run, { chunks, output, onFailure, returns });
  }

  async #send(run: JobRun, ready: Omit<FanOutWrite, "claim" | "log">): Promise<Outcome> {
    const { store, clock, onAdded } = this.#parts;
    for (;;) {
      try {
        const answer = await store.fanOut({ claim: run.claim, log: run.logAsJson, ...ready });
        if (answer === "applied" && run.abortReason !== "cancel") this.#announce(run, ready.returns !== null);
        onAdded();
        return { kind: "done", value: undefined };
      } catch (error) {
        if (!(error instanceof DatabaseUnavailableError) || error.isFinal) throw error;
        // The write may have happened all the same; then the release has no effect.
        if (run.abortReason !== null) return { kind: "release" };
        await clock.sleep(resendAfterMs, run.signal);
      }
    }
  }

  #announce(run: JobRun, isWaiting: boolean): void {
    const { jobId, pipeline, stage, attempt, workStage } = run;
    const { events, clock } = this.#parts;
    const durationMs = clock.monotonicMs() - run.startedMs;
    if (isWaiting) {
      events.emit("job.branched", { jobId, pipeline, stage, attempt, durationMs });
      return;
    }
    const { stages } = workStage.pipeline;
    const nextStage = stages[stages.indexOf(workStage.definition) + 1]?.name ?? stage;
    events.emit("job.advanced", { jobId, pipeline, stage, nextStage, durationMs });
  }
}
