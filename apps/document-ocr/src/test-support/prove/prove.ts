import { documentsForTwo, documentsOf } from "./corpus-documents.ts";
import { eachOnce } from "./each-once.ts";
import { killWorker } from "./kill-worker.ts";
import { poisonDocument } from "./poison-document.ts";
import { ProvingGround } from "./proving-ground.ts";
import { twoWorkers } from "./two-workers.ts";

const parts: Readonly<Record<string, (ground: ProvingGround) => Promise<string[]>>> = {
  "each-once": async (ground) => eachOnce(ground, await documentsOf()),
  "kill-worker": async (ground) => killWorker(ground, await documentsOf("long")),
  "poison-document": async (ground) => poisonDocument(ground, await documentsOf("text")),
  "two-workers": async (ground) => {
    const { problems } = await twoWorkers(ground, await documentsForTwo(), (text) => ground.say(text));
    return [...problems];
  },
};

// Which parts to prove; all of them by default.
const asked = process.argv.slice(2);
for (const [name, prove] of Object.entries(parts)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const ground = await ProvingGround.open();
  ground.say(name);
  try {
    const problems = await prove(ground);
    for (const problem of problems) ground.say(`  WRONG: ${problem}`);
    if (problems.length > 0) process.exitCode = 1;
  } finally {
    await ground.close();
  }
}
