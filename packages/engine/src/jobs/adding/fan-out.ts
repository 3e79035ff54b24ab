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

export interface FanOutParts {
  readonly pipeline: AnyPipeline;
  readonly items: readonly ChildItem[];
  readonly onFailure: OnFailure;
  readonly output: unknown;
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

const policies = ["fail", "continue", "ignore"];

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
  if (!policies.includes(onFailure)) {
    throw new DefinitionError('onFailure of fanOut must be "fail", "continue" or "ignore".');
  }
  return new FanOut({ pipeline, items, onFailure, output });
}
