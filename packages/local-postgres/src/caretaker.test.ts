import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { childProgram } from "@lockstep/test-support";
import pg from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { liveProcess } from "./live-process.ts";
import { startPostgres } from "./start-postgres.ts";

// Real processes and real signals: the subject is what remains when one of them dies.

interface Started {
  pid: number;
  data: string;
}

/** A process that starts a server and then does what the last lines say. */
function launcher(options: object, then: string) {
  return childProgram(`
    import { startPostgres } from "@lockstep/local-postgres";
    import pg from "pg";
    const server = await startPostgres(${JSON.stringify(options)});
    const client = new pg.Client(server.url);
    await client.connect();
    await client.query("create table if not exists kept as select 42 as answer");
    const { rows } = await client.query("show data_directory");
    await client.end();
    console.log(JSON.stringify({ pid: server.pid, data: rows[0].data_directory }));
    ${then}`);
}

async function expectEndOf({ pid, data }: Started): Promise<void> {
  await vi.waitFor(() => expect(liveProcess(pid)).toBeUndefined(), { timeout: 10_000, interval: 20 });
  expect(existsSync(join(data, "postmaster.pid"))).toBe(false);
}

const stayAlive = "setInterval(() => {}, 1000);";

test("a program that forgets stop() ends by itself, and its server and folder go with it", async () => {
  const program = launcher({}, "");
  const started = await program.nextValue<Started>();
  expect(await program.ended).toMatchObject({ code: 0, errors: "" });
  await expectEndOf(started);
  await vi.waitFor(() => expect(existsSync(dirname(started.data))).toBe(false), {
    timeout: 10_000,
    interval: 20,
  });
});

for (const signal of ["SIGINT", "SIGTERM", "SIGKILL"] as const) {
  test(`a program ended by ${signal} takes its server and throw-away folder with it`, async () => {
    const program = launcher({}, stayAlive);
    const started = await program.nextValue<Started>();
    program.kill(signal);
    expect(await program.ended).toMatchObject({ signal });
    await expectEndOf(started);
    await vi.waitFor(() => expect(existsSync(dirname(started.data))).toBe(false), {
      timeout: 10_000,
      interval: 20,
    });
  });
}

test("a kept folder whose program was killed is started again with its data", async () => {
  const parent = await mkdtemp(join(tmpdir(), "lockstep-killed-"));
  await chmod(parent, 0o755);
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  const dataFolder = join(parent, "postgres");
  const program = launcher({ dataFolder }, stayAlive);
  const { pid } = await program.nextValue<Started>();
  program.kill("SIGKILL");
  await program.ended;

  const server = await startPostgres({ dataFolder });
  onTestFinished(() => server.stop());
  expect(server.pid).not.toBe(pid);
  const client = new pg.Client(server.url);
  await client.connect();
  expect((await client.query("select answer from kept")).rows).toEqual([{ answer: 42 }]);
  await client.end();
});

test("a program's own handling of signals is left alone", async () => {
  const program = launcher(
    {},
    `console.log(JSON.stringify(["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "uncaughtException", "unhandledRejection", "beforeExit"]
       .map((name) => process.listenerCount(name))));
     await server.stop();`,
  );
  await program.nextLine();
  expect(await program.nextValue()).toEqual([0, 0, 0, 0, 0, 0, 0]);
});
