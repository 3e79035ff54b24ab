import { runVitest } from "../../scripts/test/run-vitest.ts";
import { type MigratedDatabases, migratedDatabases } from "../model/migrated-databases.ts";
import { runModel } from "../model/run-model.ts";
import { runPairs } from "../pairs/run-pairs.ts";
import { type Mutant, mutatedFiles, sqlOf } from "./mutant.ts";

/** A mutant must die within so many runs of the model. */
const modelRuns = 500;

export interface Kill {
  readonly mutant: Mutant;
  readonly isKilled: boolean;
  /** Which suite was to find it. */
  readonly suite: string;
  /** Runs of the model, cases of pairs or failed tests until it was found. */
  readonly after: string;
}

/** Sets on each mutant the suite that claims to find it. */
export async function hunt(mutants: readonly Mutant[], tell: (sentence: string) => void): Promise<Kill[]> {
  const kills: Kill[] = [];
  const databases = await migratedDatabases();
  try {
    for (const mutant of mutants) {
      const beganAtMs = performance.now();
      const found = await run(mutant, databases);
      const tookSeconds = ((performance.now() - beganAtMs) / 1_000).toFixed(1);
      kills.push({ mutant, ...found });
      const { isKilled, suite, after } = found;
      tell(`${mutant.name}: ${isKilled ? "killed by" : "SURVIVED"} ${suite}, ${after}, ${tookSeconds} s`);
    }
    return kills;
  } finally {
    await databases.stop();
  }
}

async function run(mutant: Mutant, databases: MigratedDatabases): Promise<Omit<Kill, "mutant">> {
  const { killer } = mutant;
  // One that no longer fits is an error here; in the tests it would pass for a kill.
  await mutatedFiles(mutant);
  if (killer.suite === "tests") {
    // biome-ignore lint/style/noProcessEnv: the tests need the environment of this process, and the mutant's name.
    const env = { ...process.env, LOCKSTEP_MUTANT: mutant.name };
    const title = killer.title ? ["--testNamePattern", killer.title] : [];
    const config = ["--config", "test/mutants/vitest.config.ts"];
    const { failed } = await runVitest([...config, killer.file, ...title], env);
    return { isKilled: failed > 0, suite: killer.file, after: `${failed} failed` };
  }

  const database = await databases.clone();
  const client = await database.connect();
  await client.query(await sqlOf(mutant));
  if (killer.suite === "pairs") {
    const { cases, failure } = await runPairs(() => database.connect());
    return { isKilled: failure !== null, suite: "test/pairs", after: `${cases} cases` };
  }
  const { seed } = killer;
  const { runs, failure } = await runModel(client, { seed, runs: modelRuns, isLeftLong: true });
  return {
    isKilled: failure !== null,
    suite: `test/model, seed ${seed}`,
    after: runs === 1 ? "1 run" : `${runs} runs`,
  };
}
