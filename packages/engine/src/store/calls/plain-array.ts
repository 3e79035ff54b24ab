/** Numbers, times and nulls as PostgreSQL writes an array: the driver would look into each for what must be escaped. */
export function plainArray(values: readonly (number | string | null)[]): string {
  return `{${values.map((value) => value ?? "NULL").join(",")}}`;
}
