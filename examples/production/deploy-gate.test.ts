import { JobFactory, testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { runExample } from "../run-example.ts";

const db = testDatabase();
const jobs = new JobFactory(db);

test("the gate is open while the code can run what is in flight, and shut when it cannot", async () => {
  const env = { DATABASE_URL: db.url };
  await jobs.aPipeline("orders", ["read", "pack", "send"]);
  await jobs.aPendingJob({ payload: { order: 1, currency: "CHF" } });
  expect(await runExample("production/deploy-gate.ts", { env })).toMatchObject({ errors: "", code: 0 });

  const old = await jobs.aPendingJob({ payload: { order: 2 } });
  const shut = await runExample("production/deploy-gate.ts", { env });
  expect(shut.code).toBe(1);
  expect(shut.errors).toMatch(
    /^1 job in flight in orders\/read with a payload that the pipeline's schema refuses/,
  );
  expect(shut.errors).toContain(old);
}, 60_000);
