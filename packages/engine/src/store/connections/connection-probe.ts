import { randomBytes } from "node:crypto";
import { type ConnectionTarget, openClient } from "@lockstep/database/internal";
import type pg from "pg";
import type { Clock } from "../../clock.ts";
import type { ConnectionProbe } from "../../jobs/reading/connection-findings.ts";
import { clientSocket } from "./client-socket.ts";
import { encryptionOf } from "./connection-encryption.ts";
import { DatabaseUnavailableError } from "./database-error.ts";

export interface ConnectionProbeParts {
  readonly target: ConnectionTarget;
  /** Null: where nothing else was set for LISTEN. */
  readonly listenTarget: ConnectionTarget | null;
  readonly clock: Clock;
}

const roundTrips = 5;
const notifyLimitMs = 2_000;

/** Looks at the way to PostgreSQL with connections of its own, which also a pooler lets through. */
export async function probeConnection(parts: ConnectionProbeParts): Promise<ConnectionProbe> {
  const { clock } = parts;
  const clients: pg.Client[] = [];
  const open = async (target: ConnectionTarget) => {
    const client = await openClient(target, { application_name: "lockstep doctor", query_timeout: 5_000 });
    clients.push(client);
    return client;
  };
  try {
    const one = await open(parts.target);
    const other = await open(parts.target);
    const { roundTripMs, serverAheadMs } = await measure(one, clock);
    const pooler = await poolerBetween(one, other);
    const isInRecovery = await recoveryOf(one);
    const listenTarget = parts.listenTarget ?? (pooler === "transaction" ? null : parts.target);
    const isNotified =
      listenTarget === null || isInRecovery
        ? null
        : await hearsNotification(await open(listenTarget), other, clock);
    const encryption = encryptionOf(clientSocket(one) ?? {});
    return { roundTripMs, serverAheadMs, pooler, isNotified, isInRecovery, encryption };
  } catch (error) {
    throw new DatabaseUnavailableError(error);
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})));
  }
}

/** The fastest of a few round trips: a single slow one says nothing about the connection. */
async function measure(
  client: pg.Client,
  clock: Clock,
): Promise<Pick<ConnectionProbe, "roundTripMs" | "serverAheadMs">> {
  let roundTripMs = Number.POSITIVE_INFINITY;
  let serverAheadMs = 0;
  for (let index = 0; index < roundTrips; index += 1) {
    const sentAtMs = clock.monotonicMs();
    const sentAt = clock.now().getTime();
    const { rows } = await client.query("select clock_timestamp() as now");
    const spentMs = clock.monotonicMs() - sentAtMs;
    if (spentMs >= roundTripMs) continue;
    roundTripMs = spentMs;
    serverAheadMs = (rows[0].now as Date).getTime() - (sentAt + spentMs / 2);
  }
  return { roundTripMs, serverAheadMs };
}

/**
 * A pooler answers with a process number of its own making. In transaction mode a session that has its last server
 * taken away, by another that keeps it in a transaction, goes on with a different one.
 */
async function poolerBetween(one: pg.Client, other: pg.Client): Promise<ConnectionProbe["pooler"]> {
  const before = await backendOf(one);
  const claimed = (one as pg.Client & { processID?: number | null }).processID ?? before;
  await other.query("begin");
  try {
    await backendOf(other);
    if ((await backendOf(one)) !== before) return "transaction";
  } finally {
    await other.query("rollback");
  }
  return claimed === before ? "none" : "session";
}

async function recoveryOf(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query("select pg_is_in_recovery() as is_in_recovery");
  return rows[0].is_in_recovery;
}

async function backendOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query("select pg_backend_pid() as pid");
  return rows[0].pid;
}

async function hearsNotification(listener: pg.Client, sender: pg.Client, clock: Clock): Promise<boolean> {
  const channel = `lockstep_doctor_${randomBytes(6).toString("hex")}`;
  const heard = new AbortController();
  listener.on("notification", () => heard.abort());
  await listener.query(`listen ${channel}`);
  await sender.query(`notify ${channel}`);
  await clock.sleep(notifyLimitMs, heard.signal);
  return heard.signal.aborted;
}
