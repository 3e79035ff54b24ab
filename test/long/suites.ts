import { mixedProcessFaults } from "../chaos/chaos-options.ts";
import { databaseFaults } from "../chaos/faults/database-faults.ts";
import { networkFaults } from "../chaos/faults/network-faults.ts";
import { chaosSuite } from "./chaos-suite.ts";
import { frameworksSuite } from "./frameworks-suite.ts";
import { httpFuzzSuite, sqlFuzzSuite } from "./fuzz-suites.ts";
import type { LongSuite } from "./long-suite.ts";
import { modelSuite } from "./model-suite.ts";
import { mutantsSuite } from "./mutants-suite.ts";
import { ocrSuite } from "./ocr-suite.ts";
import { pairsSuite } from "./pairs-suite.ts";

const kept =
  "passes when nothing acknowledged is lost, nothing ends twice, no word of a stale claim is taken, every job ends, and lost jobs are claimed again within three leases";
const processes = mixedProcessFaults;
const database = Object.keys(databaseFaults);
const network = Object.keys(networkFaults);

/** All long runs, in the order they are run. */
export const longSuites: readonly LongSuite[] = [
  chaosSuite(
    "chaos",
    `Six workers and two servers of which processes die, freeze, leave and block: ${kept}.`,
    {
      kinds: processes,
    },
  ),
  chaosSuite(
    "pg",
    `The same while PostgreSQL crashes, restarts, runs out of connections or is read-only: ${kept}.`,
    {
      kinds: [...database, ...processes],
      workers: 4,
      liveJobs: 40,
      refusals: 0,
    },
  ),
  chaosSuite(
    "net",
    `The same while connections are reset, held up, slowed down or lose their replies: ${kept}.`,
    {
      kinds: [...network, ...processes],
      workers: 4,
      liveJobs: 40,
      refusals: 0,
    },
  ),
  chaosSuite("pooler", `Chaos of processes through PgBouncer in transaction mode: ${kept}.`, {
    kinds: processes,
    workers: 4,
    liveJobs: 40,
    refusals: 0.1,
    pooler: true,
  }),
  mutantsSuite,
  modelSuite,
  pairsSuite,
  sqlFuzzSuite,
  httpFuzzSuite,
  frameworksSuite,
  ocrSuite,
];
