import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import type { Logger } from "lockstep";
import { type Problem, problemKinds } from "../contract/problem.ts";
import type { ServerEnv } from "../server-env.ts";
import { loggedPath } from "./logged-path.ts";
import { ProblemError } from "./problem-error.ts";
import { problemOf } from "./problem-of.ts";

/** The one place that makes RFC 9457 answers. What is not known as a refusal is logged, and told without its reason. */
export function answerErrors(logger: Logger | null): (error: unknown, c: Context<ServerEnv>) => Response {
  return (thrown, c) => {
    const problem =
      thrown instanceof ProblemError ? thrown : (ofHono(thrown) ?? problemOf(thrown) ?? internal(thrown));
    if (problem.code === "internal") {
      const error =
        thrown instanceof Error ? { name: thrown.name, stack: thrown.stack } : { name: String(thrown) };
      logger?.error(
        { event: "http.error", requestId: c.get("requestId"), error },
        `${c.req.method} ${loggedPath(c.req.path)} failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
      );
    }
    return problemResponse(problem, c);
  };
}

export function problemResponse(problem: ProblemError, c: Context<ServerEnv>): Response {
  const { code, status, message, extras } = problem;
  const body: Problem = {
    type: `urn:lockstep:problem:${code}`,
    title: problemKinds[code].title,
    status,
    detail: message,
    instance: c.req.path,
    code,
    requestId: c.get("requestId") ?? "",
    ...(extras.errors && { errors: [...extras.errors] }),
    ...(extras.job !== undefined && { job: extras.job as Record<string, unknown> }),
  };
  return c.body(JSON.stringify(body), status, {
    ...extras.headers,
    "Content-Type": "application/problem+json",
  });
}

function ofHono(thrown: unknown): ProblemError | null {
  if (!(thrown instanceof HTTPException)) return null;
  if (thrown.status === 415) {
    return new ProblemError(
      "media_type.unsupported",
      "Send the body as JSON, with Content-Type: application/json.",
    );
  }
  return thrown.status === 400
    ? new ProblemError("body.malformed", "The body cannot be read as JSON.")
    : null;
}

function internal(cause: unknown): ProblemError {
  const detail = "Something went wrong in the server; its log has the details under this requestId.";
  return new ProblemError("internal", detail, { cause });
}
