// biome-ignore-all lint/suspicious/noConsole: what it prints is what whoever runs the checks wants to read.
import { hearNode, programOf } from "../run-command.ts";
import type { Tally } from "../tally.ts";

const checks: [title: string, args: string[]][] = [
  ["Format and lint", [...programOf("@biomejs/biome", "biome"), "check", "."]],
  ["Arrows", ["--conditions=@lockstep/source", "--import", "tsx", "scripts/arrows/check-arrows.ts"]],
  ["Types", [...programOf("typescript", "tsc"), "--noEmit"]],
  // With a browser's types, which nothing else may use.
  ["Types of the console", [...programOf("typescript", "tsc"), "--noEmit", "-p", "packages/console"]],
  ["Types of entries", [...programOf("typescript", "tsc"), "--noEmit", "-p", "apps/entries"]],
  ["Types of a page", [...programOf("typescript", "tsc"), "--noEmit", "-p", "apps/daily-brief/page"]],
  [
    "Types of another page",
    [...programOf("typescript", "tsc"), "--noEmit", "-p", "apps/website-analysis/page"],
  ],
];

/** All at once, since none of them fills the machine for long; told one after the other. */
export async function runChecks(tally: Tally): Promise<void> {
  const heard = checks.map(([title, args]) => ({ title, end: hearNode(args) }));
  for (const { title, end } of heard) {
    console.log(`\n${title}`);
    const { code, output } = await end;
    process.stdout.write(output);
    tally.add(code === 0 ? { passed: 1 } : { failed: 1 });
  }
}
