import type { ConnectionOptions } from "./connecting/connection-options.ts";
import { connectionTarget } from "./connecting/connection-target.ts";
import { openClient } from "./connecting/open-client.ts";
import { refusedConnection } from "./migrating/migrate-error.ts";

export interface ServerTimes {
  /** The round trip of an empty statement. */
  readonly roundTripMs: readonly number[];
  /** The same with a commit that has to reach the disk. */
  readonly commitMs: readonly number[];
}

/** How long the server takes for the smallest statements. No queue on it can be faster. */
export async function measureServer(options: ConnectionOptions & { samples: number }): Promise<ServerTimes> {
  const target = connectionTarget(options, refusedConnection);
  const client = await openClient(target, { application_name: "lockstep bench", query_timeout: 10_000 });
  try {
    const times = async (text: string) => {
      const spentMs: number[] = [];
      for (let index = 0; index < options.samples; index += 1) {
        const beganMs = performance.now();
        await client.query(text);
        spentMs.push(performance.now() - beganMs);
      }
      return spentMs;
    };
    // The first statement is slower, and is not measured.
    await client.query("select 1");
    return {
      roundTripMs: await times("select 1"),
      // Writes to the WAL and nowhere else.
      commitMs: await times("select pg_logical_emit_message(true, 'lockstep', 'bench')"),
    };
  } finally {
    await client.end();
  }
}
