import { codeSchemaVersion } from "@lockstep/database";
import type { Clock } from "../../clock.ts";
import { storedSpends } from "../../jobs/budgets/spends.ts";
import { payloadSchemaOf } from "../../jobs/pipelines/payload-schema.ts";
import { type AnyPipeline, type AnyStage, isWait } from "../../jobs/pipelines/pipeline.ts";
import { backoffOf } from "../../jobs/pipelines/retry-policy.ts";
import { type WorkStage, workStagesOf } from "../../jobs/pipelines/work-stage.ts";
import type { Recognition } from "../../store/adding/add-jobs.ts";
import type {
  Expectation,
  PipelineDefinition,
  StageIds,
  StageRegistration,
} from "../../store/calls/expectation.ts";
import { DatabaseUnavailableError, isReadOnlyRefusal } from "../../store/connections/database-error.ts";
import type { OutageListener } from "../../store/connections/outages.ts";
import type { SchemaStore } from "../../store/reading/schema-store.ts";
import type { PipelineStore } from "../../store/steering/pipeline-store.ts";
import { checkSchema } from "./schema-check.ts";
import { throughOutage } from "./through-outage.ts";

export interface PipelineRegistrarParts {
  readonly pipelines: readonly AnyPipeline[];
  readonly store: Pick<PipelineStore, "recognize" | "define">;
  readonly schema: Pick<SchemaStore, "name" | "versions">;
  /** Told of a schema that is older than this code, which can use it all the same. */
  readonly onSchemaBehind?: (found: number, needed: number) => void;
  readonly clock: Clock;
  /** Told of a server that answers but takes no writes. A pool does not see that as an outage, because reads succeed there. */
  readonly readOnly?: OutageListener;
}

/** Asks whether the database is as expected; null: it is not. */
type Recognize = (expected: Expectation) => Promise<StageIds | null>;

const tryAgainMs = 1_000;
const tellAgainMs = 60_000;

/** Makes the pipelines known to the database, once, when they are first needed. Nearly always it knows them, and one call says so. */
export class PipelineRegistrar {
  readonly #parts: PipelineRegistrarParts;
  #registered: Promise<readonly WorkStage[]> | null = null;
  #isRegistered = false;
  #expectation: Expectation | null = null;

  constructor(parts: PipelineRegistrarParts) {
    this.#parts = parts;
  }

  /** For a call that recognizes the pipelines on its way; undefined: they are known already. */
  recognition(): Recognition | undefined {
    if (this.#isRegistered) return undefined;
    return { expected: this.#expected(), onRecognized: (stageIds) => this.#known(stageIds) };
  }

  /** Rejects when the database is away; the next call tries again. */
  register(
    recognize: Recognize = (expected) => this.#parts.store.recognize(expected),
  ): Promise<readonly WorkStage[]> {
    this.#registered ??= this.#register(recognize).catch((error) => {
      this.#registered = null;
      throw error;
    });
    return this.#registered;
  }

  /** For those who add: a short outage is waited out, as it is when the add itself meets one. */
  ready(): Promise<readonly WorkStage[]> {
    return throughOutage(this.#parts.clock, () => this.register());
  }

  /** Goes on trying while the database is away, until the signal aborts. Unless the pipelines are known already, it asks as told. */
  registerPatiently(signal: AbortSignal, recognize?: Recognize): Promise<readonly WorkStage[] | null> {
    return this.#patiently(signal, () => this.register(recognize));
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

  async #register(recognize: Recognize): Promise<readonly WorkStage[]> {
    const { store, schema, onSchemaBehind } = this.#parts;
    const known = await recognize(this.#expected()).catch((error) => {
      if (error instanceof DatabaseUnavailableError) throw error;
      // An older schema has no such function, or there is none at all: the next call says which.
      return null;
    });
    if (known !== null) return this.#known(known);
    const found = await checkSchema(schema);
    if (found < codeSchemaVersion) onSchemaBehind?.(found, codeSchemaVersion);
    return this.#known(await store.define(this.#expected().pipelines));
  }

  #known(stageIds: StageIds): readonly WorkStage[] {
    const stages = this.#parts.pipelines.flatMap((pipeline) =>
      workStagesOf(pipeline, new Map(Object.entries(stageIds[pipeline.name] ?? {}))),
    );
    this.#isRegistered = true;
    this.#registered ??= Promise.resolve(stages);
    return stages;
  }

  #expected(): Expectation {
    this.#expectation ??= {
      schemaVersion: codeSchemaVersion,
      pipelines: this.#parts.pipelines.map(definitionOf),
    };
    return this.#expectation;
  }
}

function definitionOf({ name, stages, settings, payload }: AnyPipeline): PipelineDefinition {
  const options = { ...settings, payloadSchema: payloadSchemaOf(payload) };
  return { name, stages: stages.map(registrationOf), options };
}

function registrationOf(stage: AnyStage): StageRegistration {
  if (isWait(stage)) {
    const { kind, waitMs, onTimeout, notBy, schema } = stage.wait;
    if (kind === "sleep") return { name: stage.name, kind, waitMs };
    return { name: stage.name, kind, waitMs, onTimeout, notBy, signalSchema: payloadSchemaOf(schema) };
  }
  const { maxAttempts, maxLosses, timeoutMs, retry, limits, spends } = stage.options;
  const branches = stage.branches && { branches: stage.branches.map(({ name }) => name) };
  return {
    name: stage.name,
    maxAttempts,
    maxLosses,
    timeoutMs,
    retry: backoffOf(retry),
    ...limits,
    ...branches,
    ...(spends && { spends: storedSpends(spends) }),
  };
}
