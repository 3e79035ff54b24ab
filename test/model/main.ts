// biome-ignore-all lint/suspicious/noConsole: what it prints is what this program is for.
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { migratedDatabases } from "./migrated-databases.ts";
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
const databases = await migratedDatabases();
try {
  const client = await (await databases.clone()).connect();
  const runs = Number(values.runs);
  const report = await runModel(client, { seed, runs, path: values.path, replayPath: values.replay });
  if (report.failure !== null) {
    process.exitCode = 1;
    console.log(`${report.failure.text}\n\nTo see it again:\n  ${report.failure.replay}`);
  } else console.log(`seed ${seed}: ${report.runs} runs, no divergence`);
} finally {
  await databases.stop();
}
