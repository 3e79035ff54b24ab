import { type Spread, spreadOf } from "./spread.ts";

/** One thing that was measured, as it is printed. */
export interface Measurement extends Spread {
  readonly name: string;
  readonly unit: "ms" | "jobs/s";
}

export function measurement(
  name: string,
  unit: Measurement["unit"],
  numbers: readonly number[],
): Measurement[] {
  const spread = spreadOf(numbers);
  return spread === null ? [] : [{ name, unit, ...spread }];
}
