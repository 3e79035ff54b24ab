import type { Clock } from "../clock.ts";
import { payloadSchemaOf } from "../jobs/payload-schema.ts";
import type { AnyPipeline } from "../jobs/pipeline.ts";
import { backoffOf } from "../jobs/retry-policy.ts";
import { DatabaseUnavailableError } from "../store/database-error.ts";
import type { JobStore, StageRegistration } from "../store/job-store.ts";
import { checkSchema } from "./schema-check.ts";
import { type WorkStage, workStagesOf } from "./work-stage.ts";

export interface PipelineRegistrarParts {
  readonly pipelines: readonly AnyPipeline[];
  readonly store: Pick<JobStore, "definePipeline" | "schemaVersion">;
  readonly clock: Clock;
}

const tryAgainMs = 1_000;

/** Makes the pipelines known to the database, once, when they are first needed. */
export class PipelineRegistrar {
  readonly #parts: PipelineRegistrarParts;
  #checked: Promise<void> | null = null;
  #registered: Promise<readonly WorkStage[]> | null = null;

  constructor(parts: PipelineRegistrarParts) {
    this.#parts = parts;
  }

  /** Rejects when the database is away; the next call tries again. */
  register(): Promise<readonly WorkStage[]> {
    this.#registered ??= this.#register().catch((error) => {
      this.#registered = null;
      // It may be another database, or another schema, that comes back.
      this.#checked = null;
      throw error;
    });
    return this.#registered;
  }

  /** Goes on trying while the database is away, until the signal aborts. */
  registerPatiently(signal: AbortSignal): Promise<readonly WorkStage[] | null> {
    return this.#patiently(signal, () => this.register());
  }

  /** As patient; says whether the database has answered, with the schema of this code. */
  async reachPatiently(signal: AbortSignal): Promise<boolean> {
    return (await this.#patiently(signal, () => this.#check().then(() => true))) ?? false;
  }

  async #patiently<Result>(signal: AbortSignal, run: () => Promise<Result>): Promise<Result | null> {
    while (!signal.aborted) {
      try {
        return await run();
      } catch (error) {
        if (!(error instanceof DatabaseUnavailableError) || error.isFinal) throw error;
        await this.#parts.clock.sleep(tryAgainMs, signal);
      }
    }
    return null;
  }

  #check(): Promise<void> {
    this.#checked ??= checkSchema(this.#parts.store).catch((error) => {
      this.#checked = null;
      throw error;
    });
    return this.#checked;
  }

  async #register(): Promise<readonly WorkStage[]> {
    const { pipelines, store } = this.#parts;
    await this.#check();
    const stages: WorkStage[] = [];
    for (const pipeline of pipelines) {
      const ids = await store.definePipeline(pipeline.name, pipeline.stages.map(registrationOf), {
        ...pipeline.settings,
        payloadSchema: payloadSchemaOf(pipeline.payload),
      });
      stages.push(...workStagesOf(pipeline, ids));
    }
    return stages;
  }
}

function registrationOf(stage: AnyPipeline["stages"][number]): StageRegistration {
  const { maxAttempts, maxLosses, timeoutMs, retry, limits } = stage.options;
  return { name: stage.name, maxAttempts, maxLosses, timeoutMs, retry: backoffOf(retry), ...limits };
}
