import { runChecks } from "../check/run-checks.ts";
import { Tally } from "../tally.ts";
import { ensurePrograms } from "./ensure-programs.ts";
import { runVitest } from "./run-vitest.ts";

// Everything that must hold, with nothing installed but Node and npm. Arguments choose test files.
const tally = new Tally();
await runChecks(tally);
console.log("\nTests");
for (const missing of ensurePrograms()) console.log(missing);
tally.add(await runVitest(process.argv.slice(2)));
tally.finish();
