import { hostname } from "node:os";
import type { EngineConfig } from "../../engine-config.ts";
import type { WorkerRegistration } from "../../store/working/worker-store.ts";

/** A worker that is registered, and the clock's monotonicMs() from before that was sent: its lease is counted from there. */
export interface Registered {
  readonly workerId: string;
  readonly sentAtMs: number;
}

export function workerNameOf({ workerName }: Pick<EngineConfig, "workerName">): string {
  return workerName ?? `${hostname()}:${process.pid}`;
}

/** What the row of a worker says of it; `stages` are keys. */
export function registrationOf(
  config: Pick<EngineConfig, "workerName" | "leaseMs">,
  worker: Pick<WorkerRegistration, "workerId" | "stages" | "version">,
): WorkerRegistration {
  const { leaseMs } = config;
  return { ...worker, name: workerNameOf(config), leaseMs, host: hostname(), pid: process.pid };
}
