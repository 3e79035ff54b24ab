import { createRoute, z } from "@hono/zod-openapi";
import type { AddItem } from "lockstep";
import type { Caller } from "../access/caller.ts";
import { addedJobsSchema, addedSchema, addJobSchema, addJobsSchema } from "../contract/jobs.ts";
import type { JobView } from "../jobs/job-view.ts";
import { PayloadChecker } from "../jobs/payload-checker.ts";
import { untilFinished } from "../jobs/until-finished.ts";
import { callerOf, needs } from "../middleware/needs.ts";
import { ProblemError } from "../middleware/problem-error.ts";
import { recorded } from "../middleware/recorded.ts";
import { redacted } from "../redaction/redactor.ts";
import { json, problems } from "./answers.ts";
import { type ApiApp, apiApp } from "./api-app.ts";
import type { RouteParts } from "./route-parts.ts";
import { writeHeaders } from "./write-headers.ts";

const addJobs = createRoute({
  method: "post",
  path: "/jobs",
  summary: "Add one job, or up to 1,000 of one pipeline",
  description:
    "With `Prefer: wait=10` the answer comes when the job is finished, or after that many seconds, at most 30.",
  tags: ["jobs"],
  ...needs("jobs.add", { ownerBound: true }),
  request: {
    headers: writeHeaders.extend({ prefer: z.string().optional().openapi({ example: "wait=10" }) }),
    body: {
      required: true,
      content: { "application/json": { schema: z.union([addJobsSchema, addJobSchema]) } },
    },
  },
  responses: {
    201: {
      ...json(z.union([addedSchema, addedJobsSchema]), "Added. Location is where the job is."),
      headers: z.object({ Location: z.string().optional() }),
    },
    200: json(
      z.union([addedSchema, addedJobsSchema]),
      "Nothing was added: jobs with the same dedup keys or ids already existed.",
    ),
    ...problems(
      "body.malformed",
      "body.too_large",
      "idempotency.in_use",
      "idempotency.reused",
      "input.invalid",
      "job.id_taken",
      "media_type.unsupported",
      "owner.bound",
      "payload.invalid",
      "payload.too_large",
      "pipeline.full",
      "pipeline.unknown",
    ),
  },
});

const longestWaitSeconds = 30;
const deepest = 100;
const markDetail = `is "${redacted}", the mark of a value that is hidden here: send the value itself, or leave it out`;

export function addJobRoutes({ engine, reader, view, config, link, stopping }: RouteParts): ApiApp {
  const app = apiApp();
  const payloads = new PayloadChecker({ engine, reader, clock: config.clock });
  app.openapi(addJobs, async (c) => {
    const caller = callerOf(c);
    const body = c.req.valid("json");
    const { pipeline } = body;
    const items = itemsOf(body).map((item) => ownedBy(caller, item));
    refuseDepth(body);
    refuseMarks(body, view);
    await payloads.check(
      pipeline,
      items.map(({ payload }) => payload),
    );
    const added = await recorded(c, engine, { action: "jobs.add" }, (writes) => writes.add(pipeline, items));
    const status = added.some(({ created }) => created) ? 201 : 200;
    const [first] = added;
    if ("jobs" in body || first === undefined) return c.json({ jobs: added }, status);
    c.header("Location", link(`/jobs/${first.id}`));
    const seconds = secondsToWait(c.req.header("prefer"));
    if (seconds === null) return c.json(first, status);
    c.header("Preference-Applied", `wait=${seconds}`);
    await untilFinished(engine, first.id, seconds * 1_000, [stopping, c.req.raw.signal]);
    const job = await reader.job(first.id, { full: false });
    if (job === null) return c.json(first, status);
    // A job that was there before may be shown to whoever may look at jobs; of others, what is their own.
    const isShown = first.created || caller.rights.has("jobs.read");
    return c.json(
      { ...first, status: job.status, ...(isShown ? { job: view.job(job, caller) } : {}) },
      status,
    );
  });
  return app;
}

type Body = z.output<typeof addJobSchema> | z.output<typeof addJobsSchema>;

function itemsOf(body: Body): readonly AddItem[] {
  if ("jobs" in body) return body.jobs;
  const { pipeline: _pipeline, ...item } = body;
  return [item];
}

/**
 * The queue takes 64 levels, and says where there are more. Those who look at a payload before it do so by recursion, for
 * which a body has room for hundreds of thousands.
 */
function refuseDepth(body: Body): void {
  const index = itemsOf(body).findIndex(({ payload }) => isDeeperThan(deepest, payload));
  if (index === -1) return;
  const pointer = "jobs" in body ? `/jobs/${index}/payload` : "/payload";
  const detail = "is nested deeper than the 64 levels that a payload may have";
  throw new ProblemError("payload.invalid", `The payload is not valid: ${pointer} ${detail}.`, {
    errors: [{ pointer, detail }],
  });
}

function isDeeperThan(most: number, value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > most) return true;
    level = level.flatMap((part): unknown[] =>
      typeof part === "object" && part !== null ? Object.values(part) : [],
    );
  }
  return false;
}

/** A payload that was read here and sent back would lose what is hidden in it: the mark would be all that is left. */
function refuseMarks(body: Body, view: Pick<JobView, "marksIn">): void {
  const at = "jobs" in body ? (index: number) => `/jobs/${index}/payload` : () => "/payload";
  const pointers = itemsOf(body).flatMap(({ payload }, index) =>
    view.marksIn(payload).map((pointer) => `${at(index)}${pointer}`),
  );
  const [first] = pointers;
  if (first === undefined) return;
  throw new ProblemError(
    "payload.invalid",
    `The value at ${first} is "${redacted}", which marks a hidden value: send the value itself, or leave it out.`,
    { errors: pointers.map((pointer) => ({ pointer, detail: markDetail })) },
  );
}

/** What an owner's access adds is the owner's, and so is the group: in another's it would use up that one's turns. */
function ownedBy({ user, owner }: Caller, item: AddItem): AddItem {
  if (owner === null) return item;
  const bound = `The access of ${user} is bound to the owner "${owner}"`;
  if ((item.owner ?? owner) !== owner) {
    throw new ProblemError("owner.bound", `${bound}, and cannot add jobs for another.`);
  }
  if ((item.groupKey ?? owner) !== owner) {
    throw new ProblemError(
      "owner.bound",
      `${bound}, and cannot add jobs to another's group: leave groupKey out, or set it to "${owner}".`,
    );
  }
  return { ...item, owner };
}

function secondsToWait(prefer: string | undefined): number | null {
  const [, seconds] = /(?:^|[,;\s])wait=(\d{1,6})(?:$|[,;\s])/.exec(prefer ?? "") ?? [];
  return seconds === undefined ? null : Math.min(longestWaitSeconds, Number(seconds));
}
