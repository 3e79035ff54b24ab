import { testDatabase } from "@lockstep/test-support";
import { createEngine } from "lockstep";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { LocalAnalyst } from "../services/local-analyst/local-analyst.ts";
import { startLocalSite } from "../test-support/local-site.ts";
import { websiteAnalysisPipeline } from "../website-analysis-pipeline.ts";
import { HostBusyError, type HostTurn, HostTurns } from "./host-turns.ts";
import { SiteDatabase } from "./site-database.ts";

const db = testDatabase();
const databases = [new SiteDatabase(async () => db.url), new SiteDatabase(async () => db.url)];
afterAll(() => Promise.all(databases.map((database) => database.close())));

/** Two processes, as it were, each with a pool of its own. */
function twoTurns(intervalMs: number): [HostTurns, HostTurns] {
  const [one, other] = databases.map((database) => new HostTurns(database, { intervalMs }));
  if (one === undefined || other === undefined) throw new Error("There are two databases.");
  return [one, other];
}

function gapsMs(turns: readonly HostTurn[]): number[] {
  const times = turns.map(({ at }) => at.getTime()).sort((a, b) => a - b);
  return times.slice(1).map((time, place) => time - (times[place] ?? 0));
}

test("however many ask at once, and in however many processes, the turns of a host are a second apart", async () => {
  const [one, other] = twoTurns(1_000);
  const asked = Array.from({ length: 20 }, (_none, index) =>
    (index % 2 ? one : other).reserve("busy.example"),
  );
  const settled = await Promise.allSettled(asked);
  const turns = settled.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
  const refused = settled.flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []));
  // Those that would wait longer than two turns are sent away, so that they hold no processor.
  expect(turns.length).toBeGreaterThanOrEqual(2);
  expect(turns.length + refused.length).toBe(20);
  for (const error of refused) expect(error).toBeInstanceOf(HostBusyError);
  for (const gap of gapsMs(turns)) expect(gap).toBeGreaterThanOrEqual(999);
});

test("another host is not held up, and a host that nobody asks for is forgotten", async () => {
  const [one] = twoTurns(60_000);
  await one.reserve("slow.example");
  expect((await one.reserve("free.example")).waitMs).toBeLessThanOrEqual(0);
  await db.query("update website_analysis.host_turns set free_at = now() - interval '1 day'");
  await one.reserve("next.example");
  expect(await db.query("select host from website_analysis.host_turns")).toEqual([{ host: "next.example" }]);
});

test("each request of the pipeline takes a turn: pages, redirects and robots.txt alike", async () => {
  const site = await startLocalSite();
  onTestFinished(() => site.stop());
  const intervalMs = 30;
  const [turns] = twoTurns(intervalMs);
  const given: HostTurn[] = [];
  const pipeline = websiteAnalysisPipeline({
    config: { allow: [site.host], fetchTimeoutMs: 30_000, tokenBudget: 1_000, hostIntervalMs: intervalMs },
    analyst: new LocalAnalyst(),
    turns: {
      take: async (host, signal) => {
        const turn = await turns.reserve(host);
        given.push(turn);
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, turn.waitMs)));
        signal.throwIfAborted();
      },
    },
  });
  const engine = createEngine({ databaseUrl: db.url, pipelines: [pipeline], logger: null });
  onTestFinished(() => engine.stop());
  await engine.start();
  const paths = ["/plain", "/moved", "/page/1", "/page/2"];
  const added = await engine.addMany(
    pipeline,
    paths.map((path) => ({ payload: { url: `${site.url}${path}` }, groupKey: site.host })),
  );
  for (const { id } of added) await engine.result(id, { timeoutMs: 60_000 });
  // Four pages, of which one was redirected to another, and one robots.txt.
  expect(site.requests()).toBe(6);
  expect(given).toHaveLength(6);
  for (const gap of gapsMs(given)) expect(gap).toBeGreaterThanOrEqual(intervalMs - 1);
});
