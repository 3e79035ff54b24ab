/** In seconds: milliseconds of more than 24 days are out of range for PostgreSQL 14. */
export function asInterval(ms: number): string {
  return `${ms / 1_000} seconds`;
}
