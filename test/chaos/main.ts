import { readFlags } from "../../scripts/read-flags.ts";
import { type ChaosOptions, defaultOptions, replayCommand } from "./chaos-options.ts";
import { chaosRun } from "./chaos-run.ts";

// npm run chaos -- --seed 7 --seconds 60 --kinds kill,freeze
const { kinds, pooler, ...amounts } = readFlags("npm run chaos --", {
  seed: { type: "string", about: "whose jobs and faults; by chance if there is none" },
  seconds: { type: "string", about: "the least time in which faults are dealt out" },
  faults: { type: "string", about: "the least number of them" },
  kinds: { type: "string", about: "which, by name, with commas; each as often as it is named" },
  workers: { type: "string", about: "how many processes work" },
  apis: { type: "string", about: "how many serve the HTTP API" },
  leaseMs: { type: "string", about: "the lease on a quiet machine" },
  liveJobs: { type: "string", about: "how many jobs are unfinished at any time" },
  refusals: { type: "string", about: "the least share of faults with a refused word of a stale claim" },
  promptShare: { type: "string", about: "the least share of lost jobs that come back in time" },
  pooler: { type: "boolean", about: "lead the workers through PgBouncer" },
});
const options: ChaosOptions = {
  seed: Math.floor(Math.random() * 1_000_000),
  ...defaultOptions,
  ...Object.fromEntries(Object.entries(amounts).map(([name, text]) => [name, Number(text)])),
  ...(kinds !== undefined && { kinds: kinds.split(",") }),
  ...(pooler && { pooler }),
};
const say = (text: string) => void process.stdout.write(`${text}\n`);
say(replayCommand(options));
const report = await chaosRun(options, { tell: say });
say(JSON.stringify(report, null, 2));
process.exitCode = report.violations.length === 0 ? 0 : 1;
