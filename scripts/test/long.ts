import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { slowness } from "../../test/chaos/slowness.ts";
import { replayOf } from "../../test/long/long-suite.ts";
import { type LongReport, reportPage, type SuiteReport, withSuites } from "../../test/long/report-page.ts";
import { longSuites } from "../../test/long/suites.ts";
import { readFlags } from "../read-flags.ts";
import { repository } from "../run-command.ts";

// npm run test:long -- --minutes 10 --only chaos,pg --seed 7; with --replay one round of each, and no report
const values = readFlags("npm run test:long --", {
  minutes: { type: "string", about: "of each suite; 5 if it is not said" },
  only: { type: "string", about: "which suites, by name, with commas" },
  seed: { type: "string", about: "whose chance; another each time if there is none" },
  replay: { type: "boolean", about: "one round of each, and no report" },
});
const minutes = values.replay ? 0 : Number(values.minutes ?? 5);
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
const known = longSuites.map(({ name }) => name);
const names = values.only?.split(",") ?? known;
const unknown = names.find((name) => !known.includes(name));
if (unknown !== undefined) throw new Error(`There is no suite "${unknown}", only ${known.join(", ")}.`);

const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: repository, encoding: "utf8" });
const machine = { cores: availableParallelism(), node: process.versions.node, slowness: slowness() };
const run: SuiteReport[] = [];
for (const suite of longSuites.filter(({ name }) => names.includes(name))) {
  console.log(`\n${suite.name}: ${suite.sentence}`);
  const beganMs = performance.now();
  const tell = (text: string) => console.log(`  ${text}`);
  const outcome = await suite.run({ seed, minutes, tell }).catch((error: unknown) => ({
    figures: {},
    failures: [`It broke off. ${error}`],
    replay: replayOf(suite.name, seed),
  }));
  run.push({
    name: suite.name,
    sentence: suite.sentence,
    minutes: (performance.now() - beganMs) / 60_000,
    commit: commit.trim(),
    day: new Date().toISOString().slice(0, 10),
    seed,
    ...machine,
    ...outcome,
  });
  if (!values.replay) write(run);
}
const failed = run.filter(({ failures }) => failures.length > 0);
for (const { name, failures, replay } of failed) console.log(`\n${name}\n${failures.join("\n")}\n${replay}`);
console.log(`\n${run.length - failed.length} passed, ${failed.length} failed`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** After each suite: a run that is cut short has still told what it found. */
function write(suites: readonly SuiteReport[]): void {
  const folder = join(repository, "docs/reliability");
  const file = join(folder, "latest.json");
  mkdirSync(folder, { recursive: true });
  const last: LongReport = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : { suites: [] };
  const report = withSuites(last, suites, known);
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
  writeFileSync(join(folder, "README.md"), reportPage(report));
}
