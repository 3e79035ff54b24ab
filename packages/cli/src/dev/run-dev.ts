import { ensureConsole } from "@lockstep/console";
import { createServer, listen } from "@lockstep/server";
import { createEngine, type Engine, type Logger } from "lockstep";
import type { CliConfig } from "../cli-config.ts";
import { exitCode } from "../exit-code.ts";
import type { Io } from "../io.ts";
import type { Output } from "../output.ts";
import { demoJob, demoPipeline } from "../pipelines/demo-pipeline.ts";
import type { LoadedPipelines } from "../pipelines/load-pipelines.ts";
import { drain } from "../work/drain.ts";
import { tellJobs } from "../work/job-lines.ts";
import { type StopOrders, untilAborted } from "../work/stop-orders.ts";
import { talkingLogger } from "../work/talking-logger.ts";
import { Banner } from "./banner.ts";
import { type DevDatabase, embeddedDatabase, givenDatabase } from "./dev-database.ts";
import { DevFront } from "./dev-front.ts";
import { removeDevRecord, writeDevRecord } from "./dev-record.ts";
import { migratePatiently } from "./migrate-patiently.ts";

export interface DevParts {
  readonly io: Io;
  readonly output: Output;
  readonly orders: StopOrders;
  readonly talk: CliConfig["talk"];
  readonly loaded: LoadedPipelines;
  /** Whether the demo runs beside the pipelines that were found. */
  readonly hasDemo: boolean;
  readonly databaseUrl: string | null;
  readonly isEphemeral: boolean;
  /** Null: 4400, or the next free one. */
  readonly port: number | null;
  readonly tokenSecret: string;
}

/** The server first, which says what is missing; then the database, the schema, the worker. Ends as the orders say. */
export async function runDev(parts: DevParts): Promise<number> {
  const { io, output, orders } = parts;
  const banner = new Banner(output, io.clock);
  const front = new DevFront();
  // From source it may have to be built, and nothing else waits for that.
  const consoleFolder = builtConsole(output);
  const listening = await listen(front, { port: parts.port ?? "first free from 4400" });
  await tell(output, { event: "listening", url: listening.url });
  let database: DevDatabase | null = null;
  let engine: Engine | null = null;
  try {
    database = await databaseOf(parts, banner);
    engine = engineOf(parts, database);
    await writeDevRecord(io.cwd, { url: listening.url, databaseUrl: database.url, pid: process.pid });
    const opened = open(front, engine, consoleFolder, parts);
    const stopping = untilStopping(engine, orders);
    if (await isMigrated(engine, parts, banner)) {
      await work(engine, parts, banner);
      await addFirstJob(engine, banner);
      const hasConsole = await opened;
      banner.step(`${hasConsole ? `console ${listening.url}    ` : ""}API ${listening.url}/api/v1`);
      await tell(output, { event: "ready", url: listening.url, ms: banner.totalMs });
    }
    await stopping;
    const code = await drain(engine, orders, output);
    return orders.drain.aborted ? code : exitCode("failed");
  } finally {
    await engine?.stop();
    await listening.stop();
    if (engine !== null) await removeDevRecord(io.cwd);
    await database?.stop();
    output.note("stopped");
  }
}

async function databaseOf({ databaseUrl, io, isEphemeral }: DevParts, banner: Banner): Promise<DevDatabase> {
  if (databaseUrl !== null) return givenDatabase(databaseUrl);
  const database = await embeddedDatabase(io.cwd, isEphemeral);
  banner.step(database.name);
  return database;
}

function engineOf(
  { io, output, talk, loaded, hasDemo, tokenSecret }: DevParts,
  database: DevDatabase,
): Engine {
  const engine = createEngine({
    databaseUrl: database.url,
    pipelines: hasDemo ? [...new Set([...loaded.pipelines, demoPipeline])] : loaded.pipelines,
    workerName: "dev",
    // Of this run alone: nobody keeps tokens of a development server.
    tokenSecret,
    logger: talkingLogger(output, talk),
  });
  const isToldToPeople = io.stderr.isTTY || talk === "verbose" || talk === "debug";
  tellJobs(engine, { output, io, isToldToPeople });
  engine.on("database.down", () => {
    database.revive().catch((error: unknown) => output.warn(output.safe(String(error))));
  });
  return engine;
}

/** Hands over to the server, which says by itself what is wrong with the database. */
async function open(
  front: DevFront,
  engine: Engine,
  consoleFolder: Promise<string | null>,
  { output, talk }: DevParts,
): Promise<boolean> {
  const folder = await consoleFolder;
  const logger = requestLogger(output, talk);
  front.open(createServer({ engine, access: "loopback", consoleFolder: folder, logger }));
  return folder !== null;
}

/** Without it the API is there all the same. */
function builtConsole(output: Output): Promise<string | null> {
  return ensureConsole().catch((error: unknown) => {
    output.warn(
      output.safe(`The console could not be built: ${error instanceof Error ? error.message : error}`),
    );
    return null;
  });
}

/** False: told to stop before the database could be used. */
async function isMigrated(engine: Engine, { io, orders }: DevParts, banner: Banner): Promise<boolean> {
  const migrated = await migratePatiently(engine, {
    clock: io.clock,
    signal: orders.drain,
    say: (sentence) => banner.wait(`${sentence} Looking again every second.`),
  });
  if (migrated === null) return false;
  const { migrations, version } = migrated;
  banner.step(`schema lockstep ${migrations.length > 0 ? "migrated to" : "is of"} version ${version}`);
  return true;
}

async function work(engine: Engine, { orders, loaded }: DevParts, banner: Banner): Promise<void> {
  await Promise.race([engine.start(), untilAborted(orders.drain)]);
  const stages = engine.health()?.stages ?? [];
  const names = [...new Set(stages.map(({ pipeline }) => pipeline))];
  const from = loaded.files.length === 0 ? "" : ` (${loaded.files.join(", ")})`;
  banner.step(`1 worker, ${stages.length} stages of ${names.join(", ")}${from}`);
}

/** So that there is something to see; only where nothing ever was. */
async function addFirstJob(engine: Engine, banner: Banner): Promise<void> {
  const counts = await engine.stats();
  const hasDemo = counts.some(({ pipeline }) => pipeline === demoPipeline.name);
  if (!hasDemo || counts.some(({ jobs }) => jobs > 0)) return;
  const { id } = await engine.add(demoPipeline, demoJob);
  engine.result(id).then(
    () => banner.step(`a first job of the demo pipeline is completed: ${id}`),
    // Told with all other jobs, or cut off by the end.
    () => {},
  );
}

/** Resolves when it was told to stop, or stops by itself since its handlers do not end. */
function untilStopping(engine: Engine, orders: StopOrders): Promise<void> {
  const stopping = new Promise<void>((resolve) => {
    engine.on("engine.stopping", () => resolve());
  });
  return Promise.race([stopping, untilAborted(orders.drain)]);
}

/** For programs that started it; people have the banner. */
async function tell(output: Output, event: object): Promise<void> {
  if (output.format !== "text") await output.line(() => "", event);
}

/** A refused request is its sender's business: it is told only where more is asked for. */
function requestLogger(output: Output, talk: CliConfig["talk"]): Logger {
  const { error, ...rest } = talkingLogger(output, talk);
  return { ...rest, error, warn: rest.info };
}
