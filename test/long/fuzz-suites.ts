import { ChaosDatabase } from "../chaos/chaos-database.ts";
import { fuzzSql } from "../fuzz/sql-fuzz.ts";
import { fuzzHttp } from "../scenarios/requests/fuzz-http.ts";
import type { LongSuite, SuiteOrder, SuiteOutcome } from "./long-suite.ts";

type Round = (
  database: ChaosDatabase,
  seed: number,
) => Promise<{ figures: Record<string, number>; mistakes: readonly string[] }>;

export const sqlFuzzSuite: LongSuite = {
  name: "fuzz-sql",
  sentence:
    "Every function of the SQL API with arguments that nobody means: refused as bad input or answered, never an internal error, and the invariants hold.",
  run: (order) =>
    inRounds(order, async (database, seed) => {
      const client = await database.connect();
      try {
        const { calls, answered, mistakes } = await fuzzSql(client, { seed, callsEach: 200 });
        return { figures: { calls, answered }, mistakes };
      } finally {
        await client.end();
      }
    }),
};

export const httpFuzzSuite: LongSuite = {
  name: "fuzz-http",
  sentence:
    "Requests made from the OpenAPI document, sound, spoilt and senseless: no 5xx, every refusal a problem, and nothing changes after a 4xx.",
  run: (order) =>
    inRounds(order, async (database, seed) => {
      const { statuses, mistakes } = await fuzzHttp(database, { seed, requests: 5_000 });
      return {
        figures: { requests: [...statuses.values()].reduce((sum, count) => sum + count, 0) },
        mistakes,
      };
    }),
};

/** Rounds with a seed and a database of their own. */
async function inRounds({ seed, minutes, tell }: SuiteOrder, round: Round): Promise<SuiteOutcome> {
  const endMs = performance.now() + minutes * 60_000;
  const figures: Record<string, number> = { rounds: 0 };
  const failures: string[] = [];
  for (let number = 0; number === 0 || performance.now() < endMs; number += 1) {
    tell(`Round ${number + 1}, seed ${seed + number}`);
    const database = await ChaosDatabase.start();
    try {
      const outcome = await round(database, seed + number);
      failures.push(...outcome.mistakes);
      for (const [name, count] of Object.entries({ rounds: 1, ...outcome.figures })) {
        figures[name] = (figures[name] ?? 0) + count;
      }
    } finally {
      await database.stop();
    }
  }
  return { figures, failures, replay: "" };
}
