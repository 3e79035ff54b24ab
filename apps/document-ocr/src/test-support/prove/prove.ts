import { corpusDocuments } from "./corpus-documents.ts";
import { eachOnce } from "./each-once.ts";
import { killWorker } from "./kill-worker.ts";
import { poisonDocument } from "./poison-document.ts";
import { ProvingGround } from "./proving-ground.ts";
import { twoWorkers } from "./two-workers.ts";

const documents = await corpusDocuments();
const parts: Readonly<Record<string, (ground: ProvingGround) => Promise<string[]>>> = {
  "each-once": (ground) => eachOnce(ground, documents.all),
  "kill-worker": (ground) => killWorker(ground, documents.long),
  "poison-document": (ground) => poisonDocument(ground, documents.short),
  "two-workers": (ground) => twoWorkers(ground, documents.scanned),
};

// Which parts to prove; all of them unless told.
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
