// biome-ignore-all lint/suspicious/noConsole: what it prints is what this program is for.
import { writeFile } from "node:fs/promises";
import { migratedDatabases } from "../model/migrated-databases.ts";
import { hunt, type Kill } from "./hunt.ts";
import { mutantNamed, mutants } from "./mutants.ts";

// npm run test:mutants [-- M2 R4 …]: which suite finds each fault. All of them are also written to docs/reliability/mutants.md.
const names = process.argv.slice(2);
const chosen = names.length === 0 ? mutants : names.map(mutantNamed);
const kills: Kill[] = [];
const databases = await migratedDatabases();
try {
  for (const mutant of chosen) {
    const kill = await hunt(mutant, databases);
    kills.push(kill);
    console.log(lineOf(kill));
  }
} finally {
  await databases.stop();
}

const survivors = kills.filter(({ isKilled }) => !isKilled);
const table = tableOf(kills);
console.log(`\n${table}\n\n${kills.length - survivors.length} killed, ${survivors.length} survived`);
if (survivors.length > 0) process.exitCode = 1;
else if (names.length === 0) {
  const page = new URL("../../docs/reliability/mutants.md", import.meta.url);
  await writeFile(page, pageOf(table));
}

function lineOf({ mutant, isKilled, suite, after, tookMs }: Kill): string {
  const took = `${(tookMs / 1_000).toFixed(1)} s`;
  return `${mutant.name}: ${isKilled ? "killed by" : "SURVIVED"} ${suite}, ${after}, ${took}`;
}

function tableOf(all: readonly Kill[]): string {
  const rows = all.map(({ mutant, isKilled, suite, after }) => {
    return `| ${mutant.name} | ${mutant.change} | ${isKilled ? `\`${suite}\`` : "**survived**"} | ${after} |`;
  });
  return ["| | the fault | found by | after |", "| - | - | - | - |", ...rows].join("\n");
}

function pageOf(text: string): string {
  return `# Faults that the tests must find

Each line is a fault as somebody once shipped it, put into this code for one run: \`npm run test:mutants\` does so, fails when
one of them survives, and writes this page. \`npm run test:mutants -- M2 R4\` runs some. A suite that does not find the
faults it is there for proves nothing by passing.

${text}
`;
}
