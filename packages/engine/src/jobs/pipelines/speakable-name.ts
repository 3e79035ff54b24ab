import { DefinitionError } from "./definition-error.ts";

// No slash: "pipeline/stage" names a stage in SQL and on the command line.
const namePattern = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$/;

export function checkName(kind: "pipeline" | "stage" | "budget", name: string): void {
  if (typeof name === "string" && namePattern.test(name)) return;
  throw new DefinitionError(
    `A ${kind} name is 1 to 100 letters, digits, "_", ".", ":" or "-" and begins with a letter or digit; ${JSON.stringify(String(name).slice(0, 120))} is not one.`,
  );
}
