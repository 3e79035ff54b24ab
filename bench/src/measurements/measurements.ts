import { bulkAdd } from "./bulk-add.ts";
import { coldStarts } from "./cold-start.ts";
import { drain } from "./drain.ts";
import { heldSnapshot } from "./held-snapshot.ts";
import { idleLatency } from "./idle-latency.ts";
import { idleWorkers } from "./idle-workers.ts";
import { manyFinished } from "./many-finished.ts";
import { manyWaiting } from "./many-waiting.ts";
import { singleAdds } from "./single-adds.ts";

export const measurements = {
  "bulk-add": bulkAdd,
  "single-adds": singleAdds,
  drain,
  "idle-latency": idleLatency,
  "held-snapshot": heldSnapshot,
  "many-waiting": manyWaiting,
  "many-finished": manyFinished,
  "idle-workers": idleWorkers,
  "cold-start": coldStarts,
} as const;

export type MeasurementName = keyof typeof measurements;
export type ParametersOf<Name extends MeasurementName> = Parameters<(typeof measurements)[Name]>[1];

/** One measurement with its parameters, as it travels to a contender's process. */
export type Order = {
  [Name in MeasurementName]: { readonly measurement: Name; readonly parameters: ParametersOf<Name> };
}[MeasurementName];
