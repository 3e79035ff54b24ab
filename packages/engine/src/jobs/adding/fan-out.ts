import type { JobOutcome } from "../outcomes/job-outcome.ts";
import { DefinitionError } from "../pipelines/definition-error.ts";
import type { AnyPipeline, PipelineInput, PipelineResult } from "../pipelines/pipeline.ts";
import { didYouMean } from "../values/nearest-name.ts";
import type { AddOptions } from "./add-options.ts";

/** One child: its payload, and options as an add takes them. Owner and priority are the parent's unless given. */
export type ChildItem<Payload = unknown> = Omit<AddOptions, "id" | "dedupKey"> & {
  readonly payload: Payload;
};

/** What a child that does not complete means for its parent. */
export type OnFailure = "fail" | "continue" | "ignore";

/** What becomes of the job when a child fails, and what its next stage gets. */
export interface FanOutOptions<Output = unknown> {
  /**
   * "fail" (default): the parent fails at once, and the other children are cancelled.
   * "continue": the next stage sees it among its children as failed. "ignore": it is left out there.
   */
  readonly onFailure?: OnFailure | undefined;
  /** What the stage returns besides; the next one gets it as its `output`. */
  readonly output?: Output;
}

/** A child that is to be added. */
export interface PlannedChild {
  readonly pipeline: AnyPipeline;
  /** Null: it gets the payload of its parent. */
  readonly item: ChildItem | null;
  /** The name under which its parent gets its result. */
  readonly branch?: string;
  /** What its failure means, if not the same as that of the others. */
  readonly onFailure?: OnFailure;
}

export interface FanOutParts {
  readonly children: readonly PlannedChild[];
  readonly onFailure: OnFailure;
  readonly output: unknown;
  /** What the stage gets as its output: the results by branch, that of the only child, or `output` alone. */
  readonly returns: "branches" | "child" | null;
}

declare const typesOf: unique symbol;

// The private name makes this class unlike any JSON value, for the compiler and at run time.
/** The answer of a handler that splits its job into children; `fanOut` makes it. */
class FanOut<Result, Output> {
  declare readonly [typesOf]?: () => { result: Result; output: Output };
  readonly #parts: FanOutParts;
  constructor(parts: FanOutParts) {
    this.#parts = parts;
  }
  static partsOf(answer: unknown): FanOutParts | null {
    return typeof answer === "object" && answer !== null && #parts in answer ? answer.#parts : null;
  }
}

export type { FanOut };

export const fanOutOf = FanOut.partsOf;

const policies: readonly unknown[] = ["fail", "continue", "ignore"] satisfies OnFailure[];

export function isOnFailure(given: unknown): given is OnFailure {
  return policies.includes(given);
}

/** For the engine: ends a parallel stage's attempt with a child for each branch. */
export function fanOutBranches(children: readonly PlannedChild[]): FanOut<unknown, unknown> {
  return new FanOut({ children, onFailure: "fail", output: undefined, returns: "branches" });
}

/** Returned from a handler, it ends the stage with children; the next stage begins when all of them have ended. */
export function fanOut<P extends AnyPipeline, Output = undefined>(
  pipeline: P,
  items: readonly ChildItem<PipelineInput<P>>[],
  options: FanOutOptions<Output> = {},
): FanOut<PipelineResult<P>, Output> {
  if (typeof pipeline?.name !== "string" || !Array.isArray(pipeline.stages)) {
    throw new DefinitionError("fanOut needs a pipeline from definePipeline for its children.");
  }
  if (!Array.isArray(items)) throw new DefinitionError("fanOut needs an array of items such as { payload }.");
  for (const name of Object.keys(options)) {
    if (name !== "onFailure" && name !== "output") {
      throw new DefinitionError(
        `Unknown option "${name}" of fanOut.${didYouMean(name, ["onFailure", "output"])}`,
      );
    }
  }
  const { onFailure = "fail", output } = options;
  if (!isOnFailure(onFailure)) {
    throw new DefinitionError('onFailure of fanOut must be "fail", "continue" or "ignore".');
  }
  const children = items.map((item) => ({ pipeline, item }));
  return new FanOut({ children, onFailure, output, returns: null });
}

/** How a single child is added, and what its failure means for its parent. */
export type RunChildOptions<Policy extends OnFailure = OnFailure> = Omit<AddOptions, "id" | "dedupKey"> & {
  /**
   * "fail" (default): the parent fails. "continue": the next stage gets what became of the child. "ignore": it gets null if the
   * child did not complete.
   */
  readonly onFailure?: Policy | undefined;
};

/** What the next stage gets of a child with this policy. */
export type ReturnedByChild<Result, Policy extends OnFailure> = Policy extends "fail"
  ? Result
  : Policy extends "continue"
    ? JobOutcome<Result>
    : Result | null;

/** Returned from a handler, it runs a job of another pipeline: its result is the stage's output when it has ended. */
export function runChild<P extends AnyPipeline, Policy extends OnFailure = "fail">(
  pipeline: P,
  payload: PipelineInput<P>,
  options: RunChildOptions<Policy> = {},
): FanOut<PipelineResult<P>, ReturnedByChild<PipelineResult<P>, Policy>> {
  if (typeof pipeline?.name !== "string" || !Array.isArray(pipeline.stages)) {
    throw new DefinitionError("runChild needs a pipeline from definePipeline for its child.");
  }
  const { onFailure = "fail" as Policy, ...rest } = options;
  if (!isOnFailure(onFailure)) {
    throw new DefinitionError('onFailure of runChild must be "fail", "continue" or "ignore".');
  }
  const children = [{ pipeline, item: { ...rest, payload } }];
  return new FanOut({ children, onFailure, output: undefined, returns: "child" });
}
