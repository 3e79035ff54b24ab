import { createRoute } from "@hono/zod-openapi";
import { waitingJobsQuery, waitingJobsSchema } from "../contract/waits.ts";
import { callerOf, needs } from "../middleware/needs.ts";
import { ProblemError } from "../middleware/problem-error.ts";
import { json, problems } from "./answers.ts";
import { type ApiApp, apiApp } from "./api-app.ts";
import { keyedPage, keyIn } from "./keyed-page.ts";
import type { RouteParts } from "./route-parts.ts";

const listWaits = createRoute({
  method: "get",
  path: "/waits",
  summary: "The jobs that wait for a signal, those that time out first at the top",
  tags: ["waits"],
  ...needs("jobs.read", { ownerBound: true }),
  request: { query: waitingJobsQuery },
  responses: {
    200: json(waitingJobsSchema, "A page, with what each job waits for."),
    ...problems("cursor.invalid", "input.invalid", "owner.bound"),
  },
});

export function waitRoutes({ reader, view }: RouteParts): ApiApp {
  const app = apiApp();
  app.openapi(listWaits, async (c) => {
    const caller = callerOf(c);
    const {
      cursor,
      limit,
      count: isCounted,
      owner = caller.owner ?? undefined,
      ...filter
    } = c.req.valid("query");
    if (caller.owner !== null && owner !== caller.owner) {
      throw new ProblemError(
        "owner.bound",
        `The access of ${caller.user} is bound to the owner "${caller.owner}", and cannot find the jobs of others.`,
      );
    }
    const after = keyIn(cursor, /^\d{1,18}\.[0-9a-f-]{36}$/);
    const [jobs, count] = await Promise.all([
      reader.waitingJobs({ ...filter, owner, after, limit: limit + 1 }),
      isCounted === true ? reader.waitingCount({ ...filter, owner }) : undefined,
    ]);
    const { data, page } = keyedPage(jobs, limit, ({ place }) => place);
    const waiting = data.map((job) => view.waiting(job, caller));
    return c.json({ data: waiting, page, ...(count !== undefined && { count }) }, 200);
  });
  return app;
}
