import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hearNode, programOf } from "../../run-command.ts";
import { type PublicExport, PublicExports } from "./public-exports.ts";

/** The packages that have a page, by the folder of their sources, in the order of the sidebar. */
export const referencePackages: Readonly<Record<string, string>> = {
  lockstep: "engine",
  "@lockstep/server": "server",
  "@lockstep/client": "client",
  "@lockstep/react": "react",
  "@lockstep/ai": "ai",
  "@lockstep/testing": "testing",
  "@lockstep/local-postgres": "local-postgres",
};

/** Where a package's page is in the site. */
export function referenceName(packageName: string): string {
  return packageName.replace("@lockstep/", "");
}

/** What each of them exports, as the compiler declares it now. */
export async function readReference(): Promise<Map<string, PublicExport[]>> {
  const folder = mkdtempSync(join(tmpdir(), "lockstep-declarations-"));
  try {
    const project = ["-p", "scripts/docs/reference", "--outDir", folder];
    const { code, output } = await hearNode([...programOf("typescript", "tsc"), ...project]);
    if (code !== 0) throw new Error(`The declarations could not be made:\n${output}`);
    const exports = new PublicExports(folder, { ...referencePackages, "@lockstep/database": "database" });
    return new Map(Object.keys(referencePackages).map((name) => [name, exports.of(name)]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
