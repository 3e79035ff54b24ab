import type { PipelineSettings } from "../../jobs/pipelines/pipeline-options.ts";
import type { StageLimits } from "../../jobs/pipelines/stage-limits.ts";
import { sqlFunction } from "../calls/call-function.ts";
import type { Database } from "../connections/database.ts";
import { type PipelineInfo, type PipelineInfoRow, pipelineInfoOf } from "../reading/pipeline-info.ts";

export interface StageRegistration extends StageLimits {
  readonly name: string;
  readonly maxAttempts: number;
  readonly maxLosses: number;
  readonly timeoutMs: number | null;
  readonly retry: { kind: string; baseMs: number; capMs: number; jitter: number };
}

const functions = {
  define: sqlFunction("define_pipeline", ["p_name", "p_stages", "p_options"]),
  describe: sqlFunction("describe_pipelines", []),
};

/** The pipelines that the database knows. */
export class PipelineStore {
  readonly #database: Pick<Database, "query">;

  constructor(database: Pick<Database, "query">) {
    this.#database = database;
  }

  /** The ids of the stages, by name. */
  async define(
    name: string,
    stages: readonly StageRegistration[],
    settings: PipelineSettings & { readonly payloadSchema?: unknown },
  ): Promise<Map<string, number>> {
    const rows = await this.#database.query<{ stage: string; stage_id: number }>(
      functions.define(name, JSON.stringify(stages), JSON.stringify(settings)),
    );
    return new Map(rows.map((row) => [row.stage, row.stage_id]));
  }

  async list(): Promise<PipelineInfo[]> {
    const rows = await this.#database.query<PipelineInfoRow>(functions.describe());
    return rows.map(pipelineInfoOf);
  }
}
