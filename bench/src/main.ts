import { fileURLToPath } from "node:url";
import { type BenchOptions, readBenchOptions } from "./plan/bench-options.ts";
import { tableOf, writeReport } from "./results/report.ts";
import { runBench } from "./run-bench.ts";

// So that what was started is ended on Ctrl-C too.
process.on("SIGINT", () => process.exit(130));
process.on("SIGTERM", () => process.exit(143));

const results = fileURLToPath(new URL("../results", import.meta.url));
const usage = `npm run bench --                     full sizes, three rounds
  --quick                            each part small, within three minutes
  --smoke                            whether all of it works; its numbers mean nothing
  --parts drain,idle-latency         those whose names begin so
  --contenders lockstep,pg-boss
  --rounds 5
  --postgres /usr/lib/postgresql/17  on this PostgreSQL, with JIT say; its results are printed and not kept
  --before ../lockstep-before        beside the Lockstep of another checkout, with its packages installed
`;

function optionsOrUsage(args: readonly string[]): BenchOptions {
  if (args.includes("--help")) {
    process.stdout.write(usage);
    process.exit(0);
  }
  try {
    return readBenchOptions(args);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    process.exit(2);
  }
}

const options = optionsOrUsage(process.argv.slice(2));
const report = await runBench(options, (line) => process.stdout.write(`${line}\n`));
// A smoke run's numbers mean nothing, and those of another server have no place beside the kept ones.
if (options.size.name !== "smoke" && options.postgres === null) await writeReport(results, options, report);
process.stdout.write(`\n${tableOf(report.rows)}\n\n${Math.round(report.tookMs / 1_000)} seconds.\n`);
