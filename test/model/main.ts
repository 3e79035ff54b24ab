// biome-ignore-all lint/suspicious/noConsole: what it prints is what this program is for.
import { randomInt } from "node:crypto";
import { readFlags } from "../../scripts/read-flags.ts";
import { migratedDatabases } from "./migrated-databases.ts";
import { runModel } from "./run-model.ts";

// npm run test:model -- [--runs N] [--seed N] [--path P --replay R]
const values = readFlags("npm run test:model --", {
  runs: { type: "string", about: "how many; 300 if it is not said" },
  seed: { type: "string", about: "whose moves; by chance if there is none" },
  path: { type: "string", about: "the path of a run that failed, as its report tells" },
  replay: { type: "string", about: "and its replay path" },
});
const seed = Number(values.seed ?? randomInt(2 ** 31));
const databases = await migratedDatabases();
try {
  const client = await (await databases.clone()).connect();
  const runs = Number(values.runs ?? 300);
  const report = await runModel(client, { seed, runs, path: values.path, replayPath: values.replay });
  if (report.failure !== null) {
    process.exitCode = 1;
    console.log(`${report.failure.text}\n\nTo see it again:\n  ${report.failure.replay}`);
  } else console.log(`seed ${seed}: ${report.runs} runs, no divergence`);
} finally {
  await databases.stop();
}
