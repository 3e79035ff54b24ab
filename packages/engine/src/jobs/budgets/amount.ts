/** No limit, estimate or spend is more than this. */
export const mostAmount = 1e15;

export function isAmount(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= mostAmount;
}

/** Without the last digits, which are only what binary fractions leave behind: 0.1 + 0.2 is 0.3. */
export function sumOf(one: number, other: number): number {
  return Number((one + other).toPrecision(15));
}
