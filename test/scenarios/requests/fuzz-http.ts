import { setTimeout as pause } from "node:timers/promises";
import { createServer } from "@lockstep/server";
import { localPeer } from "@lockstep/test-support";
import { createEngine, definePipeline, type Engine } from "lockstep";
import { z } from "zod";
import { type ApiDocument, type GeneratedRequest, RequestGenerator } from "./request-generator.ts";
import { SeededRandom } from "./seeded-random.ts";
import { type Queryable, StoredState } from "./stored-state.ts";

export interface HttpFuzzReport {
  /** How often each status was the answer. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Answers that should not have been given, and the first of them ends it. */
  readonly mistakes: readonly string[];
}

const letters = definePipeline("letters", { payload: z.object({ to: z.string() }).or(z.number()) })
  .stage("write", () => 1)
  .stage("send", () => 2);

/** Sends requests made from the API's own document, sound and senseless: no 5xx, and nothing changes after a 4xx. */
export async function fuzzHttp(
  db: Queryable & { readonly url: string },
  { seed, requests }: { seed: number; requests: number },
): Promise<HttpFuzzReport> {
  const engine = createEngine({ databaseUrl: db.url, pipelines: [letters], logger: null });
  const server = createServer({
    engine,
    access: "loopback",
    addsPerSecond: null,
    writesPerSecond: null,
    readsPerSecond: null,
    logger: null,
  });
  const send = ({ method, path, headers, body }: GeneratedRequest) =>
    server.fetch(
      new Request(`http://localhost:4400${path}`, { method, headers, body: hasBody(method) ? body : null }),
      localPeer,
    );
  try {
    const generator = await generatorFor(engine, send, new SeededRandom(seed));
    const state = new StoredState(db);
    await state.look();
    const statuses = new Map<number, number>();
    for (let count = 0; count < requests; count += 1) {
      const request = generator.next();
      const response = await send(request);
      const { status } = response;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const mistake = await mistakeIn(request, response, state);
      if (mistake !== null) {
        const told = `seed ${seed}, request ${count}: ${JSON.stringify(request).slice(0, 2_000)} → ${status}`;
        return { statuses, mistakes: [`${mistake} (${told})`] };
      }
      if (status < 400 && request.method !== "GET") {
        await bulkActionsDone(engine);
        await state.look();
      }
    }
    const found = await engine.verify();
    return { statuses, mistakes: found.map((violation) => JSON.stringify(violation)) };
  } finally {
    await server.stop();
    await engine.stop();
  }
}

async function mistakeIn(
  request: GeneratedRequest,
  response: Response,
  state: StoredState,
): Promise<string | null> {
  const { status } = response;
  if (status >= 500) return "A server error";
  if (status < 400) {
    await response.body?.cancel();
    return null;
  }
  if (request.method !== "HEAD") {
    const type = response.headers.get("content-type") ?? "none";
    if (!type.includes("application/problem+json")) return `A refusal of type ${type}`;
    const problem = (await response.json()) as Record<string, unknown>;
    const isWhole = problem.status === status && typeof problem.code === "string";
    if (!isWhole || typeof problem.title !== "string") return `No problem: ${JSON.stringify(problem)}`;
  }
  const changed = await state.changes();
  return changed.length === 0 ? null : `Refused, and ${changed.join(", ")} changed`;
}

async function generatorFor(
  engine: Engine,
  send: (request: GeneratedRequest) => Promise<Response>,
  random: SeededRandom,
): Promise<RequestGenerator> {
  const added = await engine.addMany(
    letters,
    Array.from({ length: 30 }, (_, index) => ({
      payload: index,
      owner: index % 3 === 0 ? "ada" : undefined,
    })),
  );
  await engine.cancel(added[0]?.id ?? "");
  // The first read of the log after a start of PostgreSQL notes it, whoever reads.
  await engine.eventCursor();
  await engine.schedule("nightly", letters, { cron: "0 3 * * *", payload: 1 });
  const asked = { method: "GET", path: "/api/v1/openapi.json", headers: {}, body: null };
  const document = (await (await send(asked)).json()) as ApiDocument;
  return new RequestGenerator(document, random, {
    id: added.slice(0, 6).map(({ id }) => id),
    name: ["letters", "nightly"],
    pipeline: ["letters"],
    stage: ["write", "send"],
    filter: ["status:pending", "pipeline:letters stage:write", "owner:ada since:1h", "payload.to:Ada"],
    sort: ["-addedAt", "-finishedAt"],
    cursor: [""],
  });
}

/** They go on after their answer, and their steps would look like the next request's. */
async function bulkActionsDone(engine: Engine): Promise<void> {
  const isRunning = async () => (await engine.bulk.list()).some(({ status }) => status === "running");
  while (await isRunning()) await pause(20);
}

function hasBody(method: string): boolean {
  return method !== "GET" && method !== "HEAD";
}
