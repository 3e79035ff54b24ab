import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { PublicDeclarations } from "./public-declarations.ts";

/** Declaration files, of which the first is the entry. */
function declarationsOf(files: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), "lockstep-api-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const entry = join(folder, Object.keys(files)[0] ?? "");
  const declarations = new PublicDeclarations([entry]);
  return {
    exports: declarations.exportsOf(entry),
    statements: declarations.byFile().flatMap(([, all]) => all),
  };
}

test("what is exported is listed with what it names in turn, and nothing else", () => {
  const { exports, statements } = declarationsOf({
    "index.d.ts": `export { type Job as Task, run } from "./job.js";\nexport * from "./more.js";\n`,
    "job.d.ts": `import type { Id } from "./id.js";
import { Pool } from "pg";
/** Words. */
export interface Job {
    /** More words. */
    readonly id: Id;
}
interface Options {
    readonly pool: Pool;
}
export declare function run(options: Options): void;
export declare function run(): import("./lazy.js").Lazy;
export declare const unused: number;
//# sourceMappingURL=job.d.ts.map`,
    "id.d.ts": "export type Id = string;\nexport type Other = Id;\n",
    "lazy.d.ts": "export declare class Lazy {\n    #private;\n    stop(): void;\n}\nexport {};\n",
    "more.d.ts": `export declare const more: "yes";\n`,
  });
  expect(exports).toEqual(["Task", "more", "run"]);
  expect(statements).toEqual([
    "export type Id = string;",
    "export interface Job {\n    readonly id: Id;\n}",
    "interface Options {\n    readonly pool: Pool;\n}",
    "export declare function run(options: Options): void;",
    'export declare function run(): import("./lazy.js").Lazy;',
    "export declare class Lazy {\n    stop(): void;\n}",
    'export declare const more: "yes";',
  ]);
});

test("a statement that it cannot read is an error, and not left out", () => {
  expect(() => declarationsOf({ "index.d.ts": "export = things;\n" })).toThrow(
    /cannot read: export = things;/,
  );
});
