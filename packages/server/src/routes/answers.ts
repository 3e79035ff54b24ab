import type { z } from "@hono/zod-openapi";
import { type ProblemCode, problemKinds, problemSchema } from "../contract/problem.ts";

interface JsonAnswer<Schema> {
  description: string;
  content: { "application/json": { schema: Schema } };
}

/** An answer in JSON, as a part of a route. */
export function json<Schema extends z.ZodType>(schema: Schema, description: string): JsonAnswer<Schema> {
  return { description, content: { "application/json": { schema } } };
}

const everywhere: readonly ProblemCode[] = [
  "origin.refused",
  "host.unknown",
  "token.missing",
  "token.refused",
  "rights.missing",
  "rate.exceeded",
  "internal",
  "database.unavailable",
  "database.schema_missing",
  "query.timeout",
  "server.stopping",
];

interface ProblemAnswer {
  description: string;
  content: { "application/problem+json": { schema: typeof problemSchema } };
}

/** The refusals of a route, besides those of all, by status. A handler throws them, so none is of its answer's type. */
export function problems(...codes: ProblemCode[]): Record<`${4 | 5}XX`, ProblemAnswer> {
  const told = [...codes, ...everywhere];
  const of = (hundred: number) =>
    told
      .filter((code) => Math.floor(problemKinds[code].status / 100) === hundred)
      .map((code) => `\`${code}\` (${problemKinds[code].status})`)
      .join(", ");
  const answer = (hundred: number): ProblemAnswer => ({
    description: of(hundred),
    content: { "application/problem+json": { schema: problemSchema } },
  });
  return { "4XX": answer(4), "5XX": answer(5) };
}
