import { brandError } from "@lockstep/database";
import { didYouMean } from "../../jobs/values/nearest-name.ts";
import type { HistoryFilter } from "../../store/reading/stage-numbers.ts";

/** What was asked of the history cannot be answered. */
export class HistoryFilterError extends Error {
  static {
    brandError(HistoryFilterError, "HistoryFilterError");
  }

  override readonly name = "HistoryFilterError";
}

const minuteMs = 60_000;

/** The database refuses values that are too long; values that it would not even understand are refused here. */
export function checkedHistory<Filter extends Omit<HistoryFilter, "stage">>(
  filter: Filter,
  others: readonly string[] = ["stage"],
): Filter {
  const names = [...others, "from", "to", "stepMs"];
  for (const name of Object.keys(filter)) {
    if (names.includes(name)) continue;
    throw new HistoryFilterError(`Unknown option "${name}" of a history.${didYouMean(name, names)}`);
  }
  for (const name of ["from", "to"] as const) {
    const instant = filter[name];
    if (instant === undefined || (instant instanceof Date && !Number.isNaN(instant.getTime()))) continue;
    throw new HistoryFilterError(`${name} must be a valid Date.`);
  }
  const { stepMs } = filter;
  if (stepMs !== undefined && !(Number.isInteger(stepMs) && stepMs >= minuteMs)) {
    throw new HistoryFilterError(`stepMs must be a whole number of milliseconds from ${minuteMs}.`);
  }
  return filter;
}
