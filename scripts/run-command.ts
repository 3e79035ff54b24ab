import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const repository = fileURLToPath(new URL("../", import.meta.url));

const require = createRequire(import.meta.url);

/** The arguments that make Node run a program of an npm package, as npx would, without asking npm. */
export function programOf(packageName: string, program = packageName): string[] {
  const manifestPath = require.resolve(`${packageName}/package.json`);
  const { bin } = JSON.parse(readFileSync(manifestPath, "utf8"));
  return [join(dirname(manifestPath), typeof bin === "string" ? bin : bin[program])];
}

/** Runs Node with these arguments in the repository; what it prints is seen as it comes. */
export function runNode(args: string[], env: NodeJS.ProcessEnv = process.env): Promise<number> {
  return runCommand(process.execPath, args, env);
}

/** Runs Node with these arguments in the repository, and keeps what it prints, for several that run at once. */
export function hearNode(args: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: repository, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    }
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? 1, output }));
  });
}

export function runCommand(
  command: string,
  args: string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: repository, env, stdio: "inherit" });
    child.on("error", reject);
    child.on("close", (code) => resolve(code ?? 1));
  });
}
