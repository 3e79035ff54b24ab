// What people install: the packed tarballs in an empty folder, with install scripts off. In real time.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { publishedPackages } from "../../scripts/published-packages.ts";
import { programOf, repository } from "../../scripts/run-command.ts";

const run = promisify(execFile);

interface Packed {
  name: string;
  filename: string;
  files: { path: string }[];
}

let folder = "";
let packed: Packed[] = [];
let command = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lockstep-packed-"));
  // As root the embedded server runs as another user, who must be able to enter.
  await chmod(folder, 0o755);
  await run("npm", ["run", "build"], { cwd: repository });
  const workspaces = publishedPackages.flatMap((path) => ["--workspace", path]);
  const packing = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder, ...workspaces];
  packed = JSON.parse((await run("npm", packing, { cwd: repository })).stdout);
  command = join(folder, "node_modules", ".bin", "lockstep");
}, 240_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("each package that is published", () => {
  test("holds every file that its manifest names, and no source or test", async () => {
    expect(packed).toHaveLength(publishedPackages.length);
    for (const [index, path] of publishedPackages.entries()) {
      const manifest = JSON.parse(await readFile(join(repository, path, "package.json"), "utf8"));
      const files = packed[index]?.files.map((file) => file.path) ?? [];
      expect(packed[index]?.name).toBe(manifest.name);
      const named = [...targetsOf(manifest.exports ?? {}), ...Object.values<string>(manifest.bin ?? {})];
      const missing = named.filter((target) => !files.includes(target.replace("./", "")));
      expect(missing, `missing in ${manifest.name}`).toEqual([]);
      expect(
        files.filter((file) => /^src\/|\.test\.|^dist\/testing\//.test(file)),
        manifest.name,
      ).toEqual([]);
      expect(files, manifest.name).toContain("README.md");
      expect(manifest.private, manifest.name).toBeUndefined();
    }
  });

  /** What a package's exports point to once it is installed; "source" is for this repository. */
  function targetsOf(exports: object): string[] {
    return Object.entries(exports).flatMap(([condition, target]) => {
      if (condition === "source") return [];
      return typeof target === "string" ? [target] : targetsOf(target);
    });
  }
});

test("installed in an empty folder, `npx lockstep dev` completes a first job, and TypeScript pipelines run", async (context) => {
  const tarballs = packed.map(({ filename }) => `./${filename}`);
  const install = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", ...tarballs];
  const refusal = await run("npm", install, { cwd: folder }).then(
    () => null,
    (error: { stderr: string }) => error.stderr,
  );
  if (
    refusal !== null &&
    /ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|E401|E403|E5\d\d/.test(refusal)
  ) {
    context.skip("the npm registry cannot be reached, so nothing can be installed");
  }
  expect(refusal).toBeNull();

  const beganMs = performance.now();
  const dev = spawn(command, ["dev", "--jsonl", "--port", "0"], { cwd: folder, env: withoutDatabase() });
  onTestFinished(() => void dev.kill("SIGKILL"));
  let talk = "";
  dev.stderr.on("data", (chunk: Buffer) => {
    talk += chunk.toString("utf8");
  });
  const lines = createInterface({ input: dev.stdout })[Symbol.asyncIterator]();
  const until = async (event: string) => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`dev ended before ${event} and said:\n${talk}`);
      const line = JSON.parse(value);
      if (line.event === event) return line;
    }
  };
  const { url } = await until("ready");
  await until("job.completed");
  // On a machine that does much else, everything takes as many times as long.
  // Half of the machine at most: a browser runs beside this file.
  const crowding = Math.max(2, (loadavg()[0] ?? 0) / availableParallelism());
  expect(performance.now() - beganMs).toBeLessThan(15_000 * crowding);
  expect(await fetch(`${url}/health`).then(({ status }) => status)).toBe(200);

  // As npm init makes it: not a module, and the pipelines are TypeScript all the same.
  await writeFile(
    join(folder, "pipelines.ts"),
    `import { definePipeline, giveUp } from "lockstep";
     export const greeting = definePipeline<{ name: string }>("greeting").stage("greet", ({ payload }) => {
       const name: string = payload.name;
       return name === "" ? giveUp("nobody to greet") : { text: \`Hello, \${name}!\` };
     });`,
  );
  const lockstep = async (...argv: string[]) =>
    (await run(command, argv, { cwd: folder, env: withoutDatabase() })).stdout;
  const types = [
    "--noEmit",
    "--strict",
    "--skipLibCheck",
    "--module",
    "nodenext",
    "--target",
    "es2023",
    "pipelines.ts",
  ];
  await run(process.execPath, [...programOf("typescript", "tsc"), ...types], { cwd: folder });
  await lockstep("work", "--once");
  await lockstep("jobs", "add", "greeting", '{"name": "Ada"}');
  await lockstep("jobs", "add", "greeting", '{"name": ""}');
  const worked = await lockstep("work", "--once", "--jsonl");
  expect(worked).toContain('"event":"job.completed"');
  expect(worked).toContain('"event":"job.failed"');

  dev.kill("SIGINT");
  await once(dev, "close");
  expect(dev.exitCode).toBe(0);
}, 180_000);

function withoutDatabase(): NodeJS.ProcessEnv {
  // biome-ignore lint/style/noProcessEnv: npm's own settings are in it.
  const { DATABASE_URL: _ours, ...rest } = process.env;
  return rest;
}
