import { ensureChromium } from "./ensure-chromium.ts";
import { hearNode, programOf } from "./run-command.ts";
import { runVitest } from "./run-vitest.ts";
import { Tally } from "./tally.ts";

// Everything that must hold, with nothing installed but Node and npm. Arguments choose test files.
const checks: [title: string, args: string[]][] = [
  ["Format and lint", [...programOf("@biomejs/biome", "biome"), "check", "."]],
  ["Arrows", ["--conditions=source", "--import", "tsx", "scripts/check-arrows.ts"]],
  ["Types", [...programOf("typescript", "tsc"), "--noEmit"]],
  // With a browser's types, which nothing else may use.
  ["Types of the console", [...programOf("typescript", "tsc"), "--noEmit", "-p", "packages/console"]],
  ["Types of entries", [...programOf("typescript", "tsc"), "--noEmit", "-p", "apps/entries"]],
  ["Types of a page", [...programOf("typescript", "tsc"), "--noEmit", "-p", "apps/daily-brief/page"]],
];

const tally = new Tally();
// All at once, since none of them fills the machine for long; told one after the other.
const heard = checks.map(([title, args]) => ({ title, end: hearNode(args) }));
for (const { title, end } of heard) {
  console.log(`\n${title}`);
  const { code, output } = await end;
  process.stdout.write(output);
  tally.add(code === 0 ? { passed: 1 } : { failed: 1 });
}
console.log("\nTests");
const withoutBrowser = ensureChromium();
if (withoutBrowser !== null) console.log(withoutBrowser);
tally.add(await runVitest(process.argv.slice(2)));
tally.finish();
