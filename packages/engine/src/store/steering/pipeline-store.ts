import { sqlFunction } from "../calls/call-function.ts";
import {
  type Expectation,
  expectationValues,
  type PipelineDefinition,
  type StageIds,
} from "../calls/expectation.ts";
import type { Database } from "../connections/database.ts";
import { type PipelineInfo, type PipelineInfoRow, pipelineInfoOf } from "../reading/pipeline-info.ts";

const functions = {
  recognize: sqlFunction("recognize_pipelines", ["p_schema_version", "p_pipelines"]),
  define: sqlFunction("define_pipelines", ["p_pipelines"]),
  describe: sqlFunction("describe_pipelines", []),
};

/** The pipelines that the database knows. */
export class PipelineStore {
  readonly #database: Pick<Database, "query">;

  constructor(database: Pick<Database, "query">) {
    this.#database = database;
  }

  /** The ids of the stages; null unless all is as expected. */
  async recognize(expected: Expectation): Promise<StageIds | null> {
    const [row] = await this.#database.query<{ stage_ids: StageIds }>(
      functions.recognize(...expectationValues(expected)),
    );
    return row?.stage_ids ?? null;
  }

  /** Makes all of them known, or none; the ids of their stages. */
  async define(pipelines: readonly PipelineDefinition[]): Promise<StageIds> {
    const rows = await this.#database.query<{ pipeline: string; stage: string; stage_id: number }>(
      functions.define(JSON.stringify(pipelines)),
    );
    const ids: Record<string, Record<string, number>> = {};
    for (const { pipeline, stage, stage_id } of rows) {
      ids[pipeline] = { ...ids[pipeline], [stage]: stage_id };
    }
    return ids;
  }

  async list(): Promise<PipelineInfo[]> {
    const rows = await this.#database.query<PipelineInfoRow>(functions.describe());
    return rows.map(pipelineInfoOf);
  }
}
