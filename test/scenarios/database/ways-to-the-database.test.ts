// In real time: servers start, wait and take over.
import { chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startPostgres } from "@lockstep/local-postgres";
import { createServer } from "@lockstep/server";
import { apiCaller, CertificateAuthority, recordEvents } from "@lockstep/test-support";
import { createTestEngine } from "@lockstep/testing";
import {
  type ConnectionConfig,
  createEngine,
  type Engine,
  type Finding,
  type Logger,
  migrate,
} from "lockstep";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { runCli } from "../../../packages/cli/src/testing/run-cli.ts";
import { chooseServerUser } from "../../../packages/local-postgres/src/server-user.ts";
import { OwnServer } from "../processes/own-server.ts";
import { storyEngine } from "../stories/story-engine.ts";
import { storyPipelines } from "../stories/story-pipelines.ts";
import { until } from "../stories/until.ts";

const { errand } = storyPipelines();

/** A logger that keeps the sentences about the database. */
function keptSentences() {
  const sentences: string[] = [];
  const keep = (fields: object, sentence?: unknown) => {
    if ((fields as { event?: string }).event === "database.down") sentences.push(String(sentence ?? ""));
  };
  const logger: Logger = { debug: () => {}, info: keep, warn: keep, error: keep };
  return { sentences, logger };
}

/** A folder that the server may use; removed when the test ends. */
async function serverFolder(): Promise<string> {
  // Short: the path of a socket has at most some hundred characters.
  const folder = await mkdtemp("/tmp/lockstep-way-");
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await giveToServer(folder);
  return folder;
}

/** Where the server runs as another user than this process, that one gets the file. */
async function giveToServer(path: string): Promise<void> {
  const { uid, gid } = chooseServerUser(undefined);
  if (uid !== undefined && gid !== undefined) await chown(path, uid, gid);
}

/** Whether each of our connections is, by its name. */
async function encryptedConnections(url: string): Promise<Map<string, boolean>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string; ssl: boolean }>(
    `select a.application_name as name, bool_and(s.ssl) as ssl
     from pg_stat_ssl s join pg_stat_activity a using (pid) where a.application_name like 'lockstep %' group by 1`,
  );
  await client.end();
  return new Map(rows.map(({ name, ssl }) => [name, ssl]));
}

describe("a server that cannot be written", () => {
  let primary: OwnServer;
  let standby: OwnServer;
  beforeAll(async () => {
    primary = await OwnServer.start();
    await migrate({ databaseUrl: primary.url });
    standby = await primary.standby();
  }, 120_000);
  afterAll(async () => {
    await standby.remove();
    await primary.remove();
  });

  test("is looked at by doctor, which finds that it is a standby", async () => {
    const { code, json, stderr } = await runCli(["doctor", "--json"], { databaseUrl: standby.url });
    expect(stderr).not.toContain("cannot execute");
    const findings = json<{ data: Finding[] }>().data;
    expect(findings.filter(({ severity }) => severity === "bad")).toMatchObject([
      { check: "primary", advice: "Use the database URL of the primary." },
    ]);
    expect(findings.map(({ check }) => check)).toContain("invalid indexes");
    expect(code).toBe(7);
  });

  test("is not healthy, neither for the command nor for a server", async () => {
    const health = async (url: string) => {
      const engine = storyEngine({ url });
      const server = createServer({ engine, access: "loopback" });
      onTestFinished(() => server.stop());
      return await apiCaller(server, "http://localhost")("GET /health");
    };
    expect((await runCli(["health"], { databaseUrl: primary.url })).code).toBe(0);
    expect(await health(primary.url)).toMatchObject({ status: 200, body: { ok: true } });
    await primary.query("alter database postgres set default_transaction_read_only = on");
    onTestFinished(async () => {
      await primary.query(
        "set transaction_read_only = off; alter database postgres reset default_transaction_read_only",
      );
    });
    for (const url of [standby.url, primary.url]) {
      const { code, stdout } = await runCli(["health"], { databaseUrl: url });
      expect([code, stdout]).toEqual([7, expect.stringMatching(/is read-only\tUse the URL of the primary/)]);
      expect(await health(url)).toMatchObject({ status: 503, body: { ok: false } });
    }
  });

  test("is waited for by start(), with advice in the log, and worked on when it has become the primary", async () => {
    const { sentences, logger } = keptSentences();
    const engine = storyEngine(standby, { logger });
    const events = recordEvents(engine);
    const starting = engine.start();
    await events.next("database.down");
    expect(sentences[0]).toMatch(
      /read-only transaction\): wait if .* or let databaseUrl or connection lead to the primary;/,
    );
    expect(events.names()).not.toContain("engine.started");
    await standby.query("select pg_promote()");
    await starting;
    const { id } = await engine.add(errand, { do: "answer" });
    expect(await engine.result(id, { timeoutMs: 60_000 })).toEqual({ pid: process.pid });
  });
});

test("a socket is a way for engine, commands, listening and tests", async () => {
  const folder = await serverFolder();
  const server = await startPostgres({ settings: { fsync: "off", unix_socket_directories: folder } });
  onTestFinished(() => server.stop());
  const { username, password, port } = new URL(server.url);
  const url = `postgres://${username}:${password}@/postgres?host=${folder}&port=${port}`;
  const { code, stderr } = await runCli(["migrate"], { databaseUrl: url });
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  const engine = storyEngine({ url }, { listenUrl: url });
  const events = recordEvents(engine);
  await engine.start();
  await events.next("engine.started");
  const { id } = await engine.add(errand, { do: "answer" });
  expect(await engine.result(id, { timeoutMs: 60_000 })).toEqual({ pid: process.pid });
  expect((await engine.diagnose()).find(({ check }) => check === "encryption")).toMatchObject({
    severity: "ok",
  });
  expect((await runCli(["health"], { databaseUrl: url })).code).toBe(0);
  const tests = await createTestEngine({ pipelines: [errand], databaseUrl: url });
  onTestFinished(() => tests.stop());
  await tests.add(errand, { do: "answer" });
});

describe("a server whose certificate nobody vouches for", () => {
  test("is refused by start() at once, with what to do; with its authority, or without a check, it is used", async () => {
    const folder = await serverFolder();
    const [key, certificate, authority] = ["key", "crt", "ca"].map((end) =>
      join(folder, `server.${end}`),
    ) as [string, string, string];
    const house = new CertificateAuthority("the authority of this house");
    const ca = house.cert;
    const own = house.issue({ commonName: "localhost", hosts: ["localhost"] });
    await writeFile(key, own.key, { mode: 0o600 });
    await writeFile(certificate, own.cert);
    await writeFile(authority, ca);
    for (const file of [key, certificate]) await giveToServer(file);
    const server = await startPostgres({
      settings: { fsync: "off", ssl: "on", ssl_cert_file: certificate, ssl_key_file: key },
    });
    onTestFinished(() => server.stop());
    await migrate({ databaseUrl: server.url });
    const url = server.url.replace("127.0.0.1", "localhost");
    await expect(storyEngine({ url: `${url}?sslmode=verify-full` }).start()).rejects.toThrow(
      /certificate of PostgreSQL is not trusted \(unable to verify the first certificate.*, UNABLE_TO_VERIFY_LEAF_SIGNATURE\): add sslrootcert/,
    );
    const other = `${server.url}?sslmode=verify-full&sslrootcert=${authority}`;
    await expect(storyEngine({ url: other }).start()).rejects.toThrow(/ERR_TLS_CERT_ALTNAME_INVALID/);
    const { username: user, password, port } = new URL(server.url);
    const known = { user, password, port: Number(port), database: "postgres" };
    const inParts = (connection: ConnectionConfig, isStarted: (engine: Engine) => Promise<void>) => {
      const engine = createEngine({
        connection,
        pipelines: [errand],
        logger: null,
        heartbeatIntervalMs: 100,
      });
      onTestFinished(() => engine.stop());
      return isStarted(engine);
    };
    await inParts({ ...known, host: "localhost", ssl: true }, async (engine) => {
      await expect(engine.start()).rejects.toThrow(/add sslrootcert .* or ssl: \{ ca \} to connection/);
    });
    await inParts({ ...known, host: "127.0.0.1", ssl: { ca } }, async (engine) => {
      await expect(engine.start()).rejects.toThrow(/ERR_TLS_CERT_ALTNAME_INVALID/);
    });
    await inParts({ ...known, host: "localhost", ssl: { ca, servername: "db.example" } }, async (engine) => {
      await expect(engine.start()).rejects.toThrow(/ERR_TLS_CERT_ALTNAME_INVALID/);
    });
    for (const connection of [
      { ...known, host: "localhost", ssl: { ca } },
      { ...known, host: "127.0.0.1", ssl: { ca, servername: "localhost" } },
      { connectionString: url, ssl: { ca } },
    ]) {
      await inParts(connection, async (engine) => {
        await engine.start();
        await until("all of its connections are encrypted", async () => {
          const rows = await encryptedConnections(server.url);
          return ["engine", "heartbeat", "listener"].every((name) => rows.get(`lockstep ${name}`) === true);
        });
        await engine.stop();
      });
    }
    for (const way of [`sslmode=verify-full&sslrootcert=${authority}`, "sslmode=no-verify"]) {
      const engine = storyEngine({ url: `${url}?${way}` });
      await engine.start();
      await engine.stop();
    }
  });

  test("and one without TLS is refused too where the URL asks for it", async () => {
    const server = await startPostgres({ settings: { fsync: "off" } });
    onTestFinished(() => server.stop());
    await expect(storyEngine({ url: `${server.url}?sslmode=verify-full` }).start()).rejects.toThrow(
      /PostgreSQL has no TLS, and databaseUrl or connection asks for it/,
    );
  });
});
