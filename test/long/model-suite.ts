import { migratedDatabases } from "../model/migrated-databases.ts";
import { runModel } from "../model/run-model.ts";
import { inRounds } from "./in-rounds.ts";
import { type LongSuite, replayOf } from "./long-suite.ts";

const runsPerRound = 500;
/** What a whole run comes to, however long that takes; one that is to be shorter than by default is as short as it is to be. */
const wholeRun = { minutes: 5, runs: 20_000 };

export const modelSuite: LongSuite = {
  name: "model",
  sentence:
    "Random moves on a small model of the promises and on PostgreSQL, up to 60 each, 20,000 times however long that takes when five minutes or more are given: no answer and no state differs.",
  run: (order) =>
    inRounds(order, {
      name: "model",
      least: order.minutes < wholeRun.minutes ? {} : { runs: wholeRun.runs },
      async run(seed) {
        const databases = await migratedDatabases();
        try {
          const client = await (await databases.clone()).connect();
          const { runs, failure } = await runModel(client, { seed, runs: runsPerRound });
          return {
            counts: { runs },
            failures: failure === null ? [] : [failure.text],
            replay: failure?.replay ?? replayOf("model", seed),
          };
        } finally {
          await databases.stop();
        }
      },
    }),
};
