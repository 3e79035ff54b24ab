import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { port, readEnvironment } from "@lockstep/app-kit/environment";
import { readDevRecord } from "@lockstep/cli/find-database";
import { type Listening, listen } from "@lockstep/server";
import { runProcess } from "../packages/cli/src/run-process.ts";
import { processIo } from "../packages/cli/src/session/process-io.ts";

// `npm start`: `lockstep dev` with the pipelines of all apps, and beside it the pages of those that have one,
// to which the console's overview links.

const pages = [
  {
    app: "website-analysis",
    title: "Website analysis",
    port: "WEBSITE_ANALYSIS_PORT",
    line: "analysis page",
  },
  { app: "document-ocr", title: "Document OCR", port: "OCR_PORT", line: "upload page" },
  { app: "daily-brief", title: "Daily brief", port: "DAILY_BRIEF_PORT", line: "page" },
] as const;
// As their own defaults.
const ports = {
  WEBSITE_ANALYSIS_PORT: port.default(4600),
  OCR_PORT: port.default(4420),
  DAILY_BRIEF_PORT: port.default(4410),
};
const lookEveryMs = 200;
const stopWithinMs = 10_000;
// The worker is that of `lockstep dev`.
const withoutWorkers = {
  OCR_WORKER_COUNT: "0",
  DAILY_BRIEF_WORKER: "separate",
  WEBSITE_ANALYSIS_WORKER: "separate",
};

// What answers at the address of a page until the page does.
const starting = {
  isForLoopbackOnly: true,
  mountPath: "",
  fetch: async () =>
    new Response("This page is starting. Look again in a moment.", {
      status: 503,
      headers: { "Retry-After": "1" },
    }),
  stop: async () => {},
};

const children = new Map<string, ChildProcess>();
// It reads .env: what that says counts here too.
const io = processIo();
const env = process.env;
// A database that was named belongs to somebody, who may not want the examples' people and tables in it.
const hasPages = !env.DATABASE_URL;
const held = new Map<string, Listening>();
let released: Promise<unknown> | undefined;
let isStopping = false;
if (hasPages) await holdPorts();
const looking = hasPages ? setInterval(() => void startPages(), lookEveryMs) : undefined;

// Before the database, which ends with `lockstep dev`.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void stopPages());

await runProcess(io);
await stopPages();

/** Before `lockstep dev` reads its settings, the links among them: nobody else takes these ports until the pages do. */
async function holdPorts(): Promise<void> {
  const wanted = readEnvironment(env, ports);
  for (const page of pages) {
    held.set(page.app, await listen(starting, { port: `first free from ${wanted[page.port]}` }));
  }
  const links = pages.map(({ app, title }) => `${title}=${held.get(app)?.url}`);
  env.LOCKSTEP_LINKS = [env.LOCKSTEP_LINKS, ...links].filter(Boolean).join(", ");
}

function releasePorts(): Promise<unknown> {
  released ??= Promise.all([...held.values()].map((listening) => listening.stop()));
  return released;
}

/** As soon as `lockstep dev`, which is this process, says where its database is. */
async function startPages(): Promise<void> {
  const record = await readDevRecord(process.cwd());
  if (record?.pid !== process.pid) return;
  clearInterval(looking);
  await releasePorts();
  if (children.size > 0 || isStopping) return;
  for (const page of pages) startPage(page, record.databaseUrl);
}

function startPage({ app, line, port }: (typeof pages)[number], databaseUrl: string): void {
  const child = spawn(
    process.execPath,
    ["--conditions=@lockstep/source", "--import", import.meta.resolve("tsx"), "src/main.ts"],
    {
      cwd: fileURLToPath(new URL(`../apps/${app}/`, import.meta.url)),
      env: { ...env, ...withoutWorkers, DATABASE_URL: databaseUrl, [port]: String(held.get(app)?.port) },
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
  isStopping = true;
  clearInterval(looking);
  await releasePorts();
  await Promise.all([...children.values()].map(stop));
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const late = setTimeout(() => child.kill("SIGKILL"), stopWithinMs);
  await ended;
  clearTimeout(late);
}
