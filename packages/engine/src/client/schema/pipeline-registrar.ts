import { codeSchemaVersion } from "@lockstep/database";
import type { Clock } from "../../clock.ts";
import { payloadSchemaOf } from "../../jobs/pipelines/payload-schema.ts";
import type { AnyPipeline } from "../../jobs/pipelines/pipeline.ts";
import { backoffOf } from "../../jobs/pipelines/retry-policy.ts";
import { type WorkStage, workStagesOf } from "../../jobs/pipelines/work-stage.ts";
import { DatabaseUnavailableError, isReadOnlyRefusal } from "../../store/connections/database-error.ts";
import type { OutageListener } from "../../store/connections/outages.ts";
import type { SchemaStore } from "../../store/reading/schema-store.ts";
import type { PipelineStore, StageRegistration } from "../../store/steering/pipeline-store.ts";
import { checkSchema } from "./schema-check.ts";
import { throughOutage } from "./through-outage.ts";

export interface PipelineRegistrarParts {
  readonly pipelines: readonly AnyPipeline[];
  readonly store: Pick<PipelineStore, "define">;
  readonly schema: Pick<SchemaStore, "name" | "versions">;
  /** Told of a schema that is older than this code, which can use it all the same. */
  readonly onSchemaBehind?: (found: number, needed: number) => void;
  readonly clock: Clock;
  /** Told of a server that answers but takes no writes. A pool does not see that as an outage, because reads succeed there. */
  readonly readOnly?: OutageListener;
}

const tryAgainMs = 1_000;
const tellAgainMs = 60_000;

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

  /** For those who add: a short outage is waited out, as it is when the add itself meets one. */
  ready(): Promise<readonly WorkStage[]> {
    return throughOutage(this.#parts.clock, () => this.register());
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
    const { clock, readOnly } = this.#parts;
    let readOnlySinceMs: number | null = null;
    let toldAtMs = Number.NEGATIVE_INFINITY;
    while (!signal.aborted) {
      try {
        const result = await run();
        if (readOnlySinceMs !== null) readOnly?.onUp({ downForMs: clock.monotonicMs() - readOnlySinceMs });
        return result;
      } catch (error) {
        if (!(error instanceof DatabaseUnavailableError) || error.isFinal) throw error;
        if (isReadOnlyRefusal(error)) {
          readOnlySinceMs ??= clock.monotonicMs();
          if (clock.monotonicMs() - toldAtMs >= tellAgainMs) {
            toldAtMs = clock.monotonicMs();
            readOnly?.onDown({ error });
          }
        }
        await clock.sleep(tryAgainMs, signal);
      }
    }
    return null;
  }

  #check(): Promise<void> {
    this.#checked ??= this.#checkSchema().catch((error) => {
      this.#checked = null;
      throw error;
    });
    return this.#checked;
  }

  async #checkSchema(): Promise<void> {
    const found = await checkSchema(this.#parts.schema);
    if (found < codeSchemaVersion) this.#parts.onSchemaBehind?.(found, codeSchemaVersion);
  }

  async #register(): Promise<readonly WorkStage[]> {
    const { pipelines, store } = this.#parts;
    await this.#check();
    const stages: WorkStage[] = [];
    for (const pipeline of pipelines) {
      const ids = await store.define(pipeline.name, pipeline.stages.map(registrationOf), {
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
