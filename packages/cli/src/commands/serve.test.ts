import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureConsole } from "@lockstep/console";
import { testDatabase } from "@lockstep/test-support";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { type CliRun, runCli } from "../testing/run-cli.ts";

const db = testDatabase();
// Built once for all of them, where it is not built yet.
beforeAll(() => ensureConsole(), 120_000);
const secret = "abcdefghijklmnopqrstuvwx";

/** Serves until `look` has looked at the address. */
async function serving(
  argv: string[],
  env: Record<string, string>,
  look: (url: string) => Promise<void>,
): Promise<CliRun> {
  let looking: Promise<void> | null = null;
  const run = await runCli(["serve", "--jsonl", "--port", "0", ...argv], {
    databaseUrl: db.url,
    env,
    onOutput(stdout, { signal }) {
      looking ??= look(JSON.parse(stdout).url).finally(() => signal("SIGTERM"));
    },
  });
  if (looking === null) throw new Error(`It did not serve, and said:\n${run.stderr}`);
  await looking;
  return run;
}

async function statusOf(url: string, token?: string): Promise<number> {
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  return (await fetch(`${url}/api/v1/stats`, { headers })).status;
}

test("it serves this machine without tokens, and ends with 0 when it is told to", async () => {
  const { code, stderr } = await serving([], {}, async (url) => {
    expect(await statusOf(url)).toBe(200);
  });
  expect(stderr).toMatch(/^serving http:\/\/127\.0\.0\.1:\d+\/api\/v1 for this machine only\nstopped\n$/);
  expect(code).toBe(0);
});

test("with tokens of the environment it lets in whoever has one, beyond this machine too", async () => {
  const argv = ["--host", "0.0.0.0"];
  await serving(argv, { LOCKSTEP_TOKENS: `ops:operator:${secret}` }, async (url) => {
    const here = url.replace("0.0.0.0", "127.0.0.1");
    expect([await statusOf(here), await statusOf(here, secret)]).toEqual([401, 200]);
  });
});

test("LOCKSTEP_LINKS is what the console's overview links to", async () => {
  await serving([], { LOCKSTEP_LINKS: "Documents=/ocr, Briefs=https://briefs.example.com" }, async (url) => {
    const me = await fetch(`${url}/api/v1/me`).then((response) => response.json());
    const links = [
      { title: "Documents", url: "/ocr" },
      { title: "Briefs", url: "https://briefs.example.com" },
    ];
    expect(me).toMatchObject({ server: { links } });
  });
});

test.each(["serve", "dev"])("`%s` does not start with links that it cannot read", async (command) => {
  const env = { LOCKSTEP_LINKS: "Documents=javascript:alert(1)" };
  const { code, stderr, stdout } = await runCli([command, "--port", "0"], { databaseUrl: db.url, env });
  expect(stderr).toContain("LOCKSTEP_LINKS has a link, number 1, that needs a url");
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
});

test("its health is told by `lockstep health --url`, where a warning is no failure", async () => {
  await db.call("define_pipeline", { p_name: "lonely", p_stages: [{ name: "wait" }] });
  await db.call("add_job", { p_pipeline: "lonely" });
  await serving([], {}, async (url) => {
    const { code, stdout } = await runCli(["health", "--url", url]);
    expect(code).toBe(0);
    expect(stdout).toContain("ok\tserver\tis ready\t");
    expect(stdout).toContain("ok\tjobs recovered in the last hour\t0\t");
    expect(stdout).toContain("warn\tstages without a worker\t1, at most 0\tJobs wait in lonely/wait");
    expect(stdout).toMatch(/^ok\tcompleted jobs kept\t.*\. Rows: about 0, since /m);
  });
});

test("tokens of a file may be kept as their SHA-256, as `lockstep token` makes them", async () => {
  const folder = await mkdtemp(join(tmpdir(), "lockstep-tokens-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { token, sha256 } = (await runCli(["token", "--json"])).json<{ token: string; sha256: string }>();
  const file = join(folder, "tokens");
  await writeFile(file, `board:viewer:sha256=${sha256}\n`);
  await serving(["--tokens-file", file], {}, async (url) => {
    expect([await statusOf(url, secret), await statusOf(url, token)]).toEqual([401, 200]);
  });
});

test.each([
  ["another address without tokens", ["--host", "0.0.0.0"], "so it does not listen on 0.0.0.0."],
  ["a variable that is not set", ["--token-env", "MINE"], "The variable MINE of --token-env is not set."],
  ["a file that is not there", ["--tokens-file", "/nowhere/tokens"], "cannot be read (ENOENT)."],
])("%s is refused with what to do", async (_what, argv, sentence) => {
  const { code, stderr, stdout } = await runCli(["serve", "--port", "0", ...argv], { databaseUrl: db.url });
  expect(stderr).toContain(sentence);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
});
