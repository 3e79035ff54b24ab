import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, type TestContext } from "vitest";
import { packArguments } from "../../scripts/published-packages.ts";
import { repository } from "../../scripts/run-command.ts";

const run = promisify(execFile);

// What an application has beside ours: TypeScript 5 knows node10, which later ones do not.
const besides = ["typescript@5.9.3", "@types/react@19"];

export interface Packed {
  name: string;
  filename: string;
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

  /** Installs them in their folder, once, with install scripts off; without a registry the test is left out and says so. */
  async install(context: TestContext): Promise<void> {
    this.#installing ??= this.#install();
    const refusal = await this.#installing;
    if (/ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|E401|E403|E5\d\d/.test(refusal ?? "")) {
      context.skip("the npm registry cannot be reached, so nothing can be installed");
    }
    if (refusal !== null) throw new Error(refusal);
  }

  #install(): Promise<string | null> {
    const tarballs = this.packed.map(({ filename }) => `./${filename}`);
    const args = [
      "install",
      "--ignore-scripts",
      "--no-audit",
      "--no-fund",
      "--prefer-offline",
      ...this.#besides,
      ...tarballs,
    ];
    return run("npm", args, { cwd: this.folder }).then(
      () => null,
      (error: { stderr: string }) => error.stderr,
    );
  }
}
