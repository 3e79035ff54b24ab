import { randomInt } from "node:crypto";
import { once } from "node:events";
import { chmodSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { childProgram, testDatabase } from "@lockstep/test-support";
import { expect, onTestFinished, test } from "vitest";

const db = testDatabase();
const start = new URL("../../../scripts/start.ts", import.meta.url).href;

/** A port of this machine that is taken until the test ends, below those that connections are given. */
async function takenPort(): Promise<number> {
  const port = randomInt(20_000, 30_000);
  const server = createServer().listen(port, "127.0.0.1");
  onTestFinished(() => void server.close());
  return await once(server, "listening").then(
    () => port,
    () => takenPort(),
  );
}

// The pages of entries are built first if no test has done so, which takes a minute or two.
const patiently = { timeout: 240_000, interval: 200 };

/** `npm start` in a folder of its own, whose `.env` has these lines. */
async function npmStart(argv: readonly string[], dotEnv: string, env: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), "lockstep-start-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  // As root the server runs as another user, who must be able to enter.
  chmodSync(folder, 0o755);
  await writeFile(join(folder, ".env"), dotEnv);
  const program = childProgram(
    `
    process.chdir(${JSON.stringify(folder)});
    process.argv.splice(1, Infinity, "start", "dev", "--port", "0", ...${JSON.stringify(argv)});
    await import(${JSON.stringify(start)});
  `,
    { env },
  );
  return { folder, program };
}

test("npm start has the pages of all apps beside the console, which links to them, and ends all of them with one signal", async () => {
  // One port that all of them want, and none can have.
  const port = String(await takenPort());
  const env = { WEBSITE_ANALYSIS_PORT: port, OCR_PORT: port, DAILY_BRIEF_PORT: port, ENTRIES_PORT: port };
  // With what .env says, as `lockstep dev`.
  const { folder, program } = await npmStart(["--demo"], "LOCKSTEP_LINKS=Mine=/mine\n", env);
  const pages = new Map<string, string>();
  while (pages.size < 4) {
    const [, page, address] = /^ {2}✔ (.*) (http:\S+)$/.exec(await program.nextLine()) ?? [];
    if (page !== undefined && address !== undefined) pages.set(page, address);
  }
  const { url } = JSON.parse(await readFile(join(folder, ".lockstep", "dev.json"), "utf8"));
  const me = () => fetch(`${url}/api/v1/me`);
  // The console is built before, which takes a while the first time.
  await expect.poll(async () => (await me()).status, patiently).toBe(200);
  expect(await (await me()).json()).toHaveProperty("server.links", [
    { title: "Mine", url: "/mine" },
    { title: "Website analysis", url: pages.get("analysis page of apps/website-analysis") },
    { title: "Document OCR", url: pages.get("upload page of apps/document-ocr") },
    { title: "Daily brief", url: pages.get("page of apps/daily-brief") },
    { title: "Entries", url: pages.get("page of apps/entries") },
  ]);
  for (const address of pages.values()) {
    const page = await fetch(address);
    expect(page.headers.get("content-type")).toContain("text/html");
    expect(page.status).toBe(200);
  }
  const entries = `${pages.get("page of apps/entries")}/api/entries`;
  const headers = { "content-type": "application/json" };
  const made = await fetch(entries, { method: "POST", headers, body: JSON.stringify({ title: "One" }) });
  expect(made.status).toBe(201);
  // No worker for it is here: `lockstep dev` has found no apps in this folder, and the page is told to do no work.
  expect(await (await fetch(entries)).json()).toMatchObject({
    entries: [{ title: "One", status: "CREATED" }],
  });

  program.kill("SIGINT");
  const { code, errors } = await program.ended;
  expect(code).toBe(0);
  // The pages leave before the database does.
  expect(errors).not.toContain("database.down");
  for (const address of pages.values()) await expect(fetch(address)).rejects.toThrow("fetch failed");
}, 300_000);

test("npm start leaves a database alone that .env names: there are no pages", async () => {
  const { program } = await npmStart(["--jsonl"], `DATABASE_URL=${db.url}\n`);
  const nextReady = async (): Promise<string> => {
    const { event, url } = JSON.parse(await program.nextLine());
    return event === "ready" ? url : await nextReady();
  };
  const url = await nextReady();
  await expect.poll(async () => (await fetch(`${url}/api/v1/me`)).status, { timeout: 90_000 }).toBe(200);
  expect(await (await fetch(`${url}/api/v1/me`)).json()).toHaveProperty("server.links", []);
  program.kill("SIGINT");
  expect((await program.ended).code).toBe(0);
});
