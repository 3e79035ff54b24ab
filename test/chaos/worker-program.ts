import { createEngine, type EngineOptions } from "lockstep";
import { WorkerLease } from "../../packages/engine/src/worker/lease/worker-lease.ts";
import { chaosPipeline } from "./chaos-pipeline.ts";
import { Journal } from "./journal.ts";

/** What the program is told on its command line, as JSON. */
export interface ChaosWorkerOptions {
  readonly databaseUrl: string;
  readonly name: string;
  readonly journalFolder: string;
  readonly leaseMs: number;
  /** Trusts its lease for ever: then only the fence keeps its late words out. */
  readonly isTrusting: boolean;
  readonly settings: Omit<EngineOptions, "databaseUrl" | "pipelines">;
}

/** What it is told later: to keep its event loop busy, or to use up its memory. */
export type WorkerOrder = { readonly blockForMs: number } | { readonly useUpMemory: true };

const options: ChaosWorkerOptions = JSON.parse(process.argv[2] ?? "");
const { leaseMs } = options;
if (options.isTrusting) Object.defineProperty(WorkerLease.prototype, "isTrusted", { get: () => true });
const journal = new Journal(options.journalFolder, options.name);
const engine = createEngine({
  leaseMs,
  heartbeatIntervalMs: Math.floor(leaseMs / 3),
  leaseMarginMs: leaseMs * 0.15,
  sweepIntervalMs: leaseMs / 4,
  pollIntervalMs: leaseMs / 2,
  cancelGraceMs: 4 * leaseMs,
  drainTimeoutMs: leaseMs,
  // Heedless handlers end by themselves, at the latest then.
  stopGraceMs: 7 * leaseMs,
  logger: null,
  ...options.settings,
  databaseUrl: options.databaseUrl,
  workerName: options.name,
  pipelines: [chaosPipeline(leaseMs, journal)],
});
engine.on("claim.lost", ({ jobId, stage }) => journal.write({ kind: "refused", jobId, stage }));
engine.on("engine.error", ({ error }) =>
  journal.write({
    kind: "error",
    message: `${error.message} ${String(error.cause ?? "")}`,
  }),
);

process.on("message", (order: WorkerOrder) => {
  if ("blockForMs" in order) block(order.blockForMs);
  else useUpMemory();
});
process.on("SIGTERM", () => {
  void engine.stop().then(() => process.exit(0));
});
// A run that is gone will not end this process.
process.on("disconnect", () => process.exit(1));
await engine.start();
process.send?.("ready");

function block(forMs: number): void {
  const endMs = performance.now() + forMs;
  while (performance.now() < endMs);
}

function useUpMemory(): void {
  const kept: unknown[] = [];
  for (;;) kept.push(new Array(100_000).fill({}));
}
