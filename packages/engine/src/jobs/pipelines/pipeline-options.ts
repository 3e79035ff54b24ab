import type { StandardSchemaV1 } from "@standard-schema/spec";
import { type Budget, isBudget } from "../budgets/budget.ts";
import { didYouMean } from "../values/nearest-name.ts";
import { DefinitionError } from "./definition-error.ts";
import { longestDelayMs } from "./retry-policy.ts";

export interface PipelineOptions<Schema extends StandardSchemaV1 = StandardSchemaV1> {
  /** Checks and types the payload: any Standard Schema validator. */
  readonly payload?: Schema | undefined;
  /** The version of this definition; default 1. Code with an older version does not change what a newer one has defined. */
  readonly version?: number | undefined;
  /** An add is refused while so many jobs are pending; without it, none is. */
  readonly maxPending?: number | undefined;
  /** A job that has waited for so long counts as one priority more urgent, so that low priorities cannot starve; without it there is no ageing. */
  readonly ageingMs?: number | undefined;
  /** Whether the realtime log has all its jobs, not only those with an owner; default false. */
  readonly events?: boolean | undefined;
  /** What its stages may spend of; each comes from `budget(name, options)`, and may be shared by several pipelines. */
  readonly budgets?: readonly Budget[] | undefined;
}

/** As the database receives it. */
export interface PipelineSettings {
  readonly version: number;
  readonly maxPending?: number;
  readonly ageingMs?: number;
  readonly events: boolean;
  /** The pipeline with the parallel stage whose branch it is. */
  readonly branchOf?: string;
  readonly budgets?: readonly Budget[];
}

const most = 2_147_483_647;
const optionNames = ["payload", "version", "maxPending", "ageingMs", "events", "budgets"];

/** Checks a pipeline's options, all but the schema, and fills in the defaults. */
export function completePipelineOptions(options: PipelineOptions, name: string): PipelineSettings {
  if (typeof options !== "object" || options === null) {
    throw new DefinitionError(
      `The options of pipeline "${name}" must be an object such as { maxPending: 1000 }.`,
    );
  }
  for (const key of Object.keys(options)) {
    if (optionNames.includes(key)) continue;
    throw new DefinitionError(
      `Unknown option "${key}" of pipeline "${name}".${didYouMean(key, optionNames)}`,
    );
  }
  for (const [key, max] of [
    ["version", most],
    ["maxPending", most],
    ["ageingMs", longestDelayMs],
  ] as const) {
    const value = options[key];
    if (value === undefined || (Number.isInteger(value) && value >= 1 && value <= max)) continue;
    throw new DefinitionError(`${key} of pipeline "${name}" must be a whole number from 1 to ${max}.`);
  }
  if (options.events !== undefined && typeof options.events !== "boolean") {
    throw new DefinitionError(`events of pipeline "${name}" must be true or false.`);
  }
  const { version = 1, maxPending, ageingMs, events = false, budgets } = options;
  if (budgets !== undefined) checkBudgets(budgets, name);
  return {
    version,
    events,
    ...(maxPending === undefined ? {} : { maxPending }),
    ...(ageingMs === undefined ? {} : { ageingMs }),
    ...(budgets === undefined || budgets.length === 0 ? {} : { budgets: Object.freeze([...budgets]) }),
  };
}

function checkBudgets(budgets: readonly Budget[], pipeline: string): void {
  if (!Array.isArray(budgets)) {
    throw new DefinitionError(`budgets of pipeline "${pipeline}" must be an array of budgets.`);
  }
  const names = new Set<string>();
  for (const budget of budgets as unknown[]) {
    if (!isBudget(budget)) {
      throw new DefinitionError(
        `Each of the budgets of pipeline "${pipeline}" must come from budget(name, options).`,
      );
    }
    if (names.has(budget.name)) {
      throw new DefinitionError(`Pipeline "${pipeline}" lists budget "${budget.name}" twice.`);
    }
    names.add(budget.name);
  }
}
