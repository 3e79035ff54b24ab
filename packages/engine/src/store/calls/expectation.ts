import type { PipelineSettings } from "../../jobs/pipelines/pipeline-options.ts";
import type { StageLimits } from "../../jobs/pipelines/stage-limits.ts";

export type StageRegistration = WorkRegistration | WaitRegistration;

/** A stage in which jobs wait for a signal or a time. */
export interface WaitRegistration {
  readonly name: string;
  readonly kind: "wait" | "sleep";
  readonly waitMs: number | null;
  readonly onTimeout?: string | null;
  readonly notBy?: "owner" | null;
  readonly signalSchema?: unknown;
}

export interface WorkRegistration extends StageLimits {
  readonly name: string;
  readonly maxAttempts: number;
  readonly maxLosses: number;
  readonly timeoutMs: number | null;
  readonly retry: { kind: string; baseMs: number; capMs: number; jitter: number };
  /** Only of a parallel stage. */
  readonly branches?: readonly string[];
  /** What an attempt spends, by the names of budgets; null: the code estimates it. */
  readonly spends?: Readonly<Record<string, number | null>>;
}

/** A pipeline as the database is told of it. */
export interface PipelineDefinition {
  readonly name: string;
  readonly stages: readonly StageRegistration[];
  readonly options: PipelineSettings & { readonly payloadSchema?: unknown };
}

/** What a process expects of its database: the schema that its code brings, and its pipelines as it defines them. */
export interface Expectation {
  readonly schemaVersion: number;
  readonly pipelines: readonly PipelineDefinition[];
}

/** The ids of the stages of pipelines that were recognized, by their names. */
export type StageIds = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** The arguments of recognize_pipelines. */
export function expectationValues({ schemaVersion, pipelines }: Expectation): [number, string] {
  return [schemaVersion, JSON.stringify(pipelines)];
}
