import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, type TestContext } from "vitest";
import { packArguments } from "../../scripts/build/published-packages.ts";
import { repository } from "../../scripts/run-command.ts";

const run = promisify(execFile);

// What an application has beside ours: TypeScript 5 knows node10, which later ones do not. The AI SDK 7 wants a newer Node;
// the declarations of 6 need those of json-schema.
const besides = ["typescript@5.9.3", "@types/react@19", "@types/json-schema@7", "ai@6"];

export interface Packed {
  name: string;
  filename: string;
  size: number;
  unpackedSize: number;
  entryCount: number;
  files: { path: string }[];
}

/** The published packages, built and packed once for a test file. */
export class PackedPackages {
  folder = "";
  packed: Packed[] = [];
  #installing: Promise<string | null> | null = null;

  readonly #besides: readonly string[];

  private constructor(besides: readonly string[]) {
    this.#besides = besides;
  }

  /** Call it at the top of a test file; `others` are installed beside them. */
  static forThisFile(others = besides): PackedPackages {
    const packages = new PackedPackages(others);
    beforeAll(() => packages.#pack(), 240_000);
    afterAll(() => rm(packages.folder, { recursive: true, force: true }));
    return packages;
  }

  async #pack(): Promise<void> {
    this.folder = await mkdtemp(join(tmpdir(), "lockstep-packed-"));
    // As root the embedded server runs as another user, who must be able to enter.
    await chmod(this.folder, 0o755);
    await run("npm", ["run", "build"], { cwd: repository });
    const packing = [...packArguments(this.folder), "--json"];
    this.packed = JSON.parse((await run("npm", packing, { cwd: repository })).stdout);
  }

  /** Installs them in their folder, once; see `installInto`. */
  async install(context: TestContext): Promise<void> {
    this.#installing ??= npmInstall(this.folder, [...this.#besides, ...this.tarballs()]);
    leaveOutIfOffline(context, await this.#installing);
  }

  /** Installs packages in another folder, with install scripts off; without a registry the test is left out and says so. */
  async installInto(folder: string, context: TestContext, specs: readonly string[]): Promise<void> {
    leaveOutIfOffline(context, await npmInstall(folder, specs));
  }

  packedAs(name: string): Packed {
    const found = this.packed.find((one) => one.name === name);
    if (found === undefined) throw new Error(`${name} was not packed.`);
    return found;
  }

  /** The files of these packages, or of all. */
  tarballs(...names: string[]): string[] {
    return this.packed
      .filter(({ name }) => names.length === 0 || names.includes(name))
      .map(({ filename }) => join(this.folder, filename));
  }
}

/** Comes back with what npm said if it could not. */
function npmInstall(folder: string, specs: readonly string[]): Promise<string | null> {
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", ...specs];
  return run("npm", args, { cwd: folder }).then(
    () => null,
    (error: { stderr: string }) => error.stderr,
  );
}

function leaveOutIfOffline(context: TestContext, refusal: string | null): void {
  if (/ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|E401|E403|E5\d\d/.test(refusal ?? "")) {
    context.skip("the npm registry cannot be reached, so nothing can be installed");
  }
  if (refusal !== null) throw new Error(refusal);
}
