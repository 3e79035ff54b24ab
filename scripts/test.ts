import { ensureChromium } from "./ensure-chromium.ts";
import { programOf, runNode } from "./run-command.ts";
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
for (const [title, args] of checks) {
  console.log(`\n${title}`);
  const code = await runNode(args);
  tally.add(code === 0 ? { passed: 1 } : { failed: 1 });
}
console.log("\nTests");
const withoutBrowser = ensureChromium();
if (withoutBrowser !== null) console.log(withoutBrowser);
tally.add(await runVitest(process.argv.slice(2)));
tally.finish();
