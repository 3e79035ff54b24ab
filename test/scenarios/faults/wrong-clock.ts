export type WrongClock = "ahead" | "behind" | "frozen" | "jumping";

/**
 * Node's options for a program whose wall clock is wrong. Nothing may depend on it: who holds a job is for PostgreSQL's
 * clock to say.
 */
export function wrongClockImports(clock: WrongClock | null): string[] {
  if (clock === null) return [];
  const url = new URL("./skewed-date.js", import.meta.url);
  url.searchParams.set("skew", clock);
  return ["--import", url.href];
}
