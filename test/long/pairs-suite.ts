import { migratedDatabases } from "../model/migrated-databases.ts";
import { runPairs } from "../pairs/run-pairs.ts";
import type { LongSuite } from "./long-suite.ts";

export const pairsSuite: LongSuite = {
  name: "pairs",
  sentence:
    "Each pair of twelve moves on one job, the first committed, holding its locks or rolled back: what comes of them is what comes of them one after the other.",
  async run() {
    const databases = await migratedDatabases();
    try {
      const database = await databases.clone();
      const { cases, failure } = await runPairs(() => database.connect());
      return {
        figures: { cases },
        failures: failure === null ? [] : [failure],
        replay: "npx vitest run test/pairs",
      };
    } finally {
      await databases.stop();
    }
  },
};
