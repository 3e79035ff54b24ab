import { createRoute, z } from "@hono/zod-openapi";
import type { AddItem, Engine } from "lockstep";
import type { Caller } from "../access/caller.ts";
import { addedJobsSchema, addedSchema, addJobSchema, addJobsSchema } from "../contract/jobs.ts";
import { callerOf, needs } from "../middleware/needs.ts";
import { PayloadChecker } from "../payload-checker.ts";
import { ProblemError } from "../problem-error.ts";
import { recorded } from "../recorded.ts";
import { json, problems } from "./answers.ts";
import { type ApiApp, apiApp } from "./api-app.ts";
import type { RouteParts } from "./route-parts.ts";
import { writeHeaders } from "./write-headers.ts";

const addJobs = createRoute({
  method: "post",
  path: "/jobs",
  summary: "Add one job, or up to 1,000 of one pipeline",
  description:
    "With `Prefer: wait=10` the answer comes when the job is finished, or after so many seconds, 30 at most.",
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
      "Nothing is new: all had twins with the same dedup key or id.",
    ),
    ...problems(
      "body.malformed",
      "body.too_large",
      "idempotency.in_use",
      "idempotency.reused",
      "input.invalid",
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

export function addJobRoutes({ engine, reader, view, config, link, stopping }: RouteParts): ApiApp {
  const app = apiApp();
  const payloads = new PayloadChecker({ engine, reader, clock: config.clock });
  app.openapi(addJobs, async (c) => {
    const caller = callerOf(c);
    const body = c.req.valid("json");
    const { pipeline } = body;
    const items = itemsOf(body).map((item) => ownedBy(caller, item));
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
    await finished(engine, first.id, seconds * 1_000, stopping);
    const job = await reader.job(first.id, { full: false });
    if (job === null) return c.json(first, status);
    return c.json({ ...first, status: job.status, job: view.job(job, caller) }, status);
  });
  return app;
}

type Body = z.output<typeof addJobSchema> | z.output<typeof addJobsSchema>;

function itemsOf(body: Body): readonly AddItem[] {
  if ("jobs" in body) return body.jobs;
  const { pipeline: _pipeline, ...item } = body;
  return [item];
}

/** What an owner's access adds is the owner's. */
function ownedBy({ user, owner }: Caller, item: AddItem): AddItem {
  if (owner === null || item.owner === owner) return item;
  if (item.owner === undefined) return { ...item, owner };
  throw new ProblemError(
    "owner.bound",
    `The access of ${user} is bound to the owner "${owner}", and adds jobs for no other.`,
  );
}

function secondsToWait(prefer: string | undefined): number | null {
  const [, seconds] = /(?:^|[,;\s])wait=(\d{1,6})(?:$|[,;\s])/.exec(prefer ?? "") ?? [];
  return seconds === undefined ? null : Math.min(longestWaitSeconds, Number(seconds));
}

/** Whatever becomes of it: the job's row tells. */
async function finished(engine: Engine, id: string, timeoutMs: number, stopping: AbortSignal): Promise<void> {
  const stopped = new Promise<void>((resolve) => {
    if (stopping.aborted) resolve();
    stopping.addEventListener("abort", () => resolve(), { once: true });
  });
  await Promise.race([engine.result(id, { timeoutMs }).catch(() => undefined), stopped]);
}
