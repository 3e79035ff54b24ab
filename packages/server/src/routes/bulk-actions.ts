import { createRoute, z } from "@hono/zod-openapi";
import type { BulkAction } from "lockstep";
import type { Caller } from "../access/caller.ts";
import {
  bulkActionRequestSchema,
  bulkActionSchema,
  bulkPageQuery,
  bulkPageSchema,
  bulkPreviewSchema,
} from "../contract/bulk-actions.ts";
import { filterFrom } from "../jobs/filter-from.ts";
import { callerOf, needs } from "../middleware/needs.ts";
import { ProblemError } from "../middleware/problem-error.ts";
import { recorded } from "../middleware/recorded.ts";
import { json, problems } from "./answers.ts";
import { type ApiApp, apiApp } from "./api-app.ts";
import { keyedPage, keyIn } from "./keyed-page.ts";
import type { RouteParts } from "./route-parts.ts";
import { writeHeaders } from "./write-headers.ts";

const params = z.object({ id: z.string().openapi({ format: "uuid" }) });
const tags = ["bulk actions"];

const startBulkAction = createRoute({
  method: "post",
  path: "/bulk-actions",
  summary: "Cancel or retry all jobs that match a filter",
  description:
    "Needs jobs.cancel or jobs.retry too. It runs in small steps; jobs added after the start are not included.",
  tags,
  ...needs("jobs.read"),
  request: {
    headers: writeHeaders,
    body: { required: true, content: { "application/json": { schema: bulkActionRequestSchema } } },
  },
  responses: {
    200: json(bulkPreviewSchema, "With dryRun: how many jobs match."),
    202: {
      ...json(bulkActionSchema, "Started. Location is where to read its progress."),
      headers: z.object({ Location: z.string() }),
    },
    ...problems(
      "filter.invalid",
      "filter.redacted",
      "idempotency.in_use",
      "idempotency.reused",
      "input.invalid",
    ),
  },
});

const listBulkActions = createRoute({
  method: "get",
  path: "/bulk-actions",
  summary: "Bulk actions, newest first",
  tags,
  ...needs("jobs.read"),
  request: { query: bulkPageQuery },
  responses: { 200: json(bulkPageSchema, "A page of them."), ...problems("cursor.invalid", "input.invalid") },
});

const getBulkAction = createRoute({
  method: "get",
  path: "/bulk-actions/{id}",
  summary: "The progress of a bulk action",
  tags,
  ...needs("jobs.read"),
  request: { params },
  responses: { 200: json(bulkActionSchema, "The action."), ...problems("bulk_action.not_found") },
});

const abortBulkAction = createRoute({
  method: "post",
  path: "/bulk-actions/{id}/abort",
  summary: "End a bulk action; what it has done stays done",
  description: "Needs jobs.cancel or jobs.retry too, whichever the action does.",
  tags,
  ...needs("jobs.read"),
  request: { params, headers: writeHeaders },
  responses: {
    200: json(bulkActionSchema, "It is aborted."),
    ...problems("bulk_action.not_found", "bulk_action.ended"),
  },
});

export function bulkActionRoutes({ engine, view, config, link }: RouteParts): ApiApp {
  const app = apiApp();
  app.openapi(startBulkAction, async (c) => {
    const caller = callerOf(c);
    const { action, filter: text, ids, fromStage, dryRun } = c.req.valid("json");
    checkRight(caller, action);
    const filter = text === undefined ? undefined : filterFrom(text, caller, view, config.clock.now());
    const request = { action, filter, ids, fromStage };
    if (dryRun) return c.json({ matched: await engine.bulk.preview(request) }, 200);
    const started = await recorded(c, engine, { action: "bulk.start" }, (writes) =>
      writes.startBulk(request),
    );
    c.header("Location", link(`/bulk-actions/${started.id}`));
    return c.json(shown(started, caller), 202);
  });
  app.openapi(listBulkActions, async (c) => {
    const caller = callerOf(c);
    const { limit, cursor } = c.req.valid("query");
    // One more than is shown tells whether there are more.
    const found = await engine.bulk.list({ before: keyIn(cursor), limit: limit + 1 });
    const page = keyedPage(found, limit, ({ id }) => id);
    return c.json({ ...page, data: page.data.map((action) => shown(action, caller)) }, 200);
  });
  app.openapi(getBulkAction, async (c) => {
    return c.json(shown(await theAction(c.req.valid("param").id), callerOf(c)), 200);
  });
  app.openapi(abortBulkAction, async (c) => {
    const caller = callerOf(c);
    const { id } = c.req.valid("param");
    checkRight(caller, (await theAction(id)).action);
    await recorded(c, engine, { action: "bulk.abort" }, async (writes) => {
      const answer = await writes.abortBulk(id);
      if (answer === "not_found") throw notFound(id);
      if (answer === "already_finished") {
        throw new ProblemError(
          "bulk_action.ended",
          `Bulk action ${id} has ended, and cannot be aborted any more.`,
        );
      }
      return answer;
    });
    return c.json(shown(await theAction(id), caller), 200);
  });

  async function theAction(id: string): Promise<BulkAction> {
    const action = isUuid(id) ? await engine.bulk.get(id) : null;
    if (action === null) throw notFound(id);
    return action;
  }
  return app;
}

/** Whoever may do it to one job may do it to many. */
function checkRight({ user, rights }: Caller, action: "cancel" | "retry"): void {
  if (rights.has(`jobs.${action}`)) return;
  throw new ProblemError(
    "rights.missing",
    `This needs the right jobs.${action}, which ${user} does not have.`,
  );
}

/** What was searched in payloads is for those who may see them. */
function shown(action: BulkAction, caller: Caller): BulkAction {
  if (caller.rights.has("jobs.payload")) return action;
  const { payload: _payload, ...filter } = action.filter;
  return { ...action, filter };
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

function notFound(id: string): ProblemError {
  return new ProblemError("bulk_action.not_found", `There is no bulk action ${id}.`);
}
