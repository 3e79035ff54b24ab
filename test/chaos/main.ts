import { parseArgs } from "node:util";
import { type ChaosOptions, defaultOptions, replayCommand } from "./chaos-options.ts";
import { chaosRun } from "./chaos-run.ts";

// npm run chaos -- --seed 7 --seconds 60 --kinds kill,freeze
const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    seconds: { type: "string" },
    faults: { type: "string" },
    kinds: { type: "string" },
    workers: { type: "string" },
    apis: { type: "string" },
    leaseMs: { type: "string" },
    liveJobs: { type: "string" },
    refusals: { type: "string" },
    promptShare: { type: "string" },
    pooler: { type: "boolean" },
  },
});
const { kinds, pooler, ...amounts } = values;
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
