import type { EngineConfig } from "../engine-config.ts";
import type { HeartbeatSettings } from "./heartbeat-thread.js";
import { upkeepAfterMs } from "./stalled-job-monitor.ts";

const frozenAfterMs = 10_000;
// Longer than any call lasts (15 s), with the 20 s of age from which the database tells of a claim.
const doubtMs = 25_000;

/** What an engine's worker has its lease renewed by; workers to whom the same applies share a thread. */
export function heartbeatSettings(config: EngineConfig): HeartbeatSettings {
  const { databaseUrl, transactionPooler, leaseMs, heartbeatIntervalMs, sweepIntervalMs } = config;
  return {
    databaseUrl,
    transactionPooler,
    leaseMs,
    heartbeatIntervalMs,
    upkeepAfterMs: upkeepAfterMs(sweepIntervalMs),
    frozenAfterMs,
    doubtMs,
  };
}
