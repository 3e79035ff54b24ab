import { createRoute } from "@hono/zod-openapi";
import type { JobCount, JobFilter, Reader } from "lockstep";
import {
  jobCountsQuery,
  jobCountsSchema,
  jobListQuery,
  jobPageSchema,
  jobStatuses,
} from "../contract/jobs.ts";
import { filterFrom } from "../jobs/filter-from.ts";
import { callerOf, needs } from "../middleware/needs.ts";
import { json, problems } from "./answers.ts";
import { type ApiApp, apiApp } from "./api-app.ts";
import type { RouteParts } from "./route-parts.ts";

const listJobs = createRoute({
  method: "get",
  path: "/jobs",
  summary: "The jobs that match a filter, newest first",
  tags: ["jobs"],
  ...needs("jobs.read", { ownerBound: true }),
  request: { query: jobListQuery },
  responses: {
    200: json(jobPageSchema, "A page. The header Link leads to the pages around it."),
    ...problems(
      "cursor.invalid",
      "cursor.filter_mismatch",
      "filter.invalid",
      "filter.redacted",
      "input.invalid",
      "owner.bound",
    ),
  },
});

const countJobs = createRoute({
  method: "get",
  path: "/jobs/counts",
  summary: "How many jobs match a filter, by status",
  tags: ["jobs"],
  ...needs("jobs.read", { ownerBound: true }),
  request: { query: jobCountsQuery },
  responses: {
    200: json(jobCountsSchema, "From the counters if possible, otherwise counted up to 10,000."),
    ...problems("filter.invalid", "filter.redacted", "input.invalid", "owner.bound"),
  },
});

export function listJobRoutes({ reader, view, config, link }: RouteParts): ApiApp {
  const app = apiApp();
  app.openapi(listJobs, async (c) => {
    const caller = callerOf(c);
    const { filter: text, sort, limit, cursor, count: isCounted } = c.req.valid("query");
    const filter = filterFrom(text, caller, view, config.clock.now());
    const preview = caller.rights.has("jobs.payload");
    const [page, count] = await Promise.all([
      reader.jobs(filter, { sort, limit, cursor, preview }),
      isCounted === true ? reader.count(filter) : undefined,
    ]);
    const { next, previous, isCutShort, scannedTo } = page;
    const links = linksTo((to) => link(`/jobs?${withCursor(c.req.url, to)}`), { next, prev: previous });
    if (links !== "") c.header("Link", links);
    return c.json(
      {
        data: page.jobs.map((job) => view.summary(job, caller)),
        page: { next, previous, hasMore: next !== null, isCutShort, scannedTo },
        ...(count !== undefined && { count }),
      },
      200,
    );
  });
  app.openapi(countJobs, async (c) => {
    const filter = filterFrom(c.req.valid("query").filter, callerOf(c), view, config.clock.now());
    return c.json({ counts: await countsOf(reader, filter) }, 200);
  });
  return app;
}

async function countsOf(
  reader: Pick<Reader, "count">,
  filter: JobFilter,
): Promise<Record<(typeof jobStatuses)[number], JobCount>> {
  const none: JobCount = { value: 0, exact: true, capped: false };
  const counts = jobStatuses.map(async (status) => {
    const isAsked = filter.statuses?.includes(status) ?? true;
    return [status, isAsked ? await reader.count({ ...filter, statuses: [status] }) : none] as const;
  });
  return Object.fromEntries(await Promise.all(counts)) as Record<(typeof jobStatuses)[number], JobCount>;
}

function withCursor(url: string, cursor: string): string {
  const query = new URL(url).searchParams;
  query.set("cursor", cursor);
  return query.toString();
}

function linksTo(urlOf: (cursor: string) => string, cursors: Record<string, string | null>): string {
  return Object.entries(cursors)
    .flatMap(([rel, cursor]) => (cursor === null ? [] : [`<${urlOf(cursor)}>; rel="${rel}"`]))
    .join(", ");
}
