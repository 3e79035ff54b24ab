// What people install: the packed tarballs in an empty folder, with install scripts off. In real time. What takes longest is in packed.long.ts.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { apiReportOf } from "../../scripts/api-report/api-report-of.ts";
import { publishedPackages } from "../../scripts/build/published-packages.ts";
import { tarballProblems } from "../../scripts/release/tarball-problems.ts";
import { repository } from "../../scripts/run-command.ts";
import { bundlesWork } from "./bundles.ts";
import { commandWorksAlone } from "./command-alone.ts";
import { createdProjectWorks } from "./created-project.ts";
import { PackedPackages } from "./packed-packages.ts";
import { releaseCanBeRehearsed } from "./release-rehearsal.ts";
import { rolloutsWork } from "./rollouts.ts";
import { addingBundleIsSmall, isWithinBudget } from "./sizes.ts";
import { twoCopiesAgree } from "./two-copies.ts";
import { entriesLoad, typesResolve } from "./type-resolution.ts";

const run = promisify(execFile);
const packages = PackedPackages.forThisFile();

describe.each(publishedPackages)("%s, as it is published,", (path) => {
  const manifest = JSON.parse(readFileSync(join(repository, path, "package.json"), "utf8"));
  const pathsOf = () => packages.packedAs(manifest.name).files.map((file) => file.path);

  test("holds every file that its manifest names, its licence, its page and the sources of its maps, and no test", () => {
    expect(tarballProblems(path, pathsOf())).toEqual([]);
    expect(manifest.private).toBeUndefined();
  });

  test("says how it is published", () => {
    expect(manifest).toMatchObject({
      license: "MIT",
      publishConfig: { access: "public", provenance: true },
      engines: { node: ">=20.19" },
    });
    expect(manifest.keywords.length).toBeGreaterThan(3);
    expect(manifest.sideEffects).toBeDefined();
    const licence = (folder: string) => readFileSync(join(repository, folder, "LICENSE"), "utf8");
    expect(licence(path)).toBe(licence("."));
  });

  test("declares what its api-report.md says, which `npm run api-report` writes", () => {
    const page = join(repository, path, "api-report.md");
    expect(apiReportOf(path)).toBe(existsSync(page) ? readFileSync(page, "utf8") : null);
  });

  isWithinBudget(packages, path, manifest.name);
});

test("installed in an empty folder, `npx lockstep dev` completes a first job, and TypeScript pipelines run", async (context) => {
  await packages.install(context);
  const { folder } = packages;
  const command = join(folder, "node_modules", ".bin", "lockstep");
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
  await lockstep("work", "--once");
  await lockstep("jobs", "add", "greeting", '{"name": "Ada"}');
  await lockstep("jobs", "add", "greeting", '{"name": ""}');
  await lockstep("work", "--once");
  // By that worker, or by the one of dev, which takes over the new file by itself.
  const statuses = async () => {
    const response = await fetch(`${url}/api/v1/jobs`);
    const { data } = (await response.json()) as { data: { pipeline: string; status: string }[] };
    const ours = data.filter(({ pipeline }) => pipeline === "greeting");
    return ours.map(({ status }) => status).sort();
  };
  await expect.poll(statuses, { timeout: 60_000 }).toEqual(["completed", "failed"]);

  dev.kill("SIGINT");
  await once(dev, "close");
  expect(dev.exitCode).toBe(0);
}, 180_000);

twoCopiesAgree(packages);
typesResolve(packages, ["node16", "nodenext", "bundler"]);
entriesLoad(packages);
bundlesWork(packages, ["esbuild to CommonJS", "esbuild to ES modules", "Rollup"]);
addingBundleIsSmall(packages);
commandWorksAlone(packages);
rolloutsWork(packages);
createdProjectWorks(packages);
releaseCanBeRehearsed();

function withoutDatabase(): NodeJS.ProcessEnv {
  // biome-ignore lint/style/noProcessEnv: npm's own settings are in it.
  const { DATABASE_URL: _ours, ...rest } = process.env;
  return rest;
}
