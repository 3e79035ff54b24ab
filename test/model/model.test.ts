import { randomInt } from "node:crypto";
import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { runModel } from "./run-model.ts";

const db = testDatabase();
const seeds = [1, 2, 3, randomInt(2 ** 31)];

test.each(seeds)("PostgreSQL answers as the model does, whatever clients do (seed %i)", async (seed) => {
  const { failure } = await runModel(await db.connect(), { seed, runs: 50 });
  expect(failure && `${failure.text}\n\n${failure.replay}`).toBe(null);
});
