import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type RecordedEvents, recordEvents, type TestDatabase } from "@lockstep/test-support";
import type { EngineEventMap, EngineEventName } from "lockstep";
import { inject, onTestFinished } from "vitest";
import { mutatingImports } from "../../mutants/mutating-imports.ts";
import { environmentWith } from "../faults/environment-with.ts";
import { type WrongClock, wrongClockImports } from "../faults/wrong-clock.ts";
import type { WorkerOrder, WorkerProgramOptions } from "./worker-program.ts";

/** A worker in a process of its own. */
export interface WorkerProcess {
  readonly pid: number;
  /** The id it registered under at its start. */
  readonly workerId: string;
  /** What its engine says, and what its handlers log. */
  readonly events: RecordedEvents;
  /** Lets a waiting errand end. */
  finish(jobId: string): void;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; errors: string }>;
}

const program = fileURLToPath(new URL("./worker-program.ts", import.meta.url));

/** Starts a worker of the stories' own pipelines and waits until it works. */
export function startWorker(
  db: Pick<TestDatabase, "url">,
  {
    pipelines = ["errand"],
    processors,
    settings = {},
    clock = null,
  }: Partial<Omit<WorkerProgramOptions, "databaseUrl">> & { readonly clock?: WrongClock | null } = {},
): Promise<WorkerProcess> {
  const options: WorkerProgramOptions = { databaseUrl: db.url, pipelines, processors, settings };
  return startWorkerProgram(inject("storyWorker") ?? program, options, wrongClockImports(clock));
}

/** Starts a program that tells its engine's events. It ends, at the latest, with the test that started it. */
export async function startWorkerProgram(
  path: string,
  options: object,
  imports: readonly string[] = [],
): Promise<WorkerProcess> {
  const child = fork(path, [JSON.stringify(options)], {
    execArgv: path.endsWith(".ts") ? ["--conditions=@lockstep/source", "--import", "tsx"] : [],
    // Events carry errors and dates, which JSON does not.
    serialization: "advanced",
    env: environmentWith([...imports, ...mutatingImports()]),
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let errors = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    errors += chunk.toString("utf8");
  });
  const ended = endOf(child).then((end) => ({ ...end, errors }));
  const events = recordEvents({
    onAny(listener) {
      const hear = ({ name, event }: { name: EngineEventName; event: EngineEventMap[EngineEventName] }) =>
        listener(name, event);
      child.on("message", hear as (message: unknown) => void);
      return () => child.off("message", hear);
    },
  });
  const { workerId } = await Promise.race([
    events.next("engine.started", undefined, { limitMs: 100_000 }),
    ended.then(({ code, signal }): never => {
      throw new Error(`The worker ended at its start (${signal ?? `code ${code}`}) and said:\n${errors}`);
    }),
  ]);
  return {
    pid: child.pid ?? 0,
    workerId,
    events,
    finish: (jobId) => void child.send({ finish: jobId } satisfies WorkerOrder),
    kill: (signal) => void child.kill(signal),
    ended,
  };
}

async function endOf(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  // The channel closes after its last message was heard.
  await Promise.all([once(child, "close"), once(child, "disconnect")]);
  return { code: child.exitCode, signal: child.signalCode };
}
