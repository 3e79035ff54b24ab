import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { runModel } from "../model/run-model.ts";
import { cureOf, mutatedFiles, sqlOf } from "./mutant.ts";
import { mutantNamed, mutants } from "./mutants.ts";

const db = testDatabase();

// The most telling ones, from the seed that finds them soon; npm run test:mutants finds them all.
test.each(["M2", "M3", "M4", "M6", "M9", "M10", "M13", "M16", "M27"])(
  "the model finds mutant %s",
  async (name) => {
    const mutant = mutantNamed(name);
    const client = await db.connect();
    await client.query(await sqlOf(mutant));
    const seed = mutant.killer.suite === "model" ? mutant.killer.seed : 1;
    const { failure } = await runModel(client, { seed, runs: 40, isLeftLong: true });
    await client.query(await cureOf(mutant));
    expect(failure).not.toBe(null);
  },
);

test("every mutant still fits the code it changes", async () => {
  for (const mutant of mutants) await mutatedFiles(mutant);
});
