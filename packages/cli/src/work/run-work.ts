import { type AnyPipeline, createEngine, type EngineOptions } from "lockstep";
import type { Output } from "../output/output.ts";
import type { CliConfig } from "../session/cli-config.ts";
import { exitCode } from "../session/exit-code.ts";
import type { Io } from "../session/io.ts";
import { drain } from "./drain.ts";
import { tellJobs } from "./job-lines.ts";
import { type StopOrders, untilAborted } from "./stop-orders.ts";
import { talkingLogger } from "./talking-logger.ts";
import { untilNothingIsDue } from "./until-nothing-is-due.ts";

export interface WorkParts {
  readonly io: Io;
  readonly output: Output;
  readonly orders: StopOrders;
  readonly talk: CliConfig["talk"];
  readonly pipelines: readonly AnyPipeline[];
  /** As "pipeline/stage"; none: all. */
  readonly stages: readonly string[];
  /** Where the pipelines come from, for people. */
  readonly from: string;
  readonly isOnce: boolean;
  readonly settings: EngineOptions;
}

/** A worker until it is told to stop, or until nothing is due; comes back with the exit code. */
export async function runWork(parts: WorkParts): Promise<number> {
  const { io, output, orders, talk, pipelines } = parts;
  const engine = createEngine({
    ...parts.settings,
    pipelines,
    stages: parts.stages.length === 0 ? null : parts.stages,
    logger: talkingLogger(output, talk),
  });
  const over = new AbortController();
  let isSpent = false;
  engine.on("worker.spent", () => {
    isSpent = true;
    over.abort();
  });
  orders.drain.addEventListener("abort", () => over.abort(), { once: true });
  try {
    const isToldToPeople = io.stderr.isTTY || talk === "verbose" || talk === "debug";
    tellJobs(engine, { output, io, isToldToPeople });
    const all = pipelines.flatMap(({ name, stages }) => stages.map((stage) => `${name}/${stage.name}`));
    const stages = parts.stages.length === 0 ? all : parts.stages;
    output.note(`working on ${stages.join(", ")} (${parts.from})`);
    await Promise.race([engine.start(), untilAborted(over.signal)]);
    if (parts.isOnce && !over.signal.aborted) {
      const left = await untilNothingIsDue(engine, { stages, clock: io.clock, signal: over.signal });
      if (left > 0)
        output.note(`${left} jobs are waiting, but a limit or a group does not allow them to run now`);
      over.abort();
    }
    await untilAborted(over.signal);
    const code = await drain(engine, orders, output);
    output.note("stopped");
    return isSpent ? exitCode("failed") : code;
  } finally {
    await engine.stop();
  }
}
