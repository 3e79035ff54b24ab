import type { EngineConfig } from "../../engine-config.ts";
import { textsIn } from "../../store/calls/texts-in.ts";
import { renewal } from "../../store/connections/heartbeat-connection.js";
import { upkeepAfterMs } from "../upkeep/stalled-job-monitor.ts";
import type { HeartbeatSettings } from "./heartbeat-thread.js";

const frozenAfterMs = 10_000;
// Longer than any call lasts (15 s), with the 20 s of age from which the database tells of a claim.
const doubtMs = 25_000;

/** How the lease of an engine's worker is renewed; workers with the same settings share a thread. */
export function heartbeatSettings(config: EngineConfig): HeartbeatSettings {
  const { databaseUrl, schema, transactionPooler, leaseMs, heartbeatIntervalMs, sweepIntervalMs } = config;
  return {
    databaseUrl,
    renewal: textsIn(schema)(renewal),
    transactionPooler,
    leaseMs,
    heartbeatIntervalMs,
    upkeepAfterMs: upkeepAfterMs(sweepIntervalMs),
    frozenAfterMs,
    doubtMs,
  };
}
