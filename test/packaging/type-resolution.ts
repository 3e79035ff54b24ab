import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { programOf } from "../../scripts/run-command.ts";
import type { PackedPackages } from "./packed-packages.ts";

const run = promisify(execFile);

// Every entry of every package, and types that reach the caller: a payload of another shape does not compile.
const program = `
import { createEngine, definePipeline, SchemaTooNewError } from "lockstep";
import { createServer } from "@lockstep/server";
import type { JobAnswer } from "@lockstep/server/contract";
import { createClient } from "@lockstep/client";
import { useJob } from "@lockstep/react";
import { generateText } from "@lockstep/ai";
import { migrate } from "@lockstep/database";
import { startPostgres } from "@lockstep/local-postgres";
import { createTestEngine } from "@lockstep/testing";
import { consoleFolder } from "@lockstep/console";
import * as dev from "@lockstep/cli/dev-record";
import * as database from "@lockstep/cli/find-database";

const greet = definePipeline<{ name: string }>("greet").stage("hello", ({ payload }) => ({ text: payload.name }));
const engine = createEngine({ databaseUrl: "", pipelines: [greet] });
export const added: Promise<{ id: string }> = engine.add(greet, { name: "Ada" });
// @ts-expect-error
export const refused = engine.add(greet, { nobody: 1 });
export const folder: string = consoleFolder;
export type Answer = JobAnswer["id"];
export { createClient, createServer, createTestEngine, database, dev, generateText, migrate, SchemaTooNewError, startPostgres, useJob };
`;

/** By the compiler's name for how it looks packages up. In node10 files have no format of their own: one program is all. */
const compilers = {
  "node10 (TypeScript 5)": {
    version: 5,
    args: ["--module", "commonjs", "--moduleResolution", "node10", "--esModuleInterop"],
    files: ["app.ts"],
  },
  node16: { version: 7, args: ["--module", "node16"], files: ["app.cts", "app.mts"] },
  nodenext: { version: 7, args: ["--module", "nodenext"], files: ["app.cts", "app.mts"] },
  bundler: {
    version: 7,
    args: ["--module", "esnext", "--moduleResolution", "bundler"],
    files: ["app.ts", "app.mts"],
  },
};
type Resolution = keyof typeof compilers;

/** The declarations themselves are checked too: nothing is left to --skipLibCheck. */
export function typesResolve(packages: PackedPackages, by: readonly Resolution[]): void {
  describe("the types of every entry", () => {
    for (const name of by) {
      const { version, args, files } = compilers[name];
      test(`are found with moduleResolution ${name}`, async (context) => {
        await packages.install(context);
        const folder = join(packages.folder, "typed");
        await mkdir(folder, { recursive: true });
        await Promise.all(files.map((file) => writeFile(join(folder, file), program)));
        const tsc =
          version === 5
            ? [join(packages.folder, "node_modules/typescript/bin/tsc")]
            : programOf("typescript", "tsc");
        const common = ["--noEmit", "--strict", "--target", "es2022", "--lib", "es2023,dom"];
        const told = run(process.execPath, [...tsc, ...common, ...args, ...files], { cwd: folder });
        expect(await told.catch((error: { stdout: string }) => error)).toMatchObject({ stdout: "" });
      }, 120_000);
    }
  });
}

/** What the entries hold, beside their types. */
export function entriesLoad(packages: PackedPackages): void {
  describe("the entries", () => {
    test("come with hooks that a page of server components may import", async (context) => {
      await packages.install(context);
      const entry = await readFile(
        join(packages.folder, "node_modules/@lockstep/react/dist/index.js"),
        "utf8",
      );
      expect(entry).toMatch(/^"use client";/);
    });

    test("go with code that CommonJS gets by require", async (context) => {
      await packages.install(context);
      const code = `const { createEngine } = require("lockstep"); console.log(typeof createEngine);`;
      const { stdout } = await run(process.execPath, ["--input-type=commonjs", "--eval", code], {
        cwd: packages.folder,
      });
      expect(stdout).toBe("function\n");
    });
  });
}
