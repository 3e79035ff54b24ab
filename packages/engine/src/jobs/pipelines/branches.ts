import { fanOutBranches, isOnFailure, type OnFailure, type ReturnedByChild } from "../adding/fan-out.ts";
import type { SpendsOption } from "../budgets/spends.ts";
import { didYouMean } from "../values/nearest-name.ts";
import { DefinitionError } from "./definition-error.ts";
import type {
  AnyPipeline,
  FinishedBy,
  OutputOf,
  PipelineInput,
  PipelineResult,
  StageHandler,
} from "./pipeline.ts";
import type { StageContext } from "./stage-context.ts";
import type { StageOptions } from "./stage-options.ts";

/** One branch of a parallel stage, ready to be begun. */
export interface PlannedBranch {
  readonly name: string;
  readonly pipeline: AnyPipeline;
  readonly onFailure: OnFailure;
  /** Null: its jobs have the payload of their parents. */
  readonly payloadOf: StageHandler | null;
}

type BranchHandler<Payload, Output, Outputs> = (context: StageContext<Payload, Output, Outputs>) => unknown;

/** What can be a branch: a handler, with options or without, or a pipeline, with a function that makes its payload or without. */
export type AnyBranch<Payload, Output, Outputs> =
  | BranchHandler<Payload, Output, Outputs>
  | readonly [
      (StageOptions & SpendsOption<Payload, Output, Outputs>) | AnyPipeline,
      BranchHandler<Payload, Output, Outputs>,
    ]
  | AnyPipeline;

/** The branches of a parallel stage by their names. */
export type AnyBranches<Payload, Output, Outputs> = {
  readonly [name: string]: AnyBranch<Payload, Output, Outputs>;
};

/** Nothing to add where each pipeline takes the payload that it is given; otherwise what no branch has, so that it does not compile. */
export type FittingBranches<Branches, Payload> = {
  readonly [Name in keyof Branches]: Branches[Name] extends AnyPipeline
    ? [Payload] extends [PipelineInput<Branches[Name]>]
      ? unknown
      : { readonly "This pipeline takes another payload: give [pipeline, ({ payload, output }) => …]": never }
    : Branches[Name] extends readonly [infer P extends AnyPipeline, (context: never) => infer Made]
      ? [Awaited<Made>] extends [PipelineInput<P>]
        ? unknown
        : { readonly "The function does not return what the pipeline takes": never }
      : unknown;
};

type ResultOfBranch<Branch> = Branch extends readonly [infer First, infer Handler]
  ? First extends AnyPipeline
    ? PipelineResult<First>
    : ResultOfBranch<Handler>
  : Branch extends (context: never) => infer Answer
    ? OutputOf<Answer> | FinishedBy<Answer>
    : Branch extends AnyPipeline
      ? PipelineResult<Branch>
      : never;

type PolicyOf<Name, Policies> = Policies extends OnFailure
  ? Policies
  : Name extends keyof Policies
    ? Extract<Policies[Name], OnFailure>
    : "fail";

/** The results of the branches by their names. One whose failure is ignored may be missing. */
export type BranchesOutput<Branches, Policies> = {
  readonly [Name in keyof Branches as PolicyOf<Name, Policies> extends "ignore"
    ? never
    : Name]: ReturnedByChild<ResultOfBranch<Branches[Name]>, PolicyOf<Name, Policies>>;
} & {
  readonly [Name in keyof Branches as PolicyOf<Name, Policies> extends "ignore"
    ? Name
    : never]?: ResultOfBranch<Branches[Name]>;
};

/** What can be said of a parallel stage as a whole. */
export interface ParallelOptions<Policies> {
  /**
   * What a branch that does not complete means, for all of them or for each by its name. "fail" (default): the job fails, and the
   * other branches are cancelled. "continue": the output says how it ended. "ignore": it is left out of the output.
   */
  readonly onFailure?: Policies | undefined;
}

/** Checks the branches of a parallel stage; `define` makes the pipeline of one that is a handler. */
export function plannedBranches(
  branches: Readonly<Record<string, unknown>>,
  options: ParallelOptions<unknown>,
  where: string,
  define: (name: string, options: StageOptions, handler: StageHandler) => AnyPipeline,
): readonly PlannedBranch[] {
  if (typeof branches !== "object" || branches === null || Object.keys(branches).length === 0) {
    throw new DefinitionError(`${capital(where)} needs at least one branch, such as { logo: fetchLogo }.`);
  }
  for (const key of Object.keys(options)) {
    if (key === "onFailure") continue;
    throw new DefinitionError(`Unknown option "${key}" of ${where}.${didYouMean(key, ["onFailure"])}`);
  }
  const names = Object.keys(branches);
  const policyOf = policies(options.onFailure ?? "fail", names, where);
  return names.map((name) => {
    const given = branches[name];
    const [first, second] = Array.isArray(given) ? given : [given, null];
    const onFailure = policyOf(name);
    if (isPipeline(first) && (second === null || typeof second === "function")) {
      return { name, pipeline: first, onFailure, payloadOf: second };
    }
    const [stageOptions, handler] = second === null ? [{}, first] : [first, second];
    if (typeof handler !== "function") {
      throw new DefinitionError(
        `Branch "${name}" of ${where} must be a handler, [options, handler], a pipeline or [pipeline, context => payload].`,
      );
    }
    return { name, pipeline: define(name, stageOptions, handler), onFailure, payloadOf: null };
  });
}

/** What runs a parallel stage: it only begins the branches. */
export function branchHandler(branches: readonly PlannedBranch[]): StageHandler {
  return async (context) => {
    const children = branches.map(async ({ name, pipeline, onFailure, payloadOf }) => ({
      pipeline,
      item: payloadOf === null ? null : { payload: await payloadOf(context) },
      branch: name,
      onFailure,
    }));
    return fanOutBranches(await Promise.all(children));
  };
}

function policies(given: unknown, names: readonly string[], where: string): (name: string) => OnFailure {
  if (isOnFailure(given)) return () => given;
  const each = Object.entries(typeof given === "object" && given !== null ? given : { "": given });
  for (const [name, policy] of each) {
    if (!names.includes(name) || !isOnFailure(policy)) {
      throw new DefinitionError(
        `onFailure of ${where} must be "fail", "continue" or "ignore", or an object with one of these for some of its branches.${didYouMean(name, names)}`,
      );
    }
  }
  const byName = new Map(each as [string, OnFailure][]);
  return (name) => byName.get(name) ?? "fail";
}

function isPipeline(given: unknown): given is AnyPipeline {
  return typeof given === "object" && given !== null && Array.isArray((given as AnyPipeline).stages);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
