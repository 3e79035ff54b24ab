import { testDatabase } from "@lockstep/test-support";
import { createEngine } from "lockstep";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { LocalAnalyst } from "../services/local-analyst/local-analyst.ts";
import { startLocalSite } from "../test-support/local-site.ts";
import { websiteAnalysisPipeline } from "../website-analysis-pipeline.ts";
import { HostBusyError, HostTurns } from "./host-turns.ts";
import { SiteDatabase } from "./site-database.ts";

const db = testDatabase();
const databases = [new SiteDatabase(async () => db.url), new SiteDatabase(async () => db.url)];
afterAll(() => Promise.all(databases.map((database) => database.close())));

const never = () => new AbortController().signal;

/** Two processes, as it were, each with a pool of its own. */
function twoTurns(intervalMs: number, longestTurnMs = 60_000): [HostTurns, HostTurns] {
  const [one, other] = databases.map((database) => new HostTurns(database, { intervalMs, longestTurnMs }));
  if (one === undefined || other === undefined) throw new Error("There are two databases.");
  return [one, other];
}

async function databaseTime(): Promise<number> {
  const [row] = await db.query<{ now: Date }>("select clock_timestamp() as now");
  return row?.now.getTime() ?? Number.NaN;
}

test("of many who ask at once, in two processes, one gets the turn, and those who would wait long are sent away", async () => {
  const [one, other] = twoTurns(10);
  const asked = Array.from({ length: 20 }, (_none, index) =>
    (index % 2 ? one : other).take("busy.example", never()),
  );
  const settled = await Promise.allSettled(asked);
  expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  const refused = settled.flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []));
  for (const error of refused) expect(error).toBeInstanceOf(HostBusyError);
});

test("the interval begins when a request is over, however late it was sent", async () => {
  const intervalMs = 300;
  const [one, other] = twoTurns(intervalMs);
  const late = await one.take("late.example", never());
  // The first request takes longer than an interval: nobody else may ask the host meanwhile.
  await expect(other.take("late.example", never())).rejects.toBeInstanceOf(HostBusyError);
  const sentAt = await databaseTime();
  await late.end();
  const next = await other.take("late.example", never());
  expect(next.at.getTime() - sentAt).toBeGreaterThanOrEqual(intervalMs - 1);
});

test("a turn whose worker died is over by itself, and its late end takes nothing from the next one", async () => {
  const [short, other] = twoTurns(20, 1);
  const dead = await short.take("dead.example", never());
  const [, long] = twoTurns(20);
  await long.take("dead.example", never());
  await dead.end();
  await expect(other.take("dead.example", never())).rejects.toBeInstanceOf(HostBusyError);
});

test("another host is not held up, and a host that nobody asks for is forgotten", async () => {
  const [one] = twoTurns(60_000);
  await one.take("slow.example", never());
  await one.take("free.example", never());
  await db.query("update website_analysis.host_turns set free_at = now() - interval '1 day'");
  await one.take("next.example", never());
  expect(await db.query("select host from website_analysis.host_turns")).toEqual([{ host: "next.example" }]);
});

test("each request of the pipeline takes a turn: pages, redirects and robots.txt alike", async () => {
  const site = await startLocalSite();
  onTestFinished(() => site.stop());
  const intervalMs = 30;
  const [turns] = twoTurns(intervalMs);
  const given: { from: number; to: number }[] = [];
  const pipeline = websiteAnalysisPipeline({
    config: { allow: [site.host], fetchTimeoutMs: 30_000, tokenBudget: 1_000, hostIntervalMs: intervalMs },
    analyst: new LocalAnalyst(),
    turns: {
      take: async (host, signal) => {
        const turn = await turns.take(host, signal);
        const end = async () => {
          given.push({ from: turn.at.getTime(), to: await databaseTime() });
          await turn.end();
        };
        return { end };
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
  given.sort((one, other) => one.from - other.from);
  for (const [place, { to }] of given.slice(0, -1).entries()) {
    expect((given[place + 1]?.from ?? 0) - to).toBeGreaterThanOrEqual(intervalMs - 1);
  }
});
