import { fileURLToPath } from "node:url";
import { readBenchOptions } from "./bench-options.ts";
import { tableOf, writeReport } from "./report.ts";
import { runBench } from "./run-bench.ts";

// So that what was started is ended on Ctrl-C too.
process.on("SIGINT", () => process.exit(130));
process.on("SIGTERM", () => process.exit(143));

const results = fileURLToPath(new URL("../results", import.meta.url));
const options = readBenchOptions(process.argv.slice(2));
const report = await runBench(options, (line) => process.stdout.write(`${line}\n`));
// A smoke run's numbers mean nothing.
if (options.size.name !== "smoke") await writeReport(results, options, report);
process.stdout.write(`\n${tableOf(report.rows)}\n\n${Math.round(report.tookMs / 1_000)} seconds.\n`);
