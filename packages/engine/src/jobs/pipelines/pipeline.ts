import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { FanOut, OnFailure } from "../adding/fan-out.ts";
import { type Budget, isSameBudget } from "../budgets/budget.ts";
import type { SpendsOption } from "../budgets/spends.ts";
import type { Finish, HandlerAnswer } from "../outcomes/outcome.ts";
import type { CarriedByJson, Jsonify, Stored } from "../values/jsonify.ts";
import { didYouMean } from "../values/nearest-name.ts";
import {
  type AnswerForEach,
  type BatchAnswers,
  type BatchContext,
  type BatchOption,
  type CompleteBatching,
  completeBatching,
  type NoBatch,
} from "./batch-option.ts";
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
import { checkName } from "./speakable-name.ts";
import type { StageContext } from "./stage-context.ts";
import { type CompleteStageOptions, completeStageOptions, type StageOptions } from "./stage-options.ts";
import {
  type CompleteWait,
  completeSleep,
  completeWait,
  type SleepOptions,
  type WaitOptions,
} from "./wait-options.ts";

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
  /** Its handler is a BatchHandler, called once for the jobs that are gathered like this. */
  readonly batch?: CompleteBatching;
  /** Of a parallel stage. */
  readonly branches?: readonly PlannedBranch[];
}

/** A stage that no worker runs: jobs wait there for a signal or a time. */
export interface WaitDefinition {
  readonly name: string;
  readonly wait: CompleteWait;
}

/** A stage of either sort. */
export type AnyStage = StageDefinition | WaitDefinition;

export function isWait(stage: AnyStage): stage is WaitDefinition {
  return "wait" in stage;
}

declare const typesOf: unique symbol;

/** Any pipeline, whatever its types. */
export interface AnyPipeline<Input = unknown, Payload = unknown, Result = unknown, Signals = unknown> {
  readonly name: string;
  readonly payload: StandardSchemaV1 | null;
  readonly settings: PipelineSettings;
  readonly stages: readonly AnyStage[];
  /** Of a branch: under which name its jobs have the output that its first stage is given. */
  readonly outputBefore?: string;
  readonly [typesOf]?: () => { input: Input; payload: Payload; result: Result; signals: Signals };
}

/** What `add` takes for a pipeline: the schema's input. */
export type PipelineInput<P extends AnyPipeline> = TypesOf<P>["input"];
/** What handlers read: the schema's output, or without a schema what JSON makes of the input. */
export type PipelinePayload<P extends AnyPipeline> = TypesOf<P>["payload"];
/** What the last stage returns, or a stage that finishes early, as JSON brings it back. */
export type PipelineResult<P extends AnyPipeline> = TypesOf<P>["result"];
/** What the waits of a pipeline take, by their names. */
export type PipelineSignals<P extends AnyPipeline> = TypesOf<P>["signals"];

type TypesOf<P extends AnyPipeline> =
  P extends AnyPipeline<infer Input, infer Payload, infer Result, infer Signals>
    ? { input: Input; payload: Payload; result: Result; signals: Signals }
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

/** What the stage after a wait gets: the signal as it was sent, or null where a timeout lets the job go on. */
type SignalOutput<Schema extends StandardSchemaV1, OnTimeout extends string> =
  | StandardSchemaV1.InferInput<Schema>
  | ("continue" extends OnTimeout ? null : never);

/** The stages that a timeout may jump to, each with the outputs that are there in any case. */
type WithJump<Jumps, OnTimeout extends string, Outputs> = Jumps &
  Record<Exclude<OnTimeout, "fail" | "continue">, Outputs>;

/** The outputs in a stage; if a timeout may have led there, those in between may be missing. */
type OutputsIn<Name, Outputs, Jumps> = Name extends keyof Jumps ? Jumps[Name] & Partial<Outputs> : Outputs;

/** The output that a stage gets; if a timeout may have led there, perhaps none. */
type OutputIn<Name, Output, Jumps> = Name extends keyof Jumps ? Output | null : Output;

/** A named, ordered list of stages. Adding a stage gives a new pipeline and leaves this one as it is. */
export class Pipeline<
  Input,
  Payload,
  Outputs,
  Output,
  Child = unknown,
  Signals = Record<never, never>,
  Jumps = Record<never, never>,
  Finished = never,
> implements AnyPipeline<Input, Payload, Output | Finished, Signals>
{
  readonly name: string;
  readonly payload: StandardSchemaV1 | null;
  readonly settings: PipelineSettings;
  readonly stages: readonly AnyStage[];
  declare readonly outputBefore?: string;
  declare readonly [typesOf]?: () => {
    input: Input;
    payload: Payload;
    result: Output | Finished;
    signals: Signals;
  };

  constructor(
    name: string,
    payload: StandardSchemaV1 | null,
    settings: PipelineSettings,
    stages: readonly AnyStage[],
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
    handler: (
      context: StageContext<Payload, OutputIn<Name, Output, Jumps>, OutputsIn<Name, Outputs, Jumps>, Child>,
    ) => Answer,
  ): Pipeline<
    Input,
    Payload,
    WithOutput<OutputsIn<Name, Outputs, Jumps>, Name, OutputOf<Answer>>,
    OutputOf<Answer>,
    ChildOf<Answer, Child>,
    Signals,
    Jumps,
    Finished | FinishedBy<Answer>
  >;
  stage<const Name extends string, Answers extends BatchAnswers | PromiseLike<BatchAnswers>>(
    name: Name,
    options: StageOptions &
      BatchOption &
      WhenOption<Payload, OutputIn<Name, Output, Jumps>, OutputsIn<Name, Outputs, Jumps>> &
      SpendsOption<Payload, OutputIn<Name, Output, Jumps>, OutputsIn<Name, Outputs, Jumps>>,
    handler: (
      jobs: readonly StageContext<
        Payload,
        OutputIn<Name, Output, Jumps>,
        OutputsIn<Name, Outputs, Jumps>,
        Child
      >[],
      call: BatchContext,
    ) => Answers,
  ): Pipeline<
    Input,
    Payload,
    WithOutput<
      OutputsIn<Name, Outputs, Jumps>,
      Name,
      OutputOf<AnswerForEach<Answers>> | Stored<OutputIn<Name, Output, Jumps>>
    >,
    OutputOf<AnswerForEach<Answers>> | Stored<OutputIn<Name, Output, Jumps>>,
    ChildOf<AnswerForEach<Answers>, Child>,
    Signals,
    Jumps,
    Finished | FinishedBy<AnswerForEach<Answers>>
  >;
  stage<const Name extends string, Answers extends BatchAnswers | PromiseLike<BatchAnswers>>(
    name: Name,
    options: StageOptions &
      BatchOption &
      SpendsOption<Payload, OutputIn<Name, Output, Jumps>, OutputsIn<Name, Outputs, Jumps>>,
    handler: (
      jobs: readonly StageContext<
        Payload,
        OutputIn<Name, Output, Jumps>,
        OutputsIn<Name, Outputs, Jumps>,
        Child
      >[],
      call: BatchContext,
    ) => Answers,
  ): Pipeline<
    Input,
    Payload,
    WithOutput<OutputsIn<Name, Outputs, Jumps>, Name, OutputOf<AnswerForEach<Answers>>>,
    OutputOf<AnswerForEach<Answers>>,
    ChildOf<AnswerForEach<Answers>, Child>,
    Signals,
    Jumps,
    Finished | FinishedBy<AnswerForEach<Answers>>
  >;
  stage<const Name extends string, Answer>(
    name: Name,
    options: StageOptions &
      NoBatch &
      WhenOption<Payload, OutputIn<Name, Output, Jumps>, OutputsIn<Name, Outputs, Jumps>> &
      SpendsOption<Payload, OutputIn<Name, Output, Jumps>, OutputsIn<Name, Outputs, Jumps>>,
    handler: (
      context: StageContext<Payload, OutputIn<Name, Output, Jumps>, OutputsIn<Name, Outputs, Jumps>, Child>,
    ) => Answer,
  ): Pipeline<
    Input,
    Payload,
    WithOutput<
      OutputsIn<Name, Outputs, Jumps>,
      Name,
      OutputOf<Answer> | Stored<OutputIn<Name, Output, Jumps>>
    >,
    OutputOf<Answer> | Stored<OutputIn<Name, Output, Jumps>>,
    ChildOf<Answer, Child>,
    Signals,
    Jumps,
    Finished | FinishedBy<Answer>
  >;
  stage<const Name extends string, Answer>(
    name: Name,
    options: StageOptions &
      NoBatch &
      SpendsOption<Payload, OutputIn<Name, Output, Jumps>, OutputsIn<Name, Outputs, Jumps>>,
    handler: (
      context: StageContext<Payload, OutputIn<Name, Output, Jumps>, OutputsIn<Name, Outputs, Jumps>, Child>,
    ) => Answer,
  ): Pipeline<
    Input,
    Payload,
    WithOutput<OutputsIn<Name, Outputs, Jumps>, Name, OutputOf<Answer>>,
    OutputOf<Answer>,
    ChildOf<Answer, Child>,
    Signals,
    Jumps,
    Finished | FinishedBy<Answer>
  >;
  stage(
    name: string,
    optionsOrHandler: StageOptions | ((context: never) => unknown),
    givenHandler?: (given: never, call: never) => unknown,
  ): AnyPipeline {
    const where = this.#newStage(name);
    const handler = typeof optionsOrHandler === "function" ? optionsOrHandler : givenHandler;
    if (typeof handler !== "function") {
      throw new DefinitionError(`The handler of ${where} must be a function.`);
    }
    const { when, batch, ...options } = optionsOf(optionsOrHandler, where);
    if (when !== undefined && typeof when !== "function") {
      throw new DefinitionError(`when of ${where} must be a function that returns true or false.`);
    }
    // From here on the types are only a promise: what the engine hands over was checked when it was stored.
    return this.#with({
      name,
      options: completeStageOptions(options, where, this.settings.budgets),
      handler: handler as StageHandler,
      ...(when && { when }),
      ...(batch !== undefined && { batch: Object.freeze(completeBatching(batch, where)) }),
    });
  }

  /**
   * A stage whose branches run side by side as jobs of their own; its output has the result of each under its name. A branch is a
   * handler, `[options, handler]`, a pipeline that takes the same payload, or `[pipeline, context => payload]`.
   */
  parallel<
    const Name extends string,
    const Branches extends AnyBranches<
      Payload,
      OutputIn<Name, Output, Jumps>,
      OutputsIn<Name, Outputs, Jumps>
    >,
    const Policies extends OnFailure | { readonly [Branch in keyof Branches]?: OnFailure } = "fail",
  >(
    name: Name,
    branches: Branches & FittingBranches<Branches, Payload>,
    options: ParallelOptions<Policies> = {},
  ): Pipeline<
    Input,
    Payload,
    WithOutput<OutputsIn<Name, Outputs, Jumps>, Name, BranchesOutput<Branches, Policies>>,
    BranchesOutput<Branches, Policies>,
    unknown,
    Signals,
    Jumps,
    Finished
  > {
    const where = this.#newStage(name);
    const { version, events, budgets } = this.settings;
    const settings: PipelineSettings = { version, events, branchOf: this.name, ...(budgets && { budgets }) };
    // A sleep has no output of its own.
    const before = this.stages.findLast((stage) => !isWait(stage) || stage.wait.kind !== "sleep")?.name;
    const planned = plannedBranches(branches, options, where, (branch, stageOptions, handler) => {
      const branchName = `${this.name}:${name}:${branch}`;
      checkName("pipeline", branchName);
      const stage = {
        name: branch,
        options: completeStageOptions(stageOptions, `branch "${branch}" of ${where}`, budgets),
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

  #with(stage: AnyStage): AnyPipeline {
    const stages = [...this.stages, Object.freeze(stage)];
    return new Pipeline(this.name, this.payload, this.settings, stages, this.outputBefore);
  }

  /**
   * A stage in which a job waits for a signal (`engine.signal`), hours or weeks, without a worker. What the signal says is the output.
   */
  wait<
    const Name extends string,
    Schema extends StandardSchemaV1 = StandardSchemaV1,
    const OnTimeout extends string = "fail",
  >(
    name: Name,
    options: WaitOptions<Schema, OnTimeout> & {
      readonly signal?: (Schema & CarriedByJson<StandardSchemaV1.InferInput<Schema>>) | undefined;
    },
  ): Pipeline<
    Input,
    Payload,
    WithOutput<OutputsIn<Name, Outputs, Jumps>, Name, SignalOutput<Schema, OnTimeout>>,
    SignalOutput<Schema, OnTimeout>,
    Child,
    Signals & Record<Name, StandardSchemaV1.InferInput<Schema>>,
    WithJump<Jumps, OnTimeout, Outputs>,
    Finished
  > {
    return this.#withWait(name, (where) => completeWait(options, where)) as never;
  }

  /** A stage in which a job waits for a time, without a worker. The next stage gets the output of the stage before. */
  sleep<const Name extends string>(
    name: Name,
    options: SleepOptions,
  ): Pipeline<
    Input,
    Payload,
    OutputsIn<Name, Outputs, Jumps>,
    OutputIn<Name, Output, Jumps>,
    Child,
    Signals,
    Jumps,
    Finished
  > {
    return this.#withWait(name, (where) => completeSleep(options, where)) as never;
  }

  #withWait(name: string, complete: (where: string) => CompleteWait): AnyPipeline {
    const wait = complete(this.#newStage(name));
    if (this.stages.length === 0) {
      throw new DefinitionError(
        `Pipeline "${this.name}" begins with "${name}", which waits: its first stage must have a handler.`,
      );
    }
    return this.#with({ name, wait: Object.freeze(wait) });
  }

  /** What a refusal calls it. */
  #newStage(name: string): string {
    checkName("stage", name);
    if (this.stages.some((stage) => stage.name === name)) {
      throw new DefinitionError(`Pipeline "${this.name}" already has a stage "${name}".`);
    }
    return `stage "${name}" of pipeline "${this.name}"`;
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
    for (const stage of pipeline.stages) {
      for (const branch of isWait(stage) ? [] : (stage.branches ?? [])) add(branch.pipeline);
    }
  };
  for (const pipeline of pipelines) add(pipeline);
  return [...all];
}

/** The pipelines an engine is given: each with a stage, no two of one name. */
export function checkPipelines(pipelines: readonly AnyPipeline[]): void {
  const names = new Set<string>();
  const budgets = new Map<string, { readonly budget: Budget; readonly pipeline: string }>();
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
    checkTimeouts(pipeline);
    for (const budget of pipeline.settings.budgets ?? []) {
      const known = budgets.get(budget.name);
      if (known !== undefined && !isSameBudget(known.budget, budget)) {
        throw new DefinitionError(
          `Pipelines "${known.pipeline}" and "${pipeline.name}" define budget "${budget.name}" differently: share one budget().`,
        );
      }
      budgets.set(budget.name, { budget, pipeline: pipeline.name });
    }
  }
}

/** What a wait names for its timeout is defined only after it. */
function checkTimeouts({ name, stages }: AnyPipeline): void {
  for (const [index, stage] of stages.entries()) {
    if (!isWait(stage)) continue;
    const { onTimeout } = stage.wait;
    if (onTimeout === null || onTimeout === "fail" || onTimeout === "continue") continue;
    const later = stages.slice(index + 1).map((each) => each.name);
    if (later.includes(onTimeout)) continue;
    throw new DefinitionError(
      `onTimeout of wait "${stage.name}" of pipeline "${name}" is "${onTimeout}", but must be "fail", "continue" or the name of a later stage.${didYouMean(onTimeout, [...later, "fail", "continue"])}`,
    );
  }
}

function optionsOf(
  given: unknown,
  where: string,
): StageOptions &
  SpendsOption<unknown, unknown, unknown> &
  Pick<StageDefinition, "when"> &
  Partial<BatchOption> {
  if (typeof given === "function") return {};
  if (typeof given === "object" && given !== null) return given;
  throw new DefinitionError(`The options of ${where} must be an object such as { processors: 10 }.`);
}
