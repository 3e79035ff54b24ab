import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { slowness } from "../test/chaos/slowness.ts";
import { type LongReport, reportPage } from "../test/long/report-page.ts";
import { longSuites } from "../test/long/suites.ts";
import { repository } from "./run-command.ts";

// npm run test:long -- --minutes 10 --only chaos,pg --seed 7
const { values } = parseArgs({
  options: { minutes: { type: "string" }, only: { type: "string" }, seed: { type: "string" } },
});
const minutes = Number(values.minutes ?? 5);
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
const names = values.only?.split(",") ?? longSuites.map(({ name }) => name);
const unknown = names.find((name) => !longSuites.some((suite) => suite.name === name));
if (unknown !== undefined) {
  throw new Error(`There is no suite "${unknown}", only ${longSuites.map(({ name }) => name).join(", ")}.`);
}

const machine = { cores: availableParallelism(), node: process.versions.node, slowness: slowness() };
const suites: LongReport["suites"][number][] = [];
for (const { name, sentence, run } of longSuites.filter((suite) => names.includes(suite.name))) {
  console.log(`\n${name}: ${sentence}`);
  const beganMs = performance.now();
  const outcome = await run({ seed, minutes, tell: (text) => console.log(`  ${text}`) });
  suites.push({ name, sentence, minutes: (performance.now() - beganMs) / 60_000, ...outcome });
}

const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], {
  cwd: repository,
  encoding: "utf8",
}).trim();
const report: LongReport = { commit, day: new Date().toISOString().slice(0, 10), seed, machine, suites };
const folder = join(repository, "docs/reliability");
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "latest.json"), `${JSON.stringify(report, null, 2)}\n`);
writeFileSync(join(folder, "README.md"), reportPage(report));
const failed = suites.filter(({ failures }) => failures.length > 0);
console.log(`\n${suites.length - failed.length} passed, ${failed.length} failed: docs/reliability/README.md`);
process.exitCode = failed.length === 0 ? 0 : 1;
