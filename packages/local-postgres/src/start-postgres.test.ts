import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { childProgram } from "@lockstep/test-support";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { freePort } from "./free-port.ts";
import { type LocalPostgres, type LocalPostgresOptions, startPostgres } from "./start-postgres.ts";

async function givenServer(options: LocalPostgresOptions = {}): Promise<LocalPostgres> {
  const server = await startPostgres(options);
  onTestFinished(() => server.stop());
  return server;
}

async function givenFolder(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), "lockstep-kept-"));
  // What mkdtemp makes only its maker can enter; another test is about that.
  await chmod(parent, 0o755);
  onTestFinished(() => rm(parent, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  return join(parent, "made", "on", "demand");
}

async function ask(url: string, text: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query({ text, rowMode: "array" });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
}

test("a throw-away server starts, answers, and leaves nothing behind", async () => {
  const server = await givenServer();
  const data = await ask(server.url, "show data_directory");
  const folder = dirname(String(data));
  expect(existsSync(folder)).toBe(true);
  await server.stop();
  expect(existsSync(folder)).toBe(false);
  await expect(ask(server.url, "select 1")).rejects.toThrow(/ECONNREFUSED/);
});

test("stop may be called twice", async () => {
  const server = await givenServer();
  await Promise.all([server.stop(), server.stop()]);
  await server.stop();
});

test("a kept folder keeps its data over a restart", async () => {
  const dataFolder = await givenFolder();
  const first = await givenServer({ dataFolder });
  await ask(first.url, "create table kept as select 42 as answer");
  await first.stop();
  const second = await givenServer({ dataFolder });
  expect(await ask(second.url, "select answer from kept")).toBe(42);
});

test("a kept folder keeps its address over a restart, unless another program has taken the port", async () => {
  const dataFolder = await givenFolder();
  const first = await givenServer({ dataFolder });
  await first.stop();
  const second = await givenServer({ dataFolder });
  expect(second.url).toBe(first.url);
  await second.stop();
  const other = createServer().listen(Number(new URL(first.url).port), "127.0.0.1");
  await once(other, "listening");
  onTestFinished(() => void other.close());
  const third = await givenServer({ dataFolder });
  expect(third.url).not.toBe(first.url);
  expect(await ask(third.url, "select 1")).toBe(1);
});

test("only who knows the password is let in", async () => {
  const server = await givenServer();
  const url = new URL(server.url);
  url.password = "a guess";
  await expect(ask(url.href, "select 1")).rejects.toThrow(/password authentication failed/);
});

test("the caller's port, settings and temporary folder are used", async () => {
  const port = await freePort();
  const temporaryFolder = dirname(dirname(dirname(await givenFolder())));
  const settings = { fsync: "off", max_connections: "23" };
  const server = await givenServer({ port, settings, temporaryFolder });
  expect(new URL(server.url).port).toBe(`${port}`);
  expect(await ask(server.url, "show max_connections")).toBe("23");
  const data = await ask(server.url, "show data_directory");
  expect(dirname(dirname(String(data)))).toBe(await realpath(temporaryFolder));
});

test("a temporary folder that is not there is named", async () => {
  const temporaryFolder = await givenFolder();
  await expect(startPostgres({ temporaryFolder })).rejects.toThrow(
    `The temporary folder ${temporaryFolder} is not there`,
  );
});

test("a port that is taken is named", async () => {
  const port = Number(new URL((await givenServer()).url).port);
  await expect(startPostgres({ port })).rejects.toThrow(
    `port ${port} on 127.0.0.1 is in use. Choose another port`,
  );
});

test("a server that does not start is quoted", async () => {
  await expect(startPostgres({ settings: { nonsense_setting: "1" } })).rejects.toThrow(
    /PostgreSQL did not start: .*\n.*unrecognized configuration parameter "nonsense_setting"/,
  );
});

test("two starters of one folder at the same time get one server", async () => {
  const dataFolder = await givenFolder();
  const [one, two] = await Promise.all([givenServer({ dataFolder }), givenServer({ dataFolder })]);
  expect([two.pid, two.url]).toEqual([one.pid, one.url]);
});

test("a second process shares the running server and does not stop it", async () => {
  const dataFolder = await givenFolder();
  const owner = childProgram(`
    import { startPostgres } from "@lockstep/local-postgres";
    const { pid, url } = await startPostgres({ dataFolder: ${JSON.stringify(dataFolder)} });
    console.log(JSON.stringify({ pid, url }));
    setInterval(() => {}, 1000);`);
  const first = await owner.nextValue<{ pid: number; url: string }>();
  const second = await givenServer({ dataFolder });
  expect({ pid: second.pid, url: second.url }).toEqual(first);
  await second.stop();
  expect(await ask(first.url, "select 1")).toBe(1);
});

test("an initdb that was killed is not taken for a database", async () => {
  const dataFolder = await givenFolder();
  await mkdir(join(dataFolder, "new-killed", "data"), { recursive: true });
  await writeFile(join(dataFolder, "new-killed", "data", "PG_VERSION"), "18\n");
  const server = await givenServer({ dataFolder });
  expect(await ask(server.url, "select 1")).toBe(1);
  expect(existsSync(join(dataFolder, "new-killed"))).toBe(false);
});

test("a database of another version is refused with what to do", async () => {
  const dataFolder = await givenFolder();
  await mkdir(join(dataFolder, "data"), { recursive: true });
  await writeFile(join(dataFolder, "data", "PG_VERSION"), "9\n");
  await expect(startPostgres({ dataFolder })).rejects.toThrow(
    /holds a database of PostgreSQL 9, and this is PostgreSQL \d+\. Choose another/,
  );
});

for (const [title, env] of [
  ["no locale is set", {}],
  ["the locale is not installed", { LANG: "xx_YY.nonsense", LC_ALL: "xx_YY.nonsense" }],
  ["the locale is not UTF-8", { LANG: "en_US.ISO-8859-1", LC_ALL: "POSIX" }],
] as const) {
  test(`text is UTF-8 when ${title}`, async () => {
    const program = childProgram(
      `import { startPostgres } from "@lockstep/local-postgres";
       import pg from "pg";
       const server = await startPostgres();
       const client = new pg.Client(server.url);
       await client.connect();
       const { rows } = await client.query("select current_setting('server_encoding') as encoding, length('日本') as length");
       console.log(JSON.stringify(rows[0]));
       await client.end();
       await server.stop();`,
      { env },
    );
    expect(await program.nextValue()).toEqual({ encoding: "UTF8", length: 2 });
    expect(await program.ended).toMatchObject({ code: 0 });
  });
}
