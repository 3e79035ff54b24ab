import type { ConnectionTarget } from "@lockstep/database/internal";
import type { EngineConfig } from "../../engine-config.ts";
import { textsIn } from "../../store/calls/texts-in.ts";
import { renewal } from "../../store/connections/heartbeat-connection.js";
import { upkeepAfterMs } from "../upkeep/stalled-job-monitor.ts";
import type { HeartbeatSettings } from "./heartbeat-thread.js";

const frozenAfterMs = 10_000;
// Longer than any call lasts (15 s), with the 20 s of age from which the database tells of a claim.
const doubtMs = 25_000;

/** How the lease of an engine's worker is renewed; workers with the same settings share a thread. */
export type CompanySettings = Omit<HeartbeatSettings, "target" | "asksPassword"> & {
  readonly target: ConnectionTarget;
};

export function heartbeatSettings(config: EngineConfig): CompanySettings {
  const { target, schema, transactionPooler, leaseMs, heartbeatIntervalMs, sweepIntervalMs } = config;
  return {
    target,
    renewal: textsIn(schema)(renewal),
    transactionPooler,
    leaseMs,
    heartbeatIntervalMs,
    upkeepAfterMs: upkeepAfterMs(sweepIntervalMs),
    frozenAfterMs,
    doubtMs,
  };
}

/** What of it the thread is given: a function cannot be. */
export function threadSettings({ target, ...rest }: CompanySettings): HeartbeatSettings {
  const { hosts, accepts, password } = target;
  return { ...rest, target: { hosts, accepts }, asksPassword: password !== null };
}
