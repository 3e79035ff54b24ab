import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { readDevRecord } from "@lockstep/cli/find-database";

// `npm start`: `lockstep dev` with the pipelines of all apps, and beside it the pages of those that have one.

const pages = [
  { app: "document-ocr", line: "upload page" },
  { app: "daily-brief", line: "page" },
  { app: "website-analysis", line: "analysis page" },
];
const lookEveryMs = 200;
const stopWithinMs = 10_000;
// The worker is that of `lockstep dev`.
const withoutWorkers = {
  OCR_WORKER_COUNT: "0",
  DAILY_BRIEF_WORKER: "separate",
  WEBSITE_ANALYSIS_WORKER: "separate",
};

const children = new Map<string, ChildProcess>();
// A database that was named belongs to somebody, who may not want the examples' people and tables in it.
const env = process.env;
const looking = env.DATABASE_URL ? undefined : setInterval(() => void startPages(), lookEveryMs);

// Before the database, which ends with `lockstep dev`.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void stopPages());

await (await import("../packages/cli/src/run-process.ts")).runProcess();
await stopPages();

/** As soon as `lockstep dev`, which is this process, says where its database is. */
async function startPages(): Promise<void> {
  const record = await readDevRecord(process.cwd());
  if (record?.pid !== process.pid || children.size > 0) return;
  clearInterval(looking);
  for (const page of pages) startPage(page, record.databaseUrl);
}

function startPage({ app, line }: { app: string; line: string }, databaseUrl: string): void {
  const child = spawn(
    process.execPath,
    ["--conditions=@lockstep/source", "--import", import.meta.resolve("tsx"), "src/main.ts"],
    {
      cwd: fileURLToPath(new URL(`../apps/${app}/`, import.meta.url)),
      env: { ...env, ...withoutWorkers, DATABASE_URL: databaseUrl },
      stdio: ["ignore", "pipe", "inherit", "ipc"],
      // Ctrl-C in a terminal goes to a whole group, and this one ends when `lockstep dev` has.
      detached: true,
    },
  );
  children.set(app, child);
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    const address = new RegExp(`^${line} +(http\\S+)`, "m").exec(text)?.[1];
    if (address !== undefined) process.stdout.write(`  ✔ ${line} of apps/${app} ${address}\n`);
  });
  child.on("exit", (code) => {
    children.delete(app);
    if (code !== 0) process.stdout.write(`  ✗ the page of apps/${app} ended with exit code ${code}\n`);
  });
}

async function stopPages(): Promise<void> {
  clearInterval(looking);
  await Promise.all([...children.values()].map(stop));
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const late = setTimeout(() => child.kill("SIGKILL"), stopWithinMs);
  await ended;
  clearTimeout(late);
}
