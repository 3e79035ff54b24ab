import { setTimeout as pause } from "node:timers/promises";
import { createServer } from "@lockstep/server";
import { testDatabase } from "@lockstep/test-support";
import { createEngine, definePipeline, type Engine } from "lockstep";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { type ApiDocument, type GeneratedRequest, RequestGenerator } from "./requests/request-generator.ts";
import { SeededRandom } from "./requests/seeded-random.ts";
import { StoredState } from "./requests/stored-state.ts";

const db = testDatabase();
// Another number tells another story; a failure names its own.
const seed = 20_261_116;
const requests = 5_000;

const letters = definePipeline("letters", { payload: z.object({ to: z.string() }).or(z.number()) })
  .stage("write", () => 1)
  .stage("send", () => 2);

test(`${requests} requests, sound and senseless, are all answered without a 5xx, and a 4xx changes nothing`, async () => {
  const engine = createEngine({ databaseUrl: db.url, pipelines: [letters], logger: null });
  const server = createServer({
    engine,
    access: "loopback",
    addsPerSecond: null,
    writesPerSecond: null,
    readsPerSecond: null,
    logger: null,
  });
  onTestFinished(async () => {
    await server.stop();
    await engine.stop();
  });
  const send = ({ method, path, headers, body }: GeneratedRequest) =>
    server.fetch(
      new Request(`http://localhost:4400${path}`, { method, headers, body: hasBody(method) ? body : null }),
    );

  const random = new SeededRandom(seed);
  const added = await engine.addMany(
    letters,
    Array.from({ length: 30 }, (_, index) => ({
      payload: index,
      owner: index % 3 === 0 ? "ada" : undefined,
    })),
  );
  await engine.cancel(added[0]?.id ?? "");
  await engine.schedule("nightly", letters, { cron: "0 3 * * *", payload: 1 });
  const document = (await (await send(get("/api/v1/openapi.json"))).json()) as ApiDocument;
  const known = {
    id: added.slice(0, 6).map(({ id }) => id),
    name: ["letters", "nightly"],
    pipeline: ["letters"],
    stage: ["write", "send"],
    filter: ["status:pending", "pipeline:letters stage:write", "owner:ada since:1h", "payload.to:Ada"],
    sort: ["-addedAt", "-finishedAt"],
    cursor: [""],
  };
  const generator = new RequestGenerator(document, random, known);
  const state = new StoredState(db);
  await state.look();

  const statuses = new Map<number, number>();
  for (let count = 0; count < requests; count += 1) {
    const request = generator.next();
    const response = await send(request);
    const { status } = response;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const told = `seed ${seed}, request ${count}: ${JSON.stringify(request).slice(0, 2_000)} → ${status}`;
    expect(status, told).toBeLessThan(500);
    if (status >= 400 && request.method !== "HEAD") {
      expect(response.headers.get("content-type"), told).toContain("application/problem+json");
      expect(await response.json(), told).toMatchObject({
        status,
        code: expect.any(String),
        title: expect.any(String),
      });
    } else {
      await response.body?.cancel();
    }
    if (status >= 400) expect(await state.changes(), told).toEqual([]);
    else if (request.method !== "GET") {
      await bulkActionsDone(engine);
      await state.look();
    }
  }

  // The mixture is one: much of it gets through, and much is refused.
  const share = (from: number, to: number) =>
    [...statuses]
      .filter(([status]) => status >= from && status < to)
      .reduce((sum, [, count]) => sum + count, 0) / requests;
  expect(share(200, 300)).toBeGreaterThan(0.15);
  expect(share(400, 500)).toBeGreaterThan(0.3);
  expect(await engine.verify()).toEqual([]);
}, 300_000);

/** They go on after their answer, and their steps would look like the next request's. */
async function bulkActionsDone(engine: Engine): Promise<void> {
  const isRunning = async () => (await engine.bulk.list()).some(({ status }) => status === "running");
  while (await isRunning()) await pause(20);
}

function get(path: string): GeneratedRequest {
  return { method: "GET", path, headers: {}, body: null };
}

function hasBody(method: string): boolean {
  return method !== "GET" && method !== "HEAD";
}
