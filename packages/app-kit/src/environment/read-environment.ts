import { z } from "zod";

export type Environment = Readonly<Record<string, string | undefined>>;

/** One or more environment variables are missing or cannot be used; the message names each of them. */
export class EnvironmentError extends Error {
  override readonly name = "EnvironmentError";
}

/**
 * Reads the variables that the shape names, each by its schema (see variables.ts). An empty variable counts as not set.
 * All problems are reported at once.
 */
export function readEnvironment<Shape extends z.ZodRawShape>(
  env: Environment,
  shape: Shape,
): z.output<z.ZodObject<Shape>> {
  const given = Object.fromEntries(Object.keys(shape).map((name) => [name, env[name] || undefined]));
  const read = z.object(shape).safeParse(given);
  if (read.success) return read.data;
  throw new EnvironmentError(
    read.error.issues
      .map(({ path, message }) => `The environment variable ${String(path[0])} ${message}.`)
      .join(" "),
  );
}
