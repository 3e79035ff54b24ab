import { runChecks } from "./run-checks.ts";
import { Tally } from "./tally.ts";

// The checks alone, without tests.
const tally = new Tally();
await runChecks(tally);
tally.finish();
