import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { FanOut } from "../adding/fan-out.ts";
import type { HandlerAnswer } from "../outcomes/outcome.ts";
import type { CarriedByJson, Jsonify, Stored } from "../values/jsonify.ts";
import { DefinitionError } from "./definition-error.ts";
import { completePipelineOptions, type PipelineOptions, type PipelineSettings } from "./pipeline-options.ts";
import type { StageContext } from "./stage-context.ts";
import { type CompleteStageOptions, completeStageOptions, type StageOptions } from "./stage-options.ts";

/** A handler with its types forgotten, as the engine calls it. */
export type StageHandler = (context: StageContext) => unknown;

export interface StageDefinition {
  readonly name: string;
  readonly options: CompleteStageOptions;
  readonly handler: StageHandler;
}

declare const typesOf: unique symbol;

/** Any pipeline, whatever its types. */
export interface AnyPipeline<Input = unknown, Payload = unknown, Result = unknown> {
  readonly name: string;
  readonly payload: StandardSchemaV1 | null;
  readonly settings: PipelineSettings;
  readonly stages: readonly StageDefinition[];
  readonly [typesOf]?: () => { input: Input; payload: Payload; result: Result };
}

/** What `add` takes for a pipeline: the schema's input. */
export type PipelineInput<P extends AnyPipeline> = TypesOf<P>["input"];
/** What handlers read: the schema's output, or without a schema what JSON makes of the input. */
export type PipelinePayload<P extends AnyPipeline> = TypesOf<P>["payload"];
/** What the last stage returns, as JSON brings it back. */
export type PipelineResult<P extends AnyPipeline> = TypesOf<P>["result"];

type TypesOf<P extends AnyPipeline> =
  P extends AnyPipeline<infer Input, infer Payload, infer Result>
    ? { input: Input; payload: Payload; result: Result }
    : never;

/** What a handler's answer leaves for the next stage: giving up, retrying and snoozing leave nothing. */
type OutputOf<Answer> = Stored<Exclude<Awaited<Answer>, HandlerAnswer>> | FanOutOutput<Awaited<Answer>>;

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
export class Pipeline<Input, Payload, Outputs, Output, Child = unknown>
  implements AnyPipeline<Input, Payload, Output>
{
  readonly name: string;
  readonly payload: StandardSchemaV1 | null;
  readonly settings: PipelineSettings;
  readonly stages: readonly StageDefinition[];
  declare readonly [typesOf]?: () => { input: Input; payload: Payload; result: Output };

  constructor(
    name: string,
    payload: StandardSchemaV1 | null,
    settings: PipelineSettings,
    stages: readonly StageDefinition[],
  ) {
    this.name = name;
    this.payload = payload;
    this.settings = settings;
    this.stages = Object.freeze([...stages]);
  }

  stage<const Name extends string, Answer>(
    name: Name,
    handler: (context: StageContext<Payload, Output, Outputs, Child>) => Answer,
  ): Pipeline<
    Input,
    Payload,
    WithOutput<Outputs, Name, OutputOf<Answer>>,
    OutputOf<Answer>,
    ChildOf<Answer, Child>
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
    ChildOf<Answer, Child>
  >;
  stage(
    name: string,
    optionsOrHandler: StageOptions | ((context: never) => unknown),
    givenHandler?: (context: never) => unknown,
  ): AnyPipeline {
    checkName("stage", name);
    const where = `stage "${name}" of pipeline "${this.name}"`;
    if (this.stages.some((stage) => stage.name === name)) {
      throw new DefinitionError(`Pipeline "${this.name}" already has a stage "${name}".`);
    }
    const handler = typeof optionsOrHandler === "function" ? optionsOrHandler : givenHandler;
    if (typeof handler !== "function") {
      throw new DefinitionError(`The handler of ${where} must be a function.`);
    }
    const options = completeStageOptions(
      typeof optionsOrHandler === "function" ? {} : optionsOrHandler,
      where,
    );
    // From here on the types are only a promise: what the engine hands over was checked when it was stored.
    const stage = Object.freeze({ name, options, handler: handler as StageHandler });
    return new Pipeline(this.name, this.payload, this.settings, [...this.stages, stage]);
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

// No slash: "pipeline/stage" names a stage in SQL and on the command line.
const namePattern = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$/;

export function checkName(kind: "pipeline" | "stage", name: string): void {
  if (typeof name === "string" && namePattern.test(name)) return;
  throw new DefinitionError(
    `A ${kind} name is 1 to 100 letters, digits, "_", ".", ":" or "-" and begins with a letter or digit; ${JSON.stringify(String(name).slice(0, 120))} is not one.`,
  );
}
