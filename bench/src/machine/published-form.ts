import { spawn } from "node:child_process";
import { join } from "node:path";

const built = new Map<string, Promise<void>>();
const script = "scripts/build/main.ts";

/** Builds the packages of a checkout as they are published: cold starts load those, not the sources. Once for a run. */
export function publishedForm(checkout: string): Promise<void> {
  const building = built.get(checkout) ?? build(checkout);
  built.set(checkout, building);
  return building;
}

async function build(checkout: string): Promise<void> {
  const source = ["--conditions=@lockstep/source", "--import", "tsx"];
  const args = [...source, join(checkout, script), "packages/database", "packages/engine"];
  const code = await new Promise<number | null>((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: checkout, stdio: ["ignore", "ignore", "inherit"] });
    child.on("error", reject);
    child.on("close", resolve);
  });
  if (code !== 0) throw new Error(`The packages of ${checkout} could not be built.`);
}
