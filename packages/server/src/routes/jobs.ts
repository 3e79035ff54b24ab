import { createRoute, z } from "@hono/zod-openapi";
import type { Reason } from "lockstep";
import { branchesSchema, effectsSchema, jobQuery, jobSchema, reasonsSchema } from "../contract/jobs.ts";
import { etagOf, isNamed } from "../jobs/job-etag.ts";
import { scopedJob } from "../jobs/scoped-job.ts";
import { callerOf, needs } from "../middleware/needs.ts";
import { json, problems } from "./answers.ts";
import { type ApiApp, apiApp } from "./api-app.ts";
import type { RouteParts } from "./route-parts.ts";

export const jobParams = z.object({
  id: z.string().openapi({ format: "uuid", example: "0192f0c1-7a3e-7cc3-98c4-dc0c0c07398f" }),
});

const getJob = createRoute({
  method: "get",
  path: "/jobs/{id}",
  summary: "One job, with its attempts and what it carries",
  tags: ["jobs"],
  ...needs("jobs.read", { ownerBound: true }),
  request: {
    params: jobParams,
    query: jobQuery,
    headers: z.object({ "if-none-match": z.string().optional() }),
  },
  responses: {
    200: {
      ...json(jobSchema, "The job."),
      headers: z.object({ ETag: z.string().openapi({ description: "For If-Match of cancel and retry." }) }),
    },
    304: { description: "Unchanged: it matches If-None-Match." },
    ...problems("job.not_found"),
  },
});

const explainJob = createRoute({
  method: "get",
  path: "/jobs/{id}/explain",
  summary: "Why a job is not running",
  tags: ["jobs"],
  ...needs("jobs.read", { ownerBound: true }),
  request: { params: jobParams },
  responses: { 200: json(reasonsSchema, "In sentences and numbers."), ...problems("job.not_found") },
});

const listEffects = createRoute({
  method: "get",
  path: "/jobs/{id}/effects",
  summary: "What the ledger of once() holds for a job",
  tags: ["jobs"],
  ...needs("jobs.read", { ownerBound: true }),
  request: { params: jobParams },
  responses: { 200: json(effectsSchema, "Its effects."), ...problems("job.not_found") },
});

const listBranches = createRoute({
  method: "get",
  path: "/jobs/{id}/branches",
  summary: "The children whose results stages of a job wait for, or have waited for",
  tags: ["jobs"],
  ...needs("jobs.read", { ownerBound: true }),
  request: { params: jobParams },
  responses: {
    200: json(branchesSchema, "In the order in which they began."),
    ...problems("job.not_found"),
  },
});

export function jobRoutes({ reader, engine, view }: RouteParts): ApiApp {
  const app = apiApp();
  app.openapi(getJob, async (c) => {
    const caller = callerOf(c);
    const job = await scopedJob(reader, caller, c.req.valid("param").id, c.req.valid("query"));
    const body = JSON.stringify(view.job(job, caller));
    const etag = etagOf(job.version, body);
    const headers = { ETag: etag, "Cache-Control": "private, no-cache" };
    if (isNamed(c.req.header("if-none-match"), etag)) return c.body(null, 304, headers);
    return c.body(body, 200, { ...headers, "Content-Type": "application/json" });
  });
  app.openapi(explainJob, async (c) => {
    const caller = callerOf(c);
    const { id } = await scopedJob(reader, caller, c.req.valid("param").id);
    const reasons = await reader.explain(id);
    return c.json({ data: caller.owner === null ? reasons : reasons.map(withoutOthers) }, 200);
  });
  app.openapi(listEffects, async (c) => {
    const caller = callerOf(c);
    const { id } = await scopedJob(reader, caller, c.req.valid("param").id);
    return c.json({ data: view.effects(await engine.effects(id), caller) }, 200);
  });
  app.openapi(listBranches, async (c) => {
    const { id } = await scopedJob(reader, callerOf(c), c.req.valid("param").id);
    return c.json({ data: await reader.branches(id) }, 200);
  });
  return app;
}

/** Whoever is bound to an owner is not told which jobs hold a budget: they may be another's. */
function withoutOthers(reason: Reason): Reason {
  const { reservedBy: _others, ...detail } = reason.detail;
  return { ...reason, detail };
}
