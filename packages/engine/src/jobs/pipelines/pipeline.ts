import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { FanOut, OnFailure } from "../adding/fan-out.ts";
import type { Finish, HandlerAnswer } from "../outcomes/outcome.ts";
import type { CarriedByJson, Jsonify, Stored } from "../values/jsonify.ts";
import {
  type AnyBranches,
  type BranchesOutput,
  branchHandler,
  type FittingBranches,
  type ParallelOptions,
  type PlannedBranch,
  plannedBranches,
} from "./branches.ts";
import { DefinitionError } from "./definition-error.ts";
import { completePipelineOptions, type PipelineOptions, type PipelineSettings } from "./pipeline-options.ts";
import type { StageContext } from "./stage-context.ts";
import { type CompleteStageOptions, completeStageOptions, type StageOptions } from "./stage-options.ts";

/** A handler with its types forgotten, as the engine calls it. */
export type StageHandler = (context: StageContext) => unknown;

/** What `when` decides by. */
export type WhenContext<Payload = unknown, Output = unknown, Outputs = unknown> = Pick<
  StageContext<Payload, Output, Outputs>,
  "payload" | "output" | "outputs"
>;

/** A stage with it may be skipped. */
export interface WhenOption<Payload, Output, Outputs> {
  /** False: the stage is skipped, and what the stage before returned passes through. */
  readonly when: (context: WhenContext<Payload, Output, Outputs>) => boolean;
}

export interface StageDefinition {
  readonly name: string;
  readonly options: CompleteStageOptions;
  readonly handler: StageHandler;
  /** Says whether the stage runs; without it, it always does. */
  readonly when?: (context: WhenContext) => unknown;
  /** Of a parallel stage. */
  readonly branches?: readonly PlannedBranch[];
}

declare const typesOf: unique symbol;

/** Any pipeline, whatever its types. */
export interface AnyPipeline<Input = unknown, Payload = unknown, Result = unknown> {
  readonly name: string;
  readonly payload: StandardSchemaV1 | null;
  readonly settings: PipelineSettings;
  readonly stages: readonly StageDefinition[];
  /** Of a branch: under which name its jobs have the output that its first stage is given. */
  readonly outputBefore?: string;
  readonly [typesOf]?: () => { input: Input; payload: Payload; result: Result };
}

/** What `add` takes for a pipeline: the schema's input. */
export type PipelineInput<P extends AnyPipeline> = TypesOf<P>["input"];
/** What handlers read: the schema's output, or without a schema what JSON makes of the input. */
export type PipelinePayload<P extends AnyPipeline> = TypesOf<P>["payload"];
/** What the last stage returns, or a stage that finishes early, as JSON brings it back. */
export type PipelineResult<P extends AnyPipeline> = TypesOf<P>["result"];

type TypesOf<P extends AnyPipeline> =
  P extends AnyPipeline<infer Input, infer Payload, infer Result>
    ? { input: Input; payload: Payload; result: Result }
    : never;

/** What a handler's answer leaves for the next stage: giving up, retrying and snoozing leave nothing. */
export type OutputOf<Answer> =
  | Stored<Exclude<Awaited<Answer>, HandlerAnswer>>
  | FanOutOutput<Awaited<Answer>>;

/** What a handler finishes its job with; never, if it does not. */
export type FinishedBy<Answer> =
  Awaited<Answer> extends infer Each ? (Each extends Finish<infer Result> ? Stored<Result> : never) : never;

type FanOutOutput<Answer> = Answer extends FanOut<unknown, infer Output> ? Stored<Output> : never;

/** What the children of a stage that fans out return; those of the stage before, when it does not. */
type ChildOf<Answer, Child> = [Extract<Awaited<Answer>, FanOut<unknown, unknown>>] extends [never]
  ? Child
  : ChildResult<Awaited<Answer>>;

type ChildResult<Answer> = Answer extends FanOut<infer Result, unknown> ? Result : never;

type WithOutput<Outputs, Name extends string, Output> = {
  readonly [Stage in keyof Outputs | Name]: Stage extends keyof Outputs ? Outputs[Stage] : Output;
};

/** A named, ordered list of stages. Adding a stage gives a new pipeline and leaves this one as it is. */
export class Pipeline<Input, Payload, Outputs, Output, Child = unknown, Finished = never>
  implements AnyPipeline<Input, Payload, Output | Finished>
{
  readonly name: string;
  readonly payload: StandardSchemaV1 | null;
  readonly settings: PipelineSettings;
  readonly stages: readonly StageDefinition[];
  declare readonly outputBefore?: string;
  declare readonly [typesOf]?: () => { input: Input; payload: Payload; result: Output | Finished };

  constructor(
    name: string,
    payload: StandardSchemaV1 | null,
    settings: PipelineSettings,
    stages: readonly StageDefinition[],
    outputBefore?: string,
  ) {
    this.name = name;
    this.payload = payload;
    this.settings = settings;
    this.stages = Object.freeze([...stages]);
    if (outputBefore !== undefined) this.outputBefore = outputBefore;
  }

  stage<const Name extends string, Answer>(
    name: Name,
    handler: (context: StageContext<Payload, Output, Outputs, Child>) => Answer,
  ): Pipeline<
    Input,
    Payload,
    WithOutput<Outputs, Name, OutputOf<Answer>>,
    OutputOf<Answer>,
    ChildOf<Answer, Child>,
    Finished | FinishedBy<Answer>
  >;
  stage<const Name extends string, Answer>(
    name: Name,
    options: StageOptions & WhenOption<Payload, Output, Outputs>,
    handler: (context: StageContext<Payload, Output, Outputs, Child>) => Answer,
  ): Pipeline<
    Input,
    Payload,
    WithOutput<Outputs, Name, OutputOf<Answer> | Stored<Output>>,
    OutputOf<Answer> | Stored<Output>,
    ChildOf<Answer, Child>,
    Finished | FinishedBy<Answer>
  >;
  stage<const Name extends string, Answer>(
    name: Name,
    options: StageOptions,
    handler: (context: StageContext<Payload, Output, Outputs, Child>) => Answer,
  ): Pipeline<
    Input,
    Payload,
    WithOutput<Outputs, Name, OutputOf<Answer>>,
    OutputOf<Answer>,
    ChildOf<Answer, Child>,
    Finished | FinishedBy<Answer>
  >;
  stage(
    name: string,
    optionsOrHandler: StageOptions | ((context: never) => unknown),
    givenHandler?: (context: never) => unknown,
  ): AnyPipeline {
    const where = this.#whereOf(name);
    const handler = typeof optionsOrHandler === "function" ? optionsOrHandler : givenHandler;
    if (typeof handler !== "function") {
      throw new DefinitionError(`The handler of ${where} must be a function.`);
    }
    const { when, ...options } = optionsOf(optionsOrHandler, where);
    if (when !== undefined && typeof when !== "function") {
      throw new DefinitionError(`when of ${where} must be a function that returns true or false.`);
    }
    // From here on the types are only a promise: what the engine hands over was checked when it was stored.
    return this.#with({
      name,
      options: completeStageOptions(options, where),
      handler: handler as StageHandler,
      ...(when && { when }),
    });
  }

  /**
   * A stage whose branches run side by side as jobs of their own; its output has the result of each under its name. A branch is a
   * handler, `[options, handler]`, a pipeline that takes the same payload, or `[pipeline, context => payload]`.
   */
  parallel<
    const Name extends string,
    const Branches extends AnyBranches<Payload, Output>,
    const Policies extends OnFailure | { readonly [Branch in keyof Branches]?: OnFailure } = "fail",
  >(
    name: Name,
    branches: Branches & FittingBranches<Branches, Payload>,
    options: ParallelOptions<Policies> = {},
  ): Pipeline<
    Input,
    Payload,
    WithOutput<Outputs, Name, BranchesOutput<Branches, Policies>>,
    BranchesOutput<Branches, Policies>,
    unknown,
    Finished
  > {
    const where = this.#whereOf(name);
    const { version, events } = this.settings;
    const settings: PipelineSettings = { version, events, branchOf: this.name };
    const before = this.stages.at(-1)?.name;
    const planned = plannedBranches(branches, options, where, (branch, stageOptions, handler) => {
      const branchName = `${this.name}:${name}:${branch}`;
      checkName("pipeline", branchName);
      const stage = {
        name: branch,
        options: completeStageOptions(stageOptions, `branch "${branch}" of ${where}`),
        handler,
      };
      return new Pipeline(
        branchName,
        this.payload,
        settings,
        [Object.freeze(stage)],
        before === undefined ? undefined : `${this.name}/${before}`,
      );
    });
    const stage = { name, options: completeStageOptions({}, where), handler: branchHandler(planned) };
    return this.#with({ ...stage, branches: planned }) as never;
  }

  #whereOf(name: string): string {
    checkName("stage", name);
    if (this.stages.some((stage) => stage.name === name)) {
      throw new DefinitionError(`Pipeline "${this.name}" already has a stage "${name}".`);
    }
    return `stage "${name}" of pipeline "${this.name}"`;
  }

  #with(stage: StageDefinition): AnyPipeline {
    const stages = [...this.stages, Object.freeze(stage)];
    return new Pipeline(this.name, this.payload, this.settings, stages, this.outputBefore);
  }
}

/** Begins a pipeline. With a schema the payload's types come from it; without, from the type argument. */
export function definePipeline<Schema extends StandardSchemaV1>(
  name: string,
  options: PipelineOptions<Schema> & {
    readonly payload: Schema & CarriedByJson<StandardSchemaV1.InferInput<Schema>>;
  },
): Pipeline<
  StandardSchemaV1.InferInput<Schema>,
  StandardSchemaV1.InferOutput<Schema>,
  Record<never, never>,
  undefined
>;
export function definePipeline<Payload = unknown>(
  name: string,
  options?: Omit<PipelineOptions, "payload">,
): Pipeline<Payload, Jsonify<Payload>, Record<never, never>, undefined>;
export function definePipeline(
  name: string,
  options: PipelineOptions = {},
): Pipeline<unknown, unknown, Record<never, never>, undefined> {
  checkName("pipeline", name);
  const settings = completePipelineOptions(options, name);
  const schema = options.payload ?? null;
  if (schema !== null && typeof schema["~standard"]?.validate !== "function") {
    throw new DefinitionError(
      `The payload of pipeline "${name}" must be a Standard Schema validator, for example a zod schema.`,
    );
  }
  return new Pipeline(name, schema, settings, []);
}

/** These pipelines, each followed by those of its branches. One that is there twice is one. */
export function withBranches(pipelines: readonly AnyPipeline[]): readonly AnyPipeline[] {
  const all = new Set<AnyPipeline>();
  const add = (pipeline: AnyPipeline) => {
    if (all.has(pipeline)) return;
    all.add(pipeline);
    for (const stage of pipeline.stages) for (const branch of stage.branches ?? []) add(branch.pipeline);
  };
  for (const pipeline of pipelines) add(pipeline);
  return [...all];
}

/** The pipelines an engine is given: each with a stage, no two of one name. */
export function checkPipelines(pipelines: readonly AnyPipeline[]): void {
  const names = new Set<string>();
  for (const pipeline of pipelines) {
    if (typeof pipeline?.name !== "string" || !Array.isArray(pipeline.stages)) {
      throw new DefinitionError("Each of the pipelines must come from definePipeline.");
    }
    if (pipeline.stages.length === 0) {
      throw new DefinitionError(
        `Pipeline "${pipeline.name}" has no stages: add one with .stage(name, handler).`,
      );
    }
    if (names.has(pipeline.name)) {
      throw new DefinitionError(`Two pipelines are named "${pipeline.name}": each needs a name of its own.`);
    }
    names.add(pipeline.name);
  }
}

function optionsOf(given: unknown, where: string): StageOptions & Pick<StageDefinition, "when"> {
  if (typeof given === "function") return {};
  if (typeof given === "object" && given !== null) return given;
  throw new DefinitionError(`The options of ${where} must be an object such as { processors: 10 }.`);
}

// No slash: "pipeline/stage" names a stage in SQL and on the command line.
const namePattern = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$/;

export function checkName(kind: "pipeline" | "stage", name: string): void {
  if (typeof name === "string" && namePattern.test(name)) return;
  throw new DefinitionError(
    `A ${kind} name is 1 to 100 letters, digits, "_", ".", ":" or "-" and begins with a letter or digit; ${JSON.stringify(String(name).slice(0, 120))} is not one.`,
  );
}
