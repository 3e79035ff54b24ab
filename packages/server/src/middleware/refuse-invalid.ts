import type { ValidationTargets } from "hono";
import type { z } from "zod";
import { ProblemError } from "./problem-error.ts";

type Issue = z.core.$ZodIssue;

/** What the schema of a route refuses, with every place that is wrong. */
export function refuseInvalid(
  result: { target: keyof ValidationTargets } & ({ success: true } | { success: false; error: z.ZodError }),
): void {
  if (result.success) return;
  const errors = result.error.issues
    .flatMap((issue) => flattened(issue))
    .map(({ path, message }) => ({ pointer: pointerOf(result.target, path), detail: message }));
  const [first] = errors;
  const more = errors.length > 1 ? ` And ${errors.length - 1} more.` : "";
  throw new ProblemError(
    "input.invalid",
    `The request is not valid: ${first?.pointer || "the body"}: ${first?.detail}.${more}`,
    { errors },
  );
}

/** Of the forms a value may have, the one it comes nearest to tells best what is wrong. */
function flattened(issue: Issue): { path: PropertyKey[]; message: string }[] {
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return [issue];
  const [nearest = []] = issue.errors.toSorted((a, b) => a.length - b.length);
  return nearest
    .flatMap((inner) => flattened(inner))
    .map(({ path, message }) => ({ path: [...issue.path, ...path], message }));
}

/** A JSON pointer into the body; "?limit" for a parameter of the query, "{id}" for one of the path. */
function pointerOf(target: keyof ValidationTargets, path: readonly PropertyKey[]): string {
  const name = String(path[0] ?? "");
  if (target === "query") return `?${name}`;
  if (target === "param") return `{${name}}`;
  if (target === "header") return name;
  return path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
