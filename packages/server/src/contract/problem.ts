import { z } from "@hono/zod-openapi";

interface ProblemKind {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 412 | 413 | 415 | 421 | 422 | 429 | 500 | 503;
  readonly title: string;
}

/** Every way a request can be refused. Codes are stable: programs read them, people read the rest. */
export const problemKinds = {
  "body.malformed": { status: 400, title: "The body is not JSON" },
  "body.too_large": { status: 413, title: "The body is too large" },
  "budget.not_found": { status: 404, title: "There is no such budget" },
  "bulk_action.not_found": { status: 404, title: "There is no such bulk action" },
  "bulk_action.ended": { status: 409, title: "The bulk action has ended" },
  "cursor.filter_mismatch": { status: 400, title: "The cursor belongs to another filter" },
  "cursor.invalid": { status: 400, title: "The cursor cannot be read" },
  "database.schema_missing": { status: 503, title: "The database has no Lockstep schema of this version" },
  "database.unavailable": { status: 503, title: "The database is not available" },
  "filter.invalid": { status: 422, title: "The filter cannot be read" },
  "filter.redacted": { status: 403, title: "The filter asks for a hidden value" },
  "host.unknown": { status: 421, title: "This host name is not served here" },
  "idempotency.in_use": { status: 409, title: "The first request with this key is still in progress" },
  "idempotency.reused": { status: 422, title: "The key was used for another request" },
  "input.invalid": { status: 422, title: "The request is not valid" },
  internal: { status: 500, title: "Something went wrong on the server" },
  "job.conflict": { status: 409, title: "Another job holds this job's dedup key" },
  "job.finished": { status: 409, title: "The job is finished" },
  "job.id_taken": { status: 409, title: "The id is taken" },
  "job.not_found": { status: 404, title: "There is no such job" },
  "job.processing": { status: 409, title: "The job has not failed and was not cancelled" },
  "media_type.unsupported": { status: 415, title: "The body must be JSON" },
  "method.not_allowed": { status: 405, title: "This path does not support this method" },
  "origin.refused": { status: 403, title: "Requests from other sites are refused" },
  "owner.bound": { status: 403, title: "Your access is limited to one owner" },
  "payload.invalid": { status: 422, title: "The payload is not valid" },
  "payload.too_large": { status: 413, title: "The payload is too large" },
  "pipeline.full": { status: 429, title: "The pipeline is full" },
  "pipeline.not_found": { status: 404, title: "There is no such pipeline" },
  "pipeline.unknown": { status: 422, title: "There is no pipeline with this name" },
  "query.timeout": { status: 503, title: "The query took too long" },
  "rate.exceeded": { status: 429, title: "Too many requests" },
  "rights.missing": { status: 403, title: "You do not have the right to do this" },
  "route.unknown": { status: 404, title: "There is no such path" },
  "schedule.not_found": { status: 404, title: "There is no such schedule" },
  "server.stopping": { status: 503, title: "The server is stopping" },
  "signal.invalid": { status: 422, title: "The signal does not fit its wait" },
  "stage.not_found": { status: 404, title: "There is no such stage" },
  "stage.unknown": { status: 422, title: "The pipeline has no such stage" },
  "state.wrong": { status: 409, title: "The current state does not allow this" },
  "streams.full": { status: 503, title: "The server cannot open another stream" },
  "streams.too_many": { status: 429, title: "Too many streams at once" },
  "token.missing": { status: 401, title: "A token is required" },
  "token.refused": { status: 401, title: "The token is unknown or has expired" },
  "tokens.not_configured": { status: 409, title: "Owner tokens need a secret" },
  "version.changed": { status: 412, title: "The job has changed" },
  "wait.already_signalled": { status: 409, title: "This wait has already been signalled" },
  "wait.not_allowed": { status: 403, title: "You cannot signal this wait" },
  "wait.not_found": { status: 404, title: "The job has no such wait" },
  "wait.timed_out": { status: 409, title: "The wait has already ended" },
} as const satisfies Record<string, ProblemKind>;

export type ProblemCode = keyof typeof problemKinds;

export const problemCodes = Object.keys(problemKinds) as [ProblemCode, ...ProblemCode[]];

export const problemSchema = z
  .object({
    type: z.string().openapi({ description: "urn:lockstep:problem: and the code." }),
    title: z.string(),
    status: z.int(),
    detail: z.string().openapi({ description: "What happened, to what, and what to do." }),
    instance: z.string().openapi({ description: "The path that was asked for." }),
    code: z.enum(problemCodes),
    requestId: z.string(),
    errors: z
      .array(z.object({ pointer: z.string(), detail: z.string() }))
      .optional()
      .openapi({ description: "What is wrong where: JSON pointers into the body, or names of parameters." }),
    job: z
      .record(z.string(), z.unknown())
      .optional()
      .openapi({ description: "The job as it is now, with version.changed and job.conflict." }),
  })
  .openapi("Problem", {
    example: {
      type: "urn:lockstep:problem:job.not_found",
      title: "There is no such job",
      status: 404,
      detail: "There is no job 0192f0c1-7a3e-7cc3-98c4-dc0c0c07398f.",
      instance: "/api/v1/jobs/0192f0c1-7a3e-7cc3-98c4-dc0c0c07398f",
      code: "job.not_found",
      requestId: "0192f0c1-9d2b-4c1a-8f0e-3a5b6c7d8e9f",
    },
  });

export type Problem = z.infer<typeof problemSchema>;
