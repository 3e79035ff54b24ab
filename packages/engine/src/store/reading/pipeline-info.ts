import type { Backoff } from "../../jobs/pipelines/retry-policy.ts";
import type { StageLimits } from "../../jobs/pipelines/stage-limits.ts";

/** A pipeline as the database knows it, wherever it was defined. */
export interface PipelineInfo {
  readonly name: string;
  readonly version: number;
  readonly maxPending: number | null;
  readonly ageingMs: number | null;
  readonly events: boolean;
  /** JSON Schema of the payload, where its validator can give one. */
  readonly payloadSchema: Readonly<Record<string, unknown>> | null;
  readonly stages: readonly StageInfo[];
  /** The pipeline with the parallel stage whose branch it is; null: it is no branch. */
  readonly branchOf: string | null;
}

/** A stage as the database knows it, with the options it was last defined with. */
export interface StageInfo extends StageLimits {
  readonly name: string;
  /** A stage that no worker runs; the options of handlers mean nothing there. */
  readonly kind?: "wait" | "sleep";
  /** Of a wait or a sleep: how long it lasts; without it, as long as it takes. */
  readonly waitMs?: number;
  /** Of a wait: "fail", "continue" or the name of a later stage. */
  readonly onTimeout?: string;
  readonly notBy?: "owner";
  /** Of a wait: JSON Schema of the signal, where its validator can give one. */
  readonly signalSchema?: Readonly<Record<string, unknown>>;
  readonly maxAttempts: number;
  readonly maxLosses: number;
  /** Null: no limit. */
  readonly timeoutMs: number | null;
  readonly retry: Backoff;
  readonly pausedAt: Date | null;
  /** Only of a parallel stage: the names of its branches. */
  readonly branches?: readonly string[];
  /** What an attempt is to spend, by the names of budgets; null: the code estimates it. */
  readonly spends?: Readonly<Record<string, number | null>>;
}

/** A row of describe_pipelines. */
export interface PipelineInfoRow
  extends Omit<PipelineInfo, "maxPending" | "ageingMs" | "payloadSchema" | "stages" | "branchOf"> {
  max_pending: number | null;
  ageing_ms: string | null;
  payload_schema: PipelineInfo["payloadSchema"];
  branch_of: string | null;
  stages: (Omit<StageInfo, "pausedAt"> & { pausedAt: string | null })[];
}

export function pipelineInfoOf(row: PipelineInfoRow): PipelineInfo {
  return {
    name: row.name,
    version: row.version,
    maxPending: row.max_pending,
    ageingMs: row.ageing_ms === null ? null : Number(row.ageing_ms),
    events: row.events,
    payloadSchema: row.payload_schema,
    branchOf: row.branch_of,
    stages: row.stages.map(({ pausedAt, ...stage }) => ({
      ...stage,
      pausedAt: pausedAt === null ? null : new Date(pausedAt),
    })),
  };
}
