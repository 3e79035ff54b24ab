import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { fuzzHttp } from "./fuzz-http.ts";

const db = testDatabase();
// Another number tells another story; a failure names its own. The long run tells more of them.
const seed = 20_261_116;
const requests = 1_000;

test(`${requests} requests, sound and senseless, are all answered without a 5xx, and a 4xx changes nothing`, async () => {
  const { statuses, mistakes } = await fuzzHttp(db, { seed, requests });
  expect(mistakes).toEqual([]);
  // The mixture is one: much of it gets through, and much is refused.
  const share = (from: number, to: number) =>
    [...statuses]
      .filter(([status]) => status >= from && status < to)
      .reduce((sum, [, count]) => sum + count, 0) / requests;
  expect(share(200, 300)).toBeGreaterThan(0.15);
  expect(share(400, 500)).toBeGreaterThan(0.3);
}, 300_000);
