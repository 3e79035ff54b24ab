import { runVitest } from "../../scripts/run-vitest.ts";
import type { MigratedDatabases } from "../model/migrated-databases.ts";
import { runModel } from "../model/run-model.ts";
import { runPairs } from "../pairs/run-pairs.ts";
import { type Mutant, sqlOf } from "./mutant.ts";

/** A mutant must die within so many runs of the model. */
const modelRuns = 500;

export interface Kill {
  readonly mutant: Mutant;
  readonly isKilled: boolean;
  /** Which suite was to find it. */
  readonly suite: string;
  /** Runs of the model, cases of pairs or failed tests until it was found. */
  readonly after: string;
  readonly tookMs: number;
}

/** Sets the suite that claims to find a mutant on it. */
export async function hunt(mutant: Mutant, databases: MigratedDatabases): Promise<Kill> {
  const beganAtMs = performance.now();
  const found = await run(mutant, databases);
  return { mutant, ...found, tookMs: performance.now() - beganAtMs };
}

async function run(mutant: Mutant, databases: MigratedDatabases): Promise<Omit<Kill, "mutant" | "tookMs">> {
  const { killer } = mutant;
  if (killer.suite === "tests") {
    // biome-ignore lint/style/noProcessEnv: the tests need the environment of this process, and the mutant's name.
    const env = { ...process.env, LOCKSTEP_MUTANT: mutant.name };
    const title = killer.title ? ["--testNamePattern", killer.title] : [];
    const config = ["--config", "test/mutants/vitest.config.ts"];
    const { failed, passed } = await runVitest([...config, killer.file, ...title], env);
    // A run without any test would be a failure too, and prove nothing.
    const isKilled = failed > 0 && failed + passed > 0;
    return { isKilled, suite: killer.file, after: `${failed} failed` };
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
