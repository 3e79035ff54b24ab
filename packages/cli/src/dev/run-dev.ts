import { ensureConsole } from "@lockstep/console";
import { type ConsoleLink, createServer, listen } from "@lockstep/server";
import { createEngine, type Engine, type Logger } from "lockstep";
import type { Output } from "../output/output.ts";
import { demoJob, demoPipeline } from "../pipelines/demo-pipeline.ts";
import type { CliConfig } from "../session/cli-config.ts";
import { exitCode } from "../session/exit-code.ts";
import type { Io } from "../session/io.ts";
import { tellJobs } from "../work/job-lines.ts";
import { type StopOrders, untilAborted } from "../work/stop-orders.ts";
import { talkingLogger } from "../work/talking-logger.ts";
import { Banner } from "./banner.ts";
import { type DevDatabase, embeddedDatabase, givenDatabase } from "./dev-database.ts";
import { DevFront } from "./dev-front.ts";
import { DevKeys } from "./dev-keys.ts";
import { removeDevRecord, writeDevRecord } from "./dev-record.ts";
import { localPostgres } from "./local-postgres.ts";
import { migratePatiently } from "./migrate-patiently.ts";
import { openAddress } from "./open-address.ts";
import { ReloadingWorker, type WorkerNews } from "./reloading-worker.ts";

export interface DevParts {
  readonly io: Io;
  readonly output: Output;
  readonly orders: StopOrders;
  readonly talk: CliConfig["talk"];
  /** The files with pipelines that were asked for; none: those in the usual places. */
  readonly asked: readonly string[];
  /** Whether the demo runs beside the pipelines that were found. */
  readonly hasDemo: boolean;
  readonly databaseUrl: string | null;
  readonly schema: string;
  readonly isEphemeral: boolean;
  /** Null: 4400, or the next free one. */
  readonly port: number | null;
  /** What the console's overview links to. */
  readonly links: readonly ConsoleLink[];
  readonly tokenSecret: string;
  /** Whether a person may press keys. */
  readonly hasKeys: boolean;
  /** Whether lines on stderr have colours. */
  readonly hasColor: boolean;
}

/** First the server, which says what is missing; then the database, the schema and the worker. Ends when it is told to stop. */
export async function runDev(parts: DevParts): Promise<number> {
  const { io, output, orders } = parts;
  // Before anything is started that would have to be stopped again.
  if (parts.databaseUrl === null) await localPostgres();
  const banner = new Banner(output, io.clock);
  const front = new DevFront();
  let database: DevDatabase | null = null;
  let engine: Engine | null = null;
  let listening: Awaited<ReturnType<typeof listen>> | null = null;
  let keys: DevKeys | null = null;
  const worker = workerOf(parts, () => revive(database, output));
  try {
    await worker.load();
    // From source the console may have to be built first; nothing else waits for it.
    const consoleFolder = builtConsole(output);
    listening = await listen(front, { port: parts.port ?? "first free from 4400" });
    await tell(output, { event: "listening", url: listening.url });
    keys = keysOf(parts, listening.url);
    database = await databaseOf(parts, banner);
    engine = engineOf(parts, database);
    const { schema } = parts;
    await writeDevRecord(io.cwd, {
      url: listening.url,
      databaseUrl: database.url,
      schema,
      pid: process.pid,
    });
    const opened = open(front, engine, consoleFolder, parts);
    if (await isMigrated(engine, parts, banner)) {
      await Promise.race([work(worker, database, banner), untilAborted(orders.drain)]);
      await addFirstJob(engine, banner);
      const hasConsole = await opened;
      banner.step(`${hasConsole ? `console ${listening.url}    ` : ""}API ${listening.url}/api/v1`);
      if (keys !== null) output.note("    press o to open the console, q or Ctrl-C to quit");
      await tell(output, { event: "ready", url: listening.url, ms: banner.totalMs });
    }
    const code = await worker.ended;
    return orders.drain.aborted ? code : exitCode("failed");
  } finally {
    await worker.stop();
    await engine?.stop();
    await listening?.stop();
    if (engine !== null) await removeDevRecord(io.cwd);
    await database?.stop();
    keys?.stop();
    output.note("stopped");
  }
}

/** In a process of its own, which a change of the code replaces; server and database stay. */
function workerOf(parts: DevParts, onDatabaseDown: () => void): ReloadingWorker {
  const { io, output, orders } = parts;
  const worker = new ReloadingWorker({
    io,
    asked: parts.asked,
    argv: workerFlags(parts),
    onDatabaseDown,
    onReloaded(changed, news) {
      output.note(`  ${output.talkPaint.green("↻")} ${changed.join(", ")} changed: now ${workingOn(news)}`);
      void tell(output, { event: "reloaded", changed, files: news.files });
    },
    onRefused({ message }) {
      output.warn(`${output.safe(message)}\n         The previous code keeps running until this is fixed.`);
      void tell(output, { event: "reload.refused", message });
    },
    onCannotWatch: ({ message }) => output.warn(`Changes to the code may not be noticed (${message}).`),
  });
  const signal = () => orders.signal ?? "SIGTERM";
  orders.drain.addEventListener("abort", () => worker.drain(signal()), { once: true });
  orders.abort.addEventListener("abort", () => worker.abort(signal()), { once: true });
  return worker;
}

function workerFlags({ io, output, talk, asked, schema, hasDemo, hasColor }: DevParts): string[] {
  const isToldToPeople = io.stderr.isTTY || talk === "verbose" || talk === "debug";
  return [
    ...asked.flatMap((pattern) => ["--pipelines", pattern]),
    `--schema=${schema}`,
    ...(hasDemo ? ["--demo"] : []),
    ...(isToldToPeople ? ["--tell-jobs"] : []),
    ...(output.format === "jsonl" ? ["--jsonl"] : []),
    ...(talk === "normal" ? [] : [`--${talk}`]),
    `--color=${hasColor ? "always" : "never"}`,
  ];
}

function revive(database: DevDatabase | null, output: Output): void {
  database?.revive().catch((error: unknown) => output.warn(output.safe(String(error))));
}

function keysOf({ io, output, orders, hasKeys }: DevParts, url: string): DevKeys | null {
  if (!hasKeys) return null;
  return new DevKeys(io.stdin, {
    onOpen() {
      void openAddress(url, io.env).then((isOpen) => {
        output.note(isOpen ? `    opening ${url}` : `    no browser could be started: open ${url}`);
      });
    },
    onQuit: () => orders.give("SIGINT"),
  });
}

async function databaseOf({ databaseUrl, io, isEphemeral }: DevParts, banner: Banner): Promise<DevDatabase> {
  if (databaseUrl !== null) return givenDatabase(databaseUrl);
  const database = await embeddedDatabase(io.cwd, isEphemeral);
  banner.step(database.name);
  return database;
}

/** For the server, which adds, reads and steers; the worker is another process. */
function engineOf({ io, output, schema, talk, tokenSecret }: DevParts, database: DevDatabase): Engine {
  const engine = createEngine({
    databaseUrl: database.url,
    schema,
    workerName: "dev",
    // Of this run alone: nobody keeps tokens of a development server.
    tokenSecret,
    logger: talkingLogger(output, talk),
  });
  const isToldToPeople = io.stderr.isTTY || talk === "verbose" || talk === "debug";
  tellJobs(engine, { output, io, isToldToPeople });
  engine.on("database.down", () => revive(database, output));
  return engine;
}

/** Hands over to the server, which says by itself what is wrong with the database. */
async function open(
  front: DevFront,
  engine: Engine,
  consoleFolder: Promise<string | null>,
  { output, talk, links }: DevParts,
): Promise<boolean> {
  const folder = await consoleFolder;
  const logger = requestLogger(output, talk);
  front.open(createServer({ engine, access: "loopback", consoleFolder: folder, links, logger }));
  return folder !== null;
}

/** The API works without it too. */
function builtConsole(output: Output): Promise<string | null> {
  return ensureConsole().catch((error: unknown) => {
    output.warn(
      output.safe(`The console could not be built: ${error instanceof Error ? error.message : error}`),
    );
    return null;
  });
}

/** False: told to stop before the database could be used. */
async function isMigrated(
  engine: Engine,
  { io, orders, schema }: DevParts,
  banner: Banner,
): Promise<boolean> {
  const migrated = await migratePatiently(engine, {
    clock: io.clock,
    signal: orders.drain,
    say: (sentence) => banner.wait(`${sentence} Trying again every second.`),
  });
  if (migrated === null) return false;
  const { migrations, version } = migrated;
  banner.step(`schema ${schema} ${migrations.length > 0 ? "migrated to" : "is at"} version ${version}`);
  return true;
}

async function work(worker: ReloadingWorker, { url }: DevDatabase, banner: Banner): Promise<void> {
  banner.step(workingOn(await worker.start(url)));
}

function workingOn({ files, stages }: WorkerNews): string {
  const names = [...new Set(stages.map(({ pipeline }) => pipeline))];
  const from = files.length === 0 ? "" : ` (${files.join(", ")})`;
  const many = stages.length === 1 ? "1 stage" : `${stages.length} stages`;
  return `1 worker, ${many} of ${names.join(", ")}${from}`;
}

/** So that there is something to see; only in a queue that never had a job. */
async function addFirstJob(engine: Engine, banner: Banner): Promise<void> {
  const counts = await engine.stats();
  const hasDemo = counts.some(({ pipeline }) => pipeline === demoPipeline.name);
  if (!hasDemo || counts.some(({ jobs }) => jobs > 0)) return;
  const { id } = await engine.add(demoPipeline.name, demoJob);
  engine.result(id).then(
    () => banner.step(`a first job of the demo pipeline is completed: ${id}`),
    // Reported with all other jobs, or cut off at the end.
    () => {},
  );
}

/** For programs that started it; people have the banner. */
async function tell(output: Output, event: object): Promise<void> {
  if (output.format !== "text") await output.line(() => "", event);
}

/** A refused request concerns only its sender: it is logged only with -v. */
function requestLogger(output: Output, talk: CliConfig["talk"]): Logger {
  const { error, ...rest } = talkingLogger(output, talk);
  return { ...rest, error, warn: rest.info };
}
