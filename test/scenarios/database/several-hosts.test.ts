// In real time: servers die, and others take over.
import { recordEvents } from "@lockstep/test-support";
import { type Finding, migrate } from "lockstep";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli } from "../../../packages/cli/src/testing/run-cli.ts";
import { OwnServer } from "../processes/own-server.ts";
import { storyEngine } from "../stories/story-engine.ts";
import { finishErrand, storyPipelines } from "../stories/story-pipelines.ts";
import { until } from "../stories/until.ts";

const { errand } = storyPipelines();
const answer = { do: "answer" } as const;
const soon = { leaseMs: 20_000, heartbeatIntervalMs: 1_000 };
let first: OwnServer;
let second: OwnServer;

beforeAll(async () => {
  first = await OwnServer.start();
  await migrate({ databaseUrl: first.url });
  second = await first.standby();
}, 120_000);
afterAll(async () => {
  await second.remove();
  await first.remove();
});

/** A URL that names both. */
function urlOf(...servers: OwnServer[]): string {
  const hosts = servers.map(({ url }) => new URL(url).host).join(",");
  return servers[0]?.url.replace(/@[^/]+/, `@${hosts}`) ?? "";
}

/** Which of our connections a server has. */
async function connectionsAt(server: OwnServer): Promise<string[]> {
  const rows = await server.query<{ name: string }>(
    "select distinct application_name as name from pg_stat_activity where application_name like 'lockstep %' order by 1",
  );
  return rows.map(({ name }) => name);
}

async function hasWorker(server: OwnServer): Promise<boolean> {
  const names = await connectionsAt(server);
  return ["lockstep engine", "lockstep heartbeat", "lockstep listener"].every((name) => names.includes(name));
}

test("all connections of an engine and of commands pass over a standby", async () => {
  const url = urlOf(second, first);
  const engine = storyEngine({ url }, soon);
  await engine.start();
  const { id } = await engine.add(errand, answer);
  expect(await engine.result(id, { timeoutMs: 60_000 })).toEqual({ pid: process.pid });
  await engine.reader().job(id);
  await until("the primary has them", () => hasWorker(first));
  await until("the standby has none", async () => (await connectionsAt(second)).length === 0);
  expect((await runCli(["migrate"], { databaseUrl: url })).stdout).toContain("there was nothing to do");
  expect((await runCli(["health"], { databaseUrl: url })).code).toBe(0);
  const doctor = await runCli(["doctor", "--json"], { databaseUrl: url });
  const findings = doctor.json<{ data: Finding[] }>().data;
  expect(findings.find(({ check }) => check === "listen and notify")).toMatchObject({ severity: "ok" });
  expect(findings.filter(({ check, severity }) => check === "primary" && severity === "bad")).toEqual([]);
});

test("a worker goes on when the primary has died and the standby has taken over", async () => {
  const engine = storyEngine({ url: urlOf(first, second) }, soon);
  const events = recordEvents(engine);
  await engine.start();
  const { id } = await engine.add(errand, { do: "wait", isHeedless: true });
  await events.next("job.started");
  await until("the primary has its connections", () => hasWorker(first));
  await until("the standby has the job", async () => {
    return (await second.query("select from lockstep.jobs where id = $1", [id])).length === 1;
  });

  await first.crash();
  await events.next("database.down");
  await second.query("select pg_promote()");
  finishErrand(id);
  expect(await engine.result(id, { timeoutMs: 60_000 })).toEqual({ pid: process.pid });
  await until("the other has its connections", () => hasWorker(second));
  const added = await engine.add(errand, answer);
  expect(await engine.result(added.id, { timeoutMs: 60_000 })).toEqual({ pid: process.pid });
});

test("while none can be written, start() waits and says of each host why", async () => {
  const writable = (how: "on" | "off") =>
    second.query(`alter system set default_transaction_read_only = ${how}`).then(async () => {
      await second.query("select pg_reload_conf()");
      await until("the setting holds", async () => {
        const [row] = await second.query<{ found: string }>(
          "select current_setting('default_transaction_read_only') as found",
        );
        return row?.found === how;
      });
    });
  await writable("on");
  const engine = storyEngine({ url: urlOf(first, second) });
  const events = recordEvents(engine);
  const starting = engine.start();
  const { error } = await events.next("database.down");
  const [away, there] = [first, second].map(({ url }) => new URL(url).host);
  expect(error.message).toMatch(
    new RegExp(
      `^No host of PostgreSQL can be used .*${away}: connect ECONNREFUSED.*; ${there}: it is read-only`,
    ),
  );
  await expect(migrate({ databaseUrl: urlOf(first, second) })).rejects.toThrow(/it is read-only/);
  await writable("off");
  await starting;
  const { id } = await engine.add(errand, answer);
  expect(await engine.result(id, { timeoutMs: 60_000 })).toEqual({ pid: process.pid });
});
