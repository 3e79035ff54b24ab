/* biome-ignore-all lint/suspicious/noConsole: this program's output is what it is for. */
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { migratedDatabase } from "./migrated-database.ts";
import { runModel } from "./run-model.ts";

// npm run test:model -- [--runs N] [--seed N] [--path P --replay R]
const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "300" },
    seed: { type: "string" },
    path: { type: "string" },
    replay: { type: "string" },
  },
});
const seed = Number(values.seed ?? randomInt(2 ** 31));
const database = await migratedDatabase();
try {
  const report = await runModel(database.client, {
    seed,
    runs: Number(values.runs),
    path: values.path,
    replayPath: values.replay,
  });
  if (report.failure !== null) {
    process.exitCode = 1;
    console.log(`${report.failure.text}\n\nTo see it again:\n  ${report.failure.replay}`);
  } else console.log(`seed ${seed}: ${report.runs} runs, no divergence`);
} finally {
  await database.stop();
}
