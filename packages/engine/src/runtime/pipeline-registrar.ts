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
  #registered: Promise<readonly WorkStage[]> | null = null;

  constructor(parts: PipelineRegistrarParts) {
    this.#parts = parts;
  }

  /** Rejects when the database is away; the next call tries again. */
  register(): Promise<readonly WorkStage[]> {
    this.#registered ??= this.#register().catch((error) => {
      this.#registered = null;
      throw error;
    });
    return this.#registered;
  }

  /** Goes on trying while the database is away, until the signal aborts. */
  async registerPatiently(signal: AbortSignal): Promise<readonly WorkStage[] | null> {
    while (!signal.aborted) {
      try {
        return await this.register();
      } catch (error) {
        if (!(error instanceof DatabaseUnavailableError) || error.isFinal) throw error;
        await this.#parts.clock.sleep(tryAgainMs, signal);
      }
    }
    return null;
  }

  async #register(): Promise<readonly WorkStage[]> {
    const { pipelines, store } = this.#parts;
    await checkSchema(store);
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
