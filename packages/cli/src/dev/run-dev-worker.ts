import { type AnyPipeline, createEngine, type Engine } from "lockstep";
import { asCliError } from "../errors/error-report.ts";
import type { Output } from "../output/output.ts";
import { demoPipeline } from "../pipelines/demo-pipeline.ts";
import { followImports } from "../pipelines/imported-files.ts";
import { loadPipelines } from "../pipelines/load-pipelines.ts";
import type { CliConfig } from "../session/cli-config.ts";
import { exitCode } from "../session/exit-code.ts";
import type { Io, ParentProcess } from "../session/io.ts";
import { drain } from "../work/drain.ts";
import { tellJobs } from "../work/job-lines.ts";
import { StopOrders, untilAborted } from "../work/stop-orders.ts";
import { talkingLogger } from "../work/talking-logger.ts";
import type { FromWorker, ToWorker } from "./worker-messages.ts";

export interface DevWorkerParts {
  readonly io: Io;
  readonly output: Output;
  readonly signal: AbortSignal;
  readonly parent: ParentProcess;
  readonly schema: string;
  readonly talk: CliConfig["talk"];
  readonly asked: readonly string[];
  readonly hasDemo: boolean;
  readonly isToldToPeople: boolean;
}

/** Loads the pipelines, works on them once `lockstep dev` says where the database is, and ends when it says so. */
export async function runDevWorker(parts: DevWorkerParts): Promise<number> {
  const { io, output, parent } = parts;
  const tell = (message: FromWorker) => parent.send(message);
  const orders = new StopOrders(io);
  let isRetired = false;
  const databaseUrl = new Promise<string>((resolve) => {
    parent.onMessage((message) => {
      const told = (message ?? { kind: "order", signal: "SIGTERM" }) as ToWorker;
      if (told.kind === "start") resolve(told.databaseUrl);
      // As if the signal had come to this process: handlers may listen for it.
      else if (told.kind === "order") process.emit(told.signal, told.signal);
      else {
        isRetired = true;
        orders.give("SIGTERM");
      }
    });
  });
  parts.signal.addEventListener("abort", () => orders.give("SIGTERM"), { once: true });
  let engine: Engine | null = null;
  try {
    const pipelines = await loaded(parts, tell);
    const url = await Promise.race([databaseUrl, untilAborted(orders.drain)]);
    if (url === undefined) return exitCode("done");
    engine = engineOf(parts, pipelines, url, tell);
    const over = overOf(engine, orders);
    await Promise.race([engine.start(), untilAborted(over)]);
    tell({ kind: "started", stages: engine.health()?.stages ?? [] });
    await untilAborted(over);
    const draining = isRetired
      ? drain(engine, orders, output, (jobs) => `the previous code finishes ${jobs}`)
      : drain(engine, orders, output);
    tell({ kind: "draining" });
    const code = await draining;
    return orders.drain.aborted ? code : exitCode("failed");
  } catch (thrown) {
    const { exit, code, message, why, advice } = asCliError(thrown);
    if (parts.talk === "debug" && thrown instanceof Error) output.detail(thrown.stack ?? "");
    tell({ kind: "refused", error: { exit, code, message, why, advice } });
    return exitCode(exit);
  } finally {
    await engine?.stop();
    orders.stopListening();
  }
}

async function loaded(
  { asked, io, hasDemo }: DevWorkerParts,
  tell: (message: FromWorker) => void,
): Promise<AnyPipeline[]> {
  const imports = followImports(io.cwd, (path) => tell({ kind: "file", path }));
  try {
    const { pipelines, files } = await loadPipelines(asked, io.cwd);
    tell({ kind: "loaded", files });
    return [...new Set(hasDemo ? [...pipelines, demoPipeline] : pipelines)];
  } finally {
    imports.rest();
  }
}

function engineOf(
  { io, output, schema, talk, isToldToPeople }: DevWorkerParts,
  pipelines: readonly AnyPipeline[],
  databaseUrl: string,
  tell: (message: FromWorker) => void,
): Engine {
  const logger = talkingLogger(output, talk);
  const engine = createEngine({ databaseUrl, schema, pipelines, workerName: "dev", logger });
  tellJobs(engine, { output, io, isToldToPeople });
  engine.on("database.down", () => tell({ kind: "databaseDown" }));
  return engine;
}

/** Aborts when it is told to stop, or when the worker ends by itself because its handlers do not. */
function overOf(engine: Engine, orders: StopOrders): AbortSignal {
  const over = new AbortController();
  engine.on("worker.spent", () => over.abort());
  if (orders.drain.aborted) over.abort();
  else orders.drain.addEventListener("abort", () => over.abort(), { once: true });
  return over.signal;
}
