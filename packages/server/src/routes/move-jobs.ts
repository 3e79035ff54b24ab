import { createRoute } from "@hono/zod-openapi";
import type { Context } from "hono";
import {
  cancelledJobSchema,
  forkedJobSchema,
  forkJobSchema,
  retriedJobSchema,
  retryJobSchema,
} from "../contract/jobs.ts";
import { changedJob } from "../jobs/changed-job.ts";
import { versionIn } from "../jobs/job-etag.ts";
import { jobNotFound, scopedJob } from "../jobs/scoped-job.ts";
import { callerOf, needs } from "../middleware/needs.ts";
import { ProblemError } from "../middleware/problem-error.ts";
import { recorded } from "../middleware/recorded.ts";
import type { ServerEnv } from "../server-env.ts";
import { json, problems } from "./answers.ts";
import { type ApiApp, apiApp } from "./api-app.ts";
import { jobParams } from "./jobs.ts";
import type { RouteParts } from "./route-parts.ts";
import { moveHeaders } from "./write-headers.ts";

const cancelJob = createRoute({
  method: "post",
  path: "/jobs/{id}/cancel",
  summary: "Cancel a job; one that is processing is asked to stop",
  tags: ["jobs"],
  ...needs("jobs.cancel", { ownerBound: true }),
  request: { params: jobParams, headers: moveHeaders },
  responses: {
    200: json(cancelledJobSchema, "Cancelled, or asked to stop."),
    ...problems(
      "job.not_found",
      "job.finished",
      "version.changed",
      "idempotency.in_use",
      "idempotency.reused",
    ),
  },
});

const retryJob = createRoute({
  method: "post",
  path: "/jobs/{id}/retry",
  summary: "Run a failed or cancelled job again",
  tags: ["jobs"],
  ...needs("jobs.retry", { ownerBound: true }),
  request: {
    params: jobParams,
    headers: moveHeaders,
    body: { content: { "application/json": { schema: retryJobSchema } } },
  },
  responses: {
    200: json(retriedJobSchema, "It is to run again, under the same id."),
    ...problems(
      "job.not_found",
      "job.processing",
      "job.conflict",
      "stage.unknown",
      "version.changed",
      "idempotency.in_use",
      "idempotency.reused",
      "input.invalid",
    ),
  },
});

const forkJob = createRoute({
  method: "post",
  path: "/jobs/{id}/fork",
  summary: "Run a finished job again as a new job, from its first stage or a chosen one",
  tags: ["jobs"],
  ...needs("jobs.retry", { ownerBound: true }),
  request: {
    params: jobParams,
    headers: moveHeaders,
    body: { content: { "application/json": { schema: forkJobSchema } } },
  },
  responses: {
    201: json(forkedJobSchema, "The new job has the payload and the outputs of the stages before."),
    ...problems(
      "job.not_found",
      "job.processing",
      "pipeline.full",
      "stage.unknown",
      "version.changed",
      "idempotency.in_use",
      "idempotency.reused",
      "input.invalid",
    ),
  },
});

export function moveJobRoutes({ engine, reader, view }: RouteParts): ApiApp {
  const app = apiApp();

  /** A caller may not move a job that it may not see. */
  const checkScope = async (c: Context<ServerEnv>, id: string) => {
    const caller = callerOf(c);
    if (caller.owner !== null) await scopedJob(reader, caller, id);
  };

  const changed = (c: Context<ServerEnv>, id: string) => changedJob({ reader, view }, callerOf(c), id);

  const notToRetry = async (id: string) => {
    const job = await reader.job(id, { full: false });
    return new ProblemError(
      "job.processing",
      `Only failed and cancelled jobs can be retried; job ${id} is ${job?.status ?? "neither"}.`,
    );
  };

  app.openapi(cancelJob, async (c) => {
    const { id } = c.req.valid("param");
    const ifVersion = versionIn(c.req.header("if-match")) ?? undefined;
    await checkScope(c, id);
    const answer = await recorded(c, engine, { action: "jobs.cancel" }, async (writes) => {
      const given = await writes.cancel(id, { ifVersion });
      // Thrown, so that nothing is recorded and the key stays free.
      if (given === "cancelled" || given === "cancel_requested") return { id, answer: given };
      throw new Unmoved(given);
    }).catch(async (error) => {
      if (!(error instanceof Unmoved)) throw error;
      if (error.answer === "changed") throw await changed(c, id);
      throw error.answer === "already_finished"
        ? new ProblemError("job.finished", `Job ${id} is finished and cannot be cancelled any more.`)
        : jobNotFound(id);
    });
    return c.json(answer, 200);
  });

  app.openapi(retryJob, async (c) => {
    const { id } = c.req.valid("param");
    const { fromStage } = c.req.valid("json");
    const ifVersion = versionIn(c.req.header("if-match")) ?? undefined;
    await checkScope(c, id);
    const answer = await recorded(c, engine, { action: "jobs.retry" }, async (writes) => {
      const { answer: given, twinId } = await writes.retry(id, { fromStage, ifVersion });
      if (given === "applied") return { id, answer: given };
      throw new Unmoved(given, twinId);
    }).catch(async (error) => {
      if (!(error instanceof Unmoved)) throw error;
      if (error.answer === "changed") throw await changed(c, id);
      if (error.answer === "not_found") throw jobNotFound(id);
      throw error.answer === "conflict"
        ? new ProblemError(
            "job.conflict",
            `Job ${error.twinId} is live under the dedup key of job ${id}: let it finish, or cancel it.`,
          )
        : await notToRetry(id);
    });
    return c.json(answer, 200);
  });

  app.openapi(forkJob, async (c) => {
    const { id } = c.req.valid("param");
    const { fromStage } = c.req.valid("json");
    const ifVersion = versionIn(c.req.header("if-match")) ?? undefined;
    await checkScope(c, id);
    const answer = await recorded(c, engine, { action: "jobs.fork" }, async (writes) => {
      const forked = await writes.fork(id, { fromStage, ifVersion });
      if (forked.id !== null) return { id: forked.id, forkedFrom: id };
      throw new Unmoved(forked.answer);
    }).catch(async (error) => {
      if (!(error instanceof Unmoved)) throw error;
      if (error.answer === "changed") throw await changed(c, id);
      throw error.answer === "not_found"
        ? jobNotFound(id)
        : new ProblemError("job.processing", `Only finished jobs can be forked; job ${id} is still live.`);
    });
    return c.json(answer, 201);
  });
  return app;
}

/** The queue's answer to a move that was not made. */
class Unmoved extends Error {
  readonly answer: string;
  readonly twinId: string | null;

  constructor(answer: string, twinId: string | null = null) {
    super(answer);
    this.answer = answer;
    this.twinId = twinId;
  }
}
