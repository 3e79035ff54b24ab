import type { Context } from "hono";
import { problemResponse } from "../middleware/answer-errors.ts";
import { ProblemError } from "../middleware/problem-error.ts";
import type { ServerEnv } from "../server-env.ts";
import { methodsByPath } from "./allowed-methods.ts";
import type { ApiApp } from "./api-app.ts";

/** For a path that is not there, and for a method that a path does not have. */
export function nothingHere(api: ApiApp, apiPath: string): (c: Context<ServerEnv>) => Response {
  const methodsOf = methodsByPath(api);
  return (c) => {
    const { path, method } = c.req;
    const methods = path.startsWith(`${apiPath}/`) ? methodsOf(path.slice(apiPath.length)) : [];
    if (methods.length === 0) {
      return problemResponse(
        new ProblemError(
          "route.unknown",
          `There is nothing at ${path.slice(0, 200)}: ${apiPath}/openapi.json lists all paths.`,
        ),
        c,
      );
    }
    const allowed = methods.join(", ");
    const detail = `${method.slice(0, 20)} is not allowed here; use ${allowed}.`;
    return problemResponse(
      new ProblemError("method.not_allowed", detail, { headers: { Allow: allowed } }),
      c,
    );
  };
}
