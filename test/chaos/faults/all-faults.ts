import { databaseFaults } from "./database-faults.ts";
import type { Fault } from "./fault.ts";
import { networkFaults } from "./network-faults.ts";
import { processFaults } from "./process-faults.ts";

const allFaults: Readonly<Record<string, Fault>> = { ...processFaults, ...databaseFaults, ...networkFaults };

export function faultNamed(name: string): Fault {
  const fault = allFaults[name];
  if (fault === undefined) {
    throw new Error(`There is no fault "${name}", only ${Object.keys(allFaults).join(", ")}.`);
  }
  return fault;
}
