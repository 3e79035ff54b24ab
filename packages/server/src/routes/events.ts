import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { type EventPage, RefusedError, StatementTimeoutError } from "lockstep";
import type { Caller } from "../access/caller.ts";
import {
  type EventPageAnswer,
  type EventTopic,
  eventPageSchema,
  eventsHeaders,
  eventsQuery,
} from "../contract/events.ts";
import { filterFrom } from "../jobs/filter-from.ts";
import { jobNotFound, scopedJob } from "../jobs/scoped-job.ts";
import type { EventScope } from "../live/event-scope.ts";
import { ListWatch } from "../live/list-watch.ts";
import { LogOutOfReachError } from "../live/live-updates.ts";
import type { StateTopic } from "../live/sampler.ts";
import { callerOf, needs } from "../middleware/needs.ts";
import { ProblemError } from "../middleware/problem-error.ts";
import type { ServerEnv } from "../server-env.ts";
import { problems } from "./answers.ts";
import { type ApiApp, apiApp } from "./api-app.ts";
import type { RouteParts } from "./route-parts.ts";
import { streamAnswer, takePlace } from "./stream-answer.ts";

type Query = z.infer<typeof eventsQuery>;

const pollLimit = 100;

const getEvents = createRoute({
  method: "get",
  path: "/events",
  summary: "What happens, as it happens",
  description:
    "A stream of server-sent events. Messages of the log have an id, from which a client that reconnects continues without gaps or duplicates. With Accept: application/json the answer is what there is now.",
  tags: ["events"],
  ...needs("jobs.read", { ownerBound: true }),
  request: { query: eventsQuery, headers: eventsHeaders },
  responses: {
    200: {
      description: "The stream, or a page of it.",
      content: {
        "text/event-stream": { schema: z.string() },
        "application/json": { schema: eventPageSchema },
      },
    },
    ...problems(
      ...(["owner.bound", "job.not_found", "pipeline.unknown", "input.invalid", "filter.invalid"] as const),
      ...(["streams.too_many", "streams.full"] as const),
    ),
  },
});

export function eventRoutes(parts: RouteParts): ApiApp {
  const app = apiApp();
  app.openapi(getEvents, async (c) => {
    const caller = callerOf(c);
    const query = c.req.valid("query");
    const topics = new Set<EventTopic>(query.topics ?? ["jobs"]);
    const scope = await scopeOf(parts, caller, query, topics);
    const after = c.req.valid("header")["last-event-id"] || (query.after ?? null);
    const answer = await streamAnswer(c, {
      page: () => pageOf(parts, caller, scope, after),
      body: () => streamOf(parts, c, query, topics, scope, after),
    });
    return answer as never;
  });
  return app;
}

/** Which part of the log is asked for and may be seen. */
async function scopeOf(
  { reader }: RouteParts,
  caller: Caller,
  query: Query,
  topics: ReadonlySet<EventTopic>,
): Promise<EventScope> {
  const { owner = null, pipeline = null, jobId = null } = query;
  const bound = caller.owner !== null || caller.scope !== null;
  const states = [...topics].filter((topic) => topic !== "jobs");
  if (bound && states.length > 0) {
    throw new ProblemError(
      "owner.bound",
      `${states.join(", ")} are about everyone's jobs, which this access may not see: ask for the topic jobs.`,
    );
  }
  if (bound && owner !== null && owner !== caller.owner) {
    throw new ProblemError("owner.bound", `This access is not for the owner "${owner}".`);
  }
  const onlyJob = caller.scope?.jobId ?? null;
  if (jobId !== null && onlyJob !== null && jobId !== onlyJob) throw jobNotFound(jobId);
  if (jobId !== null) await scopedJob(reader, caller, jobId);
  // Refused by the database where there is none; a stream would wait for its events for ever.
  if (pipeline !== null) await reader.events({ after: null, pipeline });
  return { owner: caller.owner ?? owner, pipeline, jobId: onlyJob ?? jobId };
}

async function streamOf(
  parts: RouteParts,
  c: Context<ServerEnv>,
  query: Query,
  topics: ReadonlySet<EventTopic>,
  scope: EventScope,
  after: string | null,
): Promise<ReadableStream<Uint8Array>> {
  const { live, config, door, view } = parts;
  const caller = callerOf(c);
  const request = c.req.raw;
  const { filter = "", newest = null } = query;
  const list = topics.has("list")
    ? new ListWatch(filter, filterFrom(filter, caller, view, config.clock.now()), newest)
    : null;
  const place = takePlace(parts, c);
  try {
    return await live.updates.open({
      log: topics.has("jobs") ? { scope, after } : null,
      screen: {
        topics: new Set([...topics].filter((topic): topic is StateTopic => topic !== "jobs")),
        watch: query.watch ?? [],
        list,
      },
      encode: (event) => live.encoder.encode(event, seesData(caller)),
      expiresAt: caller.scope?.expiresAt ?? null,
      isStillAllowed: async () => (await door(request))?.rights.has("jobs.read") ?? false,
      gone: request.signal,
      onEnd: place,
    });
  } catch (error) {
    if (!(error instanceof LogOutOfReachError)) throw error;
    const detail = "The realtime log cannot be read at the moment: try again later.";
    throw new ProblemError("database.unavailable", detail, { headers: { "Retry-After": "5" } });
  }
}

/** What there is after a cursor, or only the current cursor. */
async function pageOf(
  { reader, live }: RouteParts,
  caller: Caller,
  scope: EventScope,
  after: string | null,
): Promise<EventPageAnswer> {
  let page: EventPage;
  try {
    page = await reader.events({ ...scope, after, limit: pollLimit });
  } catch (error) {
    if (!(error instanceof RefusedError || error instanceof StatementTimeoutError)) throw error;
    const { cursor } = await reader.events({ after: null });
    return { data: [{ type: "reset", cursor }], cursor, hasMore: false };
  }
  const data = page.events.map((event) =>
    event.kind === "events.reset"
      ? { type: "reset" as const, cursor: event.cursor }
      : {
          type: "job" as const,
          cursor: event.cursor,
          event: JSON.parse(live.encoder.encode(event, seesData(caller))),
        },
  );
  return { data, cursor: page.cursor, hasMore: !page.isAll };
}

/** End users see what came of their own jobs. */
function seesData(caller: Caller): boolean {
  return caller.scope !== null || caller.rights.has("jobs.payload");
}
