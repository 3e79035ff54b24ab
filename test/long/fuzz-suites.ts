import { ChaosDatabase } from "../chaos/chaos-database.ts";
import { fuzzSql } from "../fuzz/sql-fuzz.ts";
import { fuzzHttp } from "../scenarios/requests/fuzz-http.ts";
import { inRounds, type Round } from "./in-rounds.ts";
import { type LongSuite, replayOf } from "./long-suite.ts";

export const sqlFuzzSuite: LongSuite = {
  name: "fuzz-sql",
  sentence:
    "Every function of the SQL API with arguments that nobody means: refused as bad input or answered, never an internal error, and the invariants hold.",
  run: (order) =>
    inRounds(order, {
      name: "fuzz-sql",
      run: (seed) =>
        onFreshDatabase("fuzz-sql", seed, async (database) => {
          const client = await database.connect();
          try {
            const { calls, answered, mistakes } = await fuzzSql(client, { seed, callsEach: 200 });
            return { counts: { calls, answered }, failures: mistakes };
          } finally {
            await client.end();
          }
        }),
    }),
};

export const httpFuzzSuite: LongSuite = {
  name: "fuzz-http",
  sentence:
    "Requests made from the OpenAPI document, sound, spoilt and senseless: no 5xx, every refusal a problem, and nothing changes after a 4xx.",
  run: (order) =>
    inRounds(order, {
      name: "fuzz-http",
      run: (seed) =>
        onFreshDatabase("fuzz-http", seed, async (database) => {
          const { statuses, mistakes } = await fuzzHttp(database, { seed, requests: 5_000 });
          const requests = [...statuses.values()].reduce((sum, count) => sum + count, 0);
          return { counts: { requests }, failures: mistakes };
        }),
    }),
};

async function onFreshDatabase(
  name: string,
  seed: number,
  run: (database: ChaosDatabase) => Promise<Pick<Round, "counts" | "failures">>,
): Promise<Round> {
  const database = await ChaosDatabase.start();
  try {
    return { ...(await run(database)), replay: replayOf(name, seed) };
  } finally {
    await database.stop();
  }
}
