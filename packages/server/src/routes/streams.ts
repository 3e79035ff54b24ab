import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { StreamRequest } from "lockstep";
import {
  type StreamPageAnswer,
  streamHeaders,
  streamPageSchema,
  streamParams,
  streamQuery,
  streamsSchema,
} from "../contract/streams.ts";
import { scopedJob } from "../jobs/scoped-job.ts";
import { callerOf, needs } from "../middleware/needs.ts";
import type { ServerEnv } from "../server-env.ts";
import { json, problems } from "./answers.ts";
import { type ApiApp, apiApp } from "./api-app.ts";
import { jobParams } from "./jobs.ts";
import type { RouteParts } from "./route-parts.ts";
import { streamAnswer, takePlace } from "./stream-answer.ts";

const listStreams = createRoute({
  method: "get",
  path: "/jobs/{id}/streams",
  summary: "Which streams a job has written",
  tags: ["jobs"],
  ...needs("jobs.read", { ownerBound: true }),
  request: { params: jobParams },
  responses: { 200: json(streamsSchema, "Its streams, by name."), ...problems("job.not_found") },
});

const getStream = createRoute({
  method: "get",
  path: "/jobs/{id}/streams/{name}",
  summary: "What a job writes to a stream, as it is written",
  description:
    "A stream of server-sent events: chunks, and rewind when a new attempt begins it anew. Messages have an id, from which a client that reconnects continues without gaps or duplicates. After end, nothing follows. With Accept: application/json the answer is what there is now.",
  tags: ["jobs"],
  ...needs("jobs.payload", { ownerBound: true }),
  request: { params: streamParams, query: streamQuery, headers: streamHeaders },
  responses: {
    200: {
      description: "The stream, or a page of it.",
      content: {
        "text/event-stream": { schema: z.string() },
        "application/json": { schema: streamPageSchema },
      },
    },
    ...problems("job.not_found", "input.invalid", "streams.too_many", "streams.full"),
  },
});

export function streamRoutes(parts: RouteParts): ApiApp {
  const { reader } = parts;
  const app = apiApp();
  app.openapi(listStreams, async (c) => {
    const { id } = await scopedJob(reader, callerOf(c), c.req.valid("param").id);
    return c.json({ data: await reader.streams(id) }, 200);
  });
  app.openapi(getStream, async (c) => {
    const { id, name } = c.req.valid("param");
    const job = await scopedJob(reader, callerOf(c), id);
    const after = c.req.valid("header")["last-event-id"] || (c.req.valid("query").after ?? null);
    const stream: StreamRequest = { jobId: job.id, name, after };
    const answer = await streamAnswer(c, {
      page: () => pageOf(parts, stream),
      body: async () => bodyOf(parts, c, stream),
    });
    return answer as never;
  });
  return app;
}

async function pageOf({ reader, view }: RouteParts, request: StreamRequest): Promise<StreamPageAnswer> {
  const { parts, hasMore, isOver } = await reader.stream(request);
  const data = parts.map((part) =>
    part.kind === "rewind"
      ? { type: part.kind, cursor: part.cursor, to: part.to }
      : {
          type: part.kind,
          cursor: part.cursor,
          seq: part.seq,
          chunks: view.chunks(request.name, part.chunks),
        },
  );
  return { data, cursor: parts.at(-1)?.cursor ?? request.after ?? "start", hasMore, isOver };
}

function bodyOf(parts: RouteParts, c: Context<ServerEnv>, stream: StreamRequest): ReadableStream<Uint8Array> {
  const caller = callerOf(c);
  const { live, door } = parts;
  const request = c.req.raw;
  return live.streams.open({
    stream,
    expiresAt: caller.scope?.expiresAt ?? null,
    isStillAllowed: async () => (await door(request))?.rights.has("jobs.payload") ?? false,
    gone: request.signal,
    onEnd: takePlace(parts, c),
  });
}
