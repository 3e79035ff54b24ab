import { hunt } from "../mutants/hunt.ts";
import { mutants } from "../mutants/mutants.ts";
import { writeMutantsPage } from "../mutants/mutants-page.ts";
import type { LongSuite } from "./long-suite.ts";

export const mutantsSuite: LongSuite = {
  name: "mutants",
  sentence:
    "The faults of [mutants.md](mutants.md), each put into the code once, however long that takes: passes when the suite that is there for it finds each.",
  async run({ tell }) {
    const kills = await hunt(mutants, tell);
    const survivors = kills.filter(({ isKilled }) => !isKilled);
    if (survivors.length === 0) await writeMutantsPage(kills);
    return {
      figures: { mutants: kills.length, killed: kills.length - survivors.length },
      failures: survivors.map(({ mutant, suite }) => `${mutant.name} survived ${suite}: ${mutant.change}.`),
      replay: `npm run test:mutants${survivors.length === 0 ? "" : ` -- ${survivors.map(({ mutant }) => mutant.name).join(" ")}`}`,
    };
  },
};
