import { Tally } from "../tally.ts";
import { runChecks } from "./run-checks.ts";

// The checks alone, without tests.
const tally = new Tally();
await runChecks(tally);
tally.finish();
