export type Environment = Readonly<Record<string, string | undefined>>;

/** What to throw when a variable cannot be used; the sentence goes on after its name. */
export function environmentError(name: string, sentence: string): Error {
  return new Error(`The environment variable ${name} ${sentence}`);
}

/** An empty variable counts as not set. */
export function wholeNumber(
  env: Environment,
  name: string,
  fallback: number,
  { least, most }: { readonly least: number; readonly most: number },
): number {
  const text = env[name];
  if (!text) return fallback;
  const value = Number(text);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw environmentError(
    name,
    `must be a whole number from ${least} to ${most}, not "${text.slice(0, 40)}".`,
  );
}
