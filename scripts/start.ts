import { randomBytes } from "node:crypto";
import { readEnvironment } from "@lockstep/app-kit/environment";
import { readDevRecord } from "@lockstep/cli/find-database";
import { type Listening, listen } from "@lockstep/server";
import { runProcess } from "../packages/cli/src/run-process.ts";
import { processIo } from "../packages/cli/src/session/process-io.ts";
import { type AppPage, appPages, pagePorts, withoutWorkers } from "./app-pages/app-pages.ts";
import { ChildPrograms } from "./app-pages/child-programs.ts";
import { starting } from "./app-pages/starting.ts";

// `npm start`: `lockstep dev` with the pipelines of all apps, and beside it their pages, to which the console's overview
// links.

const lookEveryMs = 200;
// It reads .env: what that says counts here too.
const io = processIo();
const env = process.env;
// The tokens of one run are read by its own page only.
const tokenSecret = env.ENTRIES_TOKEN_SECRET || randomBytes(32).toString("base64url");
// A database that was named belongs to somebody, who may not want the examples' people and tables in it.
const hasPages = !env.DATABASE_URL;
const programs = new ChildPrograms();
const held = new Map<AppPage, Listening>();
let isStarted = false;
let isStopping = false;
if (hasPages) await holdPorts();
const looking = hasPages ? setInterval(() => void startPages(), lookEveryMs) : undefined;

// Before the database, which ends with `lockstep dev`.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void stopPages());

await runProcess(io);
await stopPages();

/** Before `lockstep dev` reads its settings, the links among them: nobody else takes these ports until the pages do. */
async function holdPorts(): Promise<void> {
  const wanted = readEnvironment(env, pagePorts);
  for (const page of appPages) {
    held.set(page, await listen(starting, { port: `first free from ${wanted[page.port]}` }));
  }
  const links = appPages.map((page) => `${page.title}=${held.get(page)?.url}`);
  env.LOCKSTEP_LINKS = [env.LOCKSTEP_LINKS, ...links].filter(Boolean).join(", ");
}

/** As soon as `lockstep dev`, which is this process, says where its database is. */
async function startPages(): Promise<void> {
  const record = await readDevRecord(process.cwd());
  if (record?.pid !== process.pid || isStarted || isStopping) return;
  isStarted = true;
  clearInterval(looking);
  for (const page of appPages) void startPage(page, record.databaseUrl);
}

async function startPage(page: AppPage, databaseUrl: string): Promise<void> {
  const { app, program, ownPort = page.port } = page;
  const place = held.get(page);
  if (!(await prepare(page))) return;
  await place?.stop();
  if (isStopping) return;
  const code = await programs.run({
    app,
    program,
    env: {
      ...env,
      ...withoutWorkers,
      ENTRIES_TOKEN_SECRET: tokenSecret,
      DATABASE_URL: databaseUrl,
      [ownPort]: String(place?.port),
    },
    hear: (text) => {
      const address = page.says.exec(text)?.[1];
      if (address !== undefined) say(`✔ ${page.name} of apps/${app} ${address}`);
    },
  });
  if (code !== 0 && !isStopping) say(`✗ the page of apps/${app} ended with exit code ${code}`);
}

/** Its address answers meanwhile, and says so. */
async function prepare(page: AppPage): Promise<boolean> {
  const { app, prepare: first } = page;
  if (first === undefined) return true;
  const code = await programs.run({
    app,
    program: first.program,
    env,
    hear: (text) => {
      if (text.includes(first.says))
        say(`… apps/${app} is being built, and then is at ${held.get(page)?.url}`);
    },
  });
  if (code !== 0 && !isStopping) say(`✗ apps/${app} could not be built: see above`);
  return code === 0;
}

async function stopPages(): Promise<void> {
  isStopping = true;
  clearInterval(looking);
  await Promise.all([...held.values()].map((listening) => listening.stop()));
  await programs.stop();
}

function say(text: string): void {
  process.stdout.write(`  ${text}\n`);
}
