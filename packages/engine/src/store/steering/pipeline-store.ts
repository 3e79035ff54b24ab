import { sqlFunction } from "../calls/call-function.ts";
import {
  type Expectation,
  expectationValues,
  type PipelineDefinition,
  type StageIds,
  type StageRegistration,
} from "../calls/expectation.ts";
import type { Database } from "../connections/database.ts";
import { type PipelineInfo, type PipelineInfoRow, pipelineInfoOf } from "../reading/pipeline-info.ts";

const functions = {
  recognize: sqlFunction("recognize_pipelines", ["p_schema_version", "p_pipelines"]),
  define: sqlFunction("define_pipeline", ["p_name", "p_stages", "p_options"]),
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

  /** The ids of the stages, by name. */
  async define(
    name: string,
    stages: readonly StageRegistration[],
    settings: PipelineDefinition["options"],
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
