import { writeFile } from "node:fs/promises";
import type { Kill } from "./hunt.ts";

/** docs/reliability/mutants.md. */
export async function writeMutantsPage(kills: readonly Kill[]): Promise<void> {
  const page = new URL("../../docs/reliability/mutants.md", import.meta.url);
  await writeFile(page, `${introduction}\n${mutantsTable(kills)}\n`);
}

export function mutantsTable(kills: readonly Kill[]): string {
  const rows = kills.map(({ mutant, isKilled, suite, after }) => {
    return `| ${mutant.name} | ${mutant.change} | ${isKilled ? `\`${suite}\`` : "**survived**"} | ${after} |`;
  });
  return ["| | the fault | found by | after |", "| - | - | - | - |", ...rows].join("\n");
}

const introduction = `# Faults that the tests must find

Each line is a fault as somebody once shipped it, put into this code for one run: \`npm run test:mutants\` does so, fails when
one of them survives, and writes this page. \`npm run test:mutants -- M2 R4\` runs some. A suite that does not find the
faults it is there for proves nothing by passing.
`;
