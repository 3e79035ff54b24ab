import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly overrides?: Readonly<Record<string, string>>;
}

/** Installs exactly these packages into a folder outside the workspaces; nothing, when they are there. */
export async function npmInstall(folder: string, manifest: Manifest): Promise<void> {
  const text = `${JSON.stringify({ private: true, ...manifest }, null, 2)}\n`;
  const installed = join(folder, "installed.json");
  if (existsSync(installed) && readFileSync(installed, "utf8") === text) return;
  process.stdout.write(
    `Installing ${Object.entries(manifest.dependencies)
      .map((pair) => pair.join("@"))
      .join(", ")}\n`,
  );
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), text);
  const args = [
    "install",
    "--prefix",
    folder,
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--no-package-lock",
  ];
  const code = await new Promise<number | null>((resolve, reject) => {
    const child = spawn("npm", args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
    child.on("error", reject);
    child.on("close", resolve);
  });
  if (code !== 0) throw new Error(`npm could not install into ${folder}.`);
  // Last, so that a broken install is done again.
  await writeFile(installed, text);
}
