// biome-ignore-all lint/suspicious/noConsole: what it prints is what this program is for.
import { hunt } from "./hunt.ts";
import { mutantNamed, mutants } from "./mutants.ts";
import { mutantsTable, writeMutantsPage } from "./mutants-page.ts";

// npm run test:mutants [-- M2 R4 …]: which suite finds each fault. All of them are also written to docs/reliability/mutants.md.
const names = process.argv.slice(2);
const chosen = names.length === 0 ? mutants : names.map(mutantNamed);
const kills = await hunt(chosen, (sentence) => console.log(sentence));
const survivors = kills.filter(({ isKilled }) => !isKilled);
console.log(
  `\n${mutantsTable(kills)}\n\n${kills.length - survivors.length} killed, ${survivors.length} survived`,
);
if (survivors.length > 0) process.exitCode = 1;
else if (names.length === 0) await writeMutantsPage(kills);
