import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const relativeImport = /(\bfrom |\bimport |\bimport\()"(\.[^"]+)\.[jt]s"/g;

/**
 * Makes the compiled declarations readable for every compiler. They name the files beside them by what is there at run time,
 * and each has a twin (.d.cts) for programs in CommonJS: TypeScript with `module: node16` takes an import of a .d.ts of ours for
 * an error there (TS1479), though Node itself has loaded such modules since 20.19.
 */
export function finishDeclarations(compiled: string): void {
  for (const path of readdirSync(compiled, { recursive: true, encoding: "utf8" })) {
    if (!path.endsWith(".d.ts")) continue;
    const place = join(compiled, path);
    const text = readFileSync(place, "utf8");
    writeFileSync(place, text.replaceAll(relativeImport, '$1"$2.js"'));
    // The twin shares the map: its lines are the same.
    writeFileSync(place.replace(/\.ts$/, ".cts"), text.replaceAll(relativeImport, '$1"$2.cjs"'));
  }
}
