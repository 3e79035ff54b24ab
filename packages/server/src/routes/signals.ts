import { createRoute, z } from "@hono/zod-openapi";
import { type Reader, RefusedError, type SignalAnswer } from "lockstep";
import type { Caller } from "../access/caller.ts";
import { signalJobSchema, signalledJobSchema } from "../contract/waits.ts";
import { changedJob } from "../jobs/changed-job.ts";
import { versionIn } from "../jobs/job-etag.ts";
import { jobNotFound, scopedJob } from "../jobs/scoped-job.ts";
import { callerOf, needs } from "../middleware/needs.ts";
import { ProblemError } from "../middleware/problem-error.ts";
import { recorded } from "../middleware/recorded.ts";
import { json, problems } from "./answers.ts";
import { type ApiApp, apiApp } from "./api-app.ts";
import { jobParams } from "./jobs.ts";
import type { RouteParts } from "./route-parts.ts";
import { moveHeaders, writeHeaders } from "./write-headers.ts";

const name = z.string().openapi({ example: "approval", description: "The name of a wait." });
const body = { required: true, content: { "application/json": { schema: signalJobSchema } } };
const refusals = [
  "job.not_found",
  "wait.not_found",
  "job.finished",
  "wait.already_signalled",
  "wait.timed_out",
  "wait.not_allowed",
  "signal.invalid",
  "payload.too_large",
  "idempotency.in_use",
  "idempotency.reused",
  "input.invalid",
] as const;

const signalJob = createRoute({
  method: "post",
  path: "/jobs/{id}/signals/{name}",
  summary: "Tell a job what one of its waits is for",
  tags: ["waits"],
  ...needs("jobs.signal", { ownerBound: true }),
  request: { params: jobParams.extend({ name }), headers: moveHeaders, body },
  responses: {
    200: json(signalledJobSchema, "The job continues, or will when it has come to the wait."),
    ...problems(...refusals, "version.changed"),
  },
});

const signalByKey = createRoute({
  method: "post",
  path: "/pipelines/{pipeline}/signals/{key}/{name}",
  summary: "The same for those who do not know the id, but the job's signal key",
  tags: ["waits"],
  ...needs("jobs.signal"),
  request: {
    params: z.object({
      pipeline: z.string().openapi({ example: "order" }),
      key: z.string().openapi({ example: "order-4711" }),
      name,
    }),
    headers: writeHeaders,
    body,
  },
  responses: {
    200: json(
      signalledJobSchema,
      "The job that has the key continues, or will when it has come to the wait.",
    ),
    ...problems(...refusals),
  },
});

export function signalRoutes({ engine, reader, view }: RouteParts): ApiApp {
  const app = apiApp();
  app.openapi(signalJob, async (c) => {
    const { id, name: wait } = c.req.valid("param");
    const { value = null } = c.req.valid("json");
    const ifVersion = versionIn(c.req.header("if-match")) ?? undefined;
    const caller = callerOf(c);
    await checkScope(reader, caller, id, wait);
    const answer = await recorded(c, engine, { action: "jobs.signal" }, async (writes) => {
      const given = await writes.signal(id, wait, value, { ifVersion }).catch(refuseUnfit);
      // Thrown, so that nothing is recorded and the key stays free.
      if (given === "signalled" || given === "kept") return { id, answer: given };
      throw new Untaken(given);
    }).catch(async (error) => {
      if (!(error instanceof Untaken)) throw error;
      throw error.answer === "changed"
        ? await changedJob({ reader, view }, caller, id)
        : problemFor(error.answer, id, wait);
    });
    return c.json(answer, 200);
  });

  app.openapi(signalByKey, async (c) => {
    const { pipeline, key, name: wait } = c.req.valid("param");
    const { value = null } = c.req.valid("json");
    const answer = await recorded(c, engine, { action: "jobs.signal" }, async (writes) => {
      const given = await writes.signalByKey(pipeline, key, wait, value).catch(refuseUnfit);
      const { answer: said, jobId } = given;
      if (jobId !== null && (said === "signalled" || said === "kept")) return { id: jobId, answer: said };
      throw jobId === null ? noSuchKey(pipeline, key) : problemFor(said, jobId, wait);
    });
    return c.json(answer, 200);
  });
  return app;
}

/**
 * A caller may not signal a job that it may not see. Whoever is bound to an owner, or has one job's token, signals in the owner's name, whatever
 * name they go by.
 */
async function checkScope(
  reader: Pick<Reader, "job" | "pipelines">,
  caller: Caller,
  id: string,
  wait: string,
): Promise<void> {
  if (caller.owner === null && caller.scope === null) return;
  const job = await scopedJob(reader, caller, id);
  const pipeline = (await reader.pipelines()).find(({ name: known }) => known === job.pipeline);
  const stage = pipeline?.stages.find(({ name: known }) => known === wait);
  if (stage?.notBy === "owner") throw problemFor("not_allowed", id, wait);
}

function refuseUnfit(error: unknown): never {
  if (!(error instanceof RefusedError) || error.code !== "LS009") throw error;
  throw new ProblemError("signal.invalid", error.message, {
    errors: [{ pointer: "/value", detail: error.message }],
  });
}

function problemFor(answer: SignalAnswer, id: string, wait: string): ProblemError {
  switch (answer) {
    case "no_such_wait":
      return new ProblemError("wait.not_found", `The pipeline of job ${id} has no wait "${wait}".`);
    case "already_finished":
      return new ProblemError("job.finished", `Job ${id} has ended, so that it can no longer be signalled.`);
    case "already_signalled":
      return new ProblemError(
        "wait.already_signalled",
        `Wait "${wait}" of job ${id} has already been signalled: the first signal counts.`,
      );
    case "timed_out":
      return new ProblemError(
        "wait.timed_out",
        `Job ${id} has left wait "${wait}", or gone past it, without a signal: it comes too late.`,
      );
    case "not_allowed":
      return new ProblemError(
        "wait.not_allowed",
        `Wait "${wait}" of job ${id} cannot be signalled by the owner of the job: somebody else has to decide.`,
      );
    default:
      return jobNotFound(id);
  }
}

function noSuchKey(pipeline: string, key: string): ProblemError {
  return new ProblemError(
    "job.not_found",
    `No job of pipeline "${pipeline.slice(0, 100)}" has the signal key "${key.slice(0, 255)}".`,
  );
}

/** The queue's answer to a signal that was not taken. */
class Untaken extends Error {
  readonly answer: SignalAnswer;

  constructor(answer: SignalAnswer) {
    super(answer);
    this.answer = answer;
  }
}
