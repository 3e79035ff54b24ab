import { execFile } from "node:child_process";
import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { PackedPackages } from "./packed-packages.ts";

const run = promisify(execFile);

// What the server and the command make of errors is no entry of theirs: it is loaded by its path.
const program = `
import * as first from "../node_modules/lockstep/dist/index.js";
import { problemOf } from "../node_modules/@lockstep/server/dist/middleware/problem-of.js";
import { asCliError } from "../node_modules/@lockstep/cli/dist/errors/error-report.js";
import * as second from "lockstep";

class Mine extends second.PermanentError {}
const thrown = {
  tooNew: new second.SchemaTooNewError(9, 8, 9),
  refused: new second.RefusedError(Object.assign(new Error("no such pipeline"), { code: "LS002" })),
  permanent: new Mine("for good"),
};
console.log(JSON.stringify({
  areTwo: first.RefusedError !== second.RefusedError && first.SchemaTooNewError !== second.SchemaTooNewError,
  instances: [
    thrown.tooNew instanceof first.SchemaTooNewError,
    thrown.tooNew instanceof first.MigrateError,
    thrown.refused instanceof first.RefusedError,
    thrown.permanent instanceof first.PermanentError,
  ],
  others: [thrown.tooNew instanceof first.RefusedError, new first.PermanentError("no") instanceof Mine],
  server: problemOf(thrown.refused)?.code ?? null,
  command: asCliError(thrown.tooNew).code,
}));
`;

/** An application and one of its dependencies may each bring an engine. */
export function twoCopiesAgree(packages: PackedPackages): void {
  test("errors of another copy of the engine are known to instanceof, to the server and to the command", async (context) => {
    await packages.install(context);
    const installed = join(packages.folder, "node_modules");
    const folder = join(packages.folder, "two-copies");
    for (const name of ["lockstep", "@lockstep/database"]) {
      await cp(join(installed, name), join(folder, "node_modules", name), { recursive: true });
    }
    await writeFile(join(folder, "app.mjs"), program);
    const { stdout } = await run(process.execPath, ["app.mjs"], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual({
      areTwo: true,
      instances: [true, true, true, true],
      others: [false, false],
      server: "pipeline.unknown",
      command: "schema.too_new",
    });
  });
}
