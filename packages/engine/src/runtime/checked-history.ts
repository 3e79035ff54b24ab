import { didYouMean } from "../jobs/nearest-name.ts";
import type { HistoryFilter } from "../store/stage-numbers.ts";

/** What was asked of the history cannot be answered. */
export class HistoryFilterError extends Error {
  override readonly name = "HistoryFilterError";
}

const minuteMs = 60_000;

/** The database refuses what is too long; what it would not even understand is refused here. */
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
