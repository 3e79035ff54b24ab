import { type AnyPipeline, type AnyStage, isWait } from "../../jobs/pipelines/pipeline.ts";
import { didYouMean } from "../../jobs/values/nearest-name.ts";
import { validatePayload } from "../../jobs/values/standard-schema.ts";
import type { JobStore, LiveJob } from "../../store/reading/job-store.ts";
import type { QueueStore } from "../../store/reading/queue-store.ts";
import type { PipelineStore } from "../../store/steering/pipeline-store.ts";

/** What `check` leaves out. */
export interface CheckOptions {
  /** Names of pipelines that other code serves: their jobs are not this code's business. */
  readonly ignore?: readonly string[];
}

/** Jobs in flight that this code cannot run, all of one stage and for one reason. */
export interface UnrunnableJobs {
  readonly pipeline: string;
  readonly stage: string;
  readonly reason: "unknown_pipeline" | "unknown_stage" | "invalid_payload" | "changed_stage";
  readonly jobs: number;
  /** The oldest of them, at most ten. */
  readonly firstIds: readonly string[];
  /** What is wrong and what to do, in sentences. */
  readonly explanation: string;
}

type Reason = UnrunnableJobs["reason"];

interface Finding {
  readonly pipeline: string;
  readonly stage: string;
  readonly reason: Reason;
  jobs: number;
  readonly firstIds: string[];
  /** What the schema says of the first of them; of a changed stage, what it is now. */
  firstError: string;
}

export interface DeployCheckParts {
  readonly jobs: Pick<JobStore, "liveJobs">;
  readonly queue: Pick<QueueStore, "stats">;
  /** The pipelines as the database knows them. */
  readonly known: Pick<PipelineStore, "list">;
  readonly pipelines: readonly AnyPipeline[];
}

const idsShown = 10;

/**
 * Compares the jobs in flight with this code and changes nothing. The counters say how many jobs are in stages that the code
 * does not know; payloads are read page by page, and only if a pipeline that has jobs also has a schema.
 */
export class DeployCheck {
  readonly #parts: DeployCheckParts;
  readonly #pipelines: ReadonlyMap<string, AnyPipeline>;
  readonly #findings = new Map<string, Finding>();
  /** The kind of each stage that is stored, by "pipeline/stage". */
  #kinds: ReadonlyMap<string, string> = new Map();

  constructor(parts: DeployCheckParts) {
    this.#parts = parts;
    this.#pipelines = new Map(parts.pipelines.map((pipeline) => [pipeline.name, pipeline]));
  }

  async run(options: CheckOptions): Promise<UnrunnableJobs[]> {
    refuseUnknownOptions(options);
    this.#findings.clear();
    await this.#compareStages();
    const withSchema = await this.#countUnknown(new Set(options.ignore));
    let after: string | null = null;
    while (withSchema.size > 0 || this.#lacksIds()) {
      const page: readonly LiveJob[] = await this.#parts.jobs.liveJobs([...withSchema], after);
      if (page.length === 0) break;
      for (const job of page) await this.#look(job, withSchema);
      after = page.at(-1)?.id ?? null;
    }
    // If a stage had no jobs left when they were looked for, they were done in the meantime.
    return [...this.#findings.values()]
      .filter(({ firstIds, reason }) => firstIds.length > 0 || reason === "changed_stage")
      .map(withExplanation);
  }

  /** A stage that has another kind in this code is refused by the database, whether or not there are jobs in it. */
  async #compareStages(): Promise<void> {
    const stored = await this.#parts.known.list();
    this.#kinds = new Map(
      stored.flatMap(({ name, stages }) =>
        stages.map((stage) => [`${name}/${stage.name}`, stage.kind ?? "work"] as const),
      ),
    );
    for (const { name, stages } of this.#parts.pipelines) {
      for (const stage of stages) {
        const known = this.#kinds.get(`${name}/${stage.name}`) ?? kindOf(stage);
        if (known !== kindOf(stage)) this.#finding(name, stage.name, "changed_stage").firstError = known;
      }
    }
  }

  /** Comes back with the pipelines whose payloads are to be read. */
  async #countUnknown(ignored: ReadonlySet<string>): Promise<Set<string>> {
    const withSchema = new Set<string>();
    for (const { pipeline, stage, status, jobs } of await this.#parts.queue.stats()) {
      const isLive = status !== "completed" && status !== "failed" && status !== "cancelled";
      if (!isLive || jobs <= 0 || ignored.has(pipeline)) continue;
      const changed = this.#findings.get(keyOf(pipeline, stage, "changed_stage"));
      if (changed !== undefined) changed.jobs += jobs;
      const reason = this.#unknown(pipeline, stage);
      if (reason !== null) this.#finding(pipeline, stage, reason).jobs += jobs;
      else if (this.#pipelines.get(pipeline)?.payload) withSchema.add(pipeline);
    }
    return withSchema;
  }

  #unknown(pipeline: string, stage: string): Reason | null {
    const known = this.#pipelines.get(pipeline);
    if (known === undefined) return "unknown_pipeline";
    // No code runs a wait: jobs in one that was dropped go on to the next stage as before.
    if ((this.#kinds.get(`${pipeline}/${stage}`) ?? "work") !== "work") return null;
    return known.stages.some(({ name }) => name === stage) ? null : "unknown_stage";
  }

  async #look({ id, pipeline, stage, payload }: LiveJob, withSchema: ReadonlySet<string>): Promise<void> {
    const unknown = this.#unknown(pipeline, stage);
    if (unknown !== null) {
      // Found only if it was counted: what others serve, and what was added since, was not.
      const finding = this.#findings.get(keyOf(pipeline, stage, unknown));
      if (finding !== undefined && finding.firstIds.length < idsShown) finding.firstIds.push(id);
      return;
    }
    const changed = this.#findings.get(keyOf(pipeline, stage, "changed_stage"));
    if (changed !== undefined && changed.firstIds.length < idsShown) changed.firstIds.push(id);
    if (!withSchema.has(pipeline)) return;
    const refusal = await this.#refusalOf(pipeline, payload);
    if (refusal === null) return;
    const finding = this.#finding(pipeline, stage, "invalid_payload");
    finding.jobs += 1;
    if (finding.firstIds.length === 0) finding.firstError = refusal;
    if (finding.firstIds.length < idsShown) finding.firstIds.push(id);
  }

  async #refusalOf(pipeline: string, payload: unknown): Promise<string | null> {
    const schema = this.#pipelines.get(pipeline)?.payload ?? null;
    if (schema === null) return null;
    try {
      await validatePayload(schema, payload);
      return null;
    } catch (error) {
      // A schema that throws would throw in the worker too.
      return error instanceof Error ? error.message : String(error);
    }
  }

  #finding(pipeline: string, stage: string, reason: Reason): Finding {
    const key = keyOf(pipeline, stage, reason);
    let finding = this.#findings.get(key);
    if (finding === undefined) {
      finding = { pipeline, stage, reason, jobs: 0, firstIds: [], firstError: "" };
      this.#findings.set(key, finding);
    }
    return finding;
  }

  #lacksIds(): boolean {
    return [...this.#findings.values()].some(
      ({ jobs, firstIds }) => firstIds.length < Math.min(jobs, idsShown),
    );
  }
}

function withExplanation({ firstError, ...finding }: Finding): UnrunnableJobs {
  return { ...finding, explanation: explanationOf({ firstError, ...finding }) };
}

function explanationOf({ pipeline, stage, reason, jobs, firstIds, firstError }: Finding): string {
  const [count, theyAre] = jobs === 1 ? ["1 job", "it is"] : [`${jobs} jobs`, "they are"];
  const keep = `Keep workers of the code that has it until ${theyAre} done, give it back to this code, or cancel`;
  switch (reason) {
    case "unknown_pipeline":
      return `${count} in flight in ${pipeline}/${stage}, a pipeline this code does not have. ${keep} ${jobs === 1 ? "it" : "them"}; name it in \`ignore\` if other code serves it.`;
    case "unknown_stage":
      return `${count} in flight in ${pipeline}/${stage}, a stage this code's pipeline does not have. ${keep} ${jobs === 1 ? "it" : "them"}.`;
    case "changed_stage":
      return `Stage ${pipeline}/${stage} is of the kind ${firstError} in the database, and this code makes another of it, which is refused; ${count} in flight there. Give the new stage another name: the old one keeps its jobs until ${theyAre} done.`;
    case "invalid_payload":
      return `${count} in flight in ${pipeline}/${stage} with a payload that the pipeline's schema refuses, first job ${firstIds[0]}: ${firstError} Let the schema take the old shape too, or let workers of the old code finish.`;
  }
}

function kindOf(stage: AnyStage): string {
  return isWait(stage) ? stage.wait.kind : "work";
}

function keyOf(pipeline: string, stage: string, reason: Reason): string {
  return `${pipeline}/${stage} ${reason}`;
}

function refuseUnknownOptions(options: CheckOptions): void {
  for (const key of Object.keys(options)) {
    if (key === "ignore") continue;
    throw new TypeError(`Unknown option "${key}" of check.${didYouMean(key, ["ignore"])}`);
  }
  const { ignore = [] } = options;
  if (Array.isArray(ignore) && ignore.every((name) => typeof name === "string")) return;
  throw new TypeError('The option "ignore" of check is a list of pipeline names.');
}
