import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { TestContext } from "vitest";
import { repository } from "../../scripts/run-command.ts";
import { PackedPackages } from "../packaging/packed-packages.ts";
import { RunningScript } from "./running-script.ts";

const run = promisify(execFile);
const projects = join(repository, "examples/projects");

/** One folder with all frameworks and our packages installed; the projects lie below it, and find them there. */
export class FrameworkFolder {
  readonly #packages: PackedPackages;

  private constructor(packages: PackedPackages) {
    this.#packages = packages;
  }

  /** Call it at the top of a test file. */
  static forThisFile(): FrameworkFolder {
    return new FrameworkFolder(PackedPackages.forThisFile([...dependenciesOfProjects(), "fastify@5.12.8"]));
  }

  /** A copy of one of the example projects. */
  async example(context: TestContext, name: string): Promise<Project> {
    await this.#packages.install(context);
    const project = new Project(join(this.#packages.folder, name));
    // Without what another test has added.
    await rm(project.folder, { recursive: true, force: true });
    await cp(join(projects, name), project.folder, { recursive: true });
    return project;
  }

  /** A project without any file. */
  async empty(context: TestContext, name: string): Promise<Project> {
    await this.#packages.install(context);
    const project = new Project(join(this.#packages.folder, name));
    await mkdir(project.folder);
    return project;
  }

  /** A project with these files, to which `npm create lockstep .` has added jobs. */
  async created(context: TestContext, name: string, files: Record<string, string>): Promise<Project> {
    const project = await this.empty(context, `created-${name}`);
    for (const [path, text] of Object.entries(files)) await project.write(path, text);
    const from = ["--packages-from", this.#packages.folder];
    project.told = (await project.tool("create-lockstep", [".", ...from])).stdout;
    return project;
  }
}

export class Project {
  readonly folder: string;
  /** What `npm create lockstep` has said. */
  told = "";

  constructor(folder: string) {
    this.folder = folder;
  }

  async write(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.folder, path)), { recursive: true });
    await writeFile(join(this.folder, path), text);
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), "utf8");
  }

  /** Runs a program that is installed above, to its end. */
  async tool(
    name: string,
    args: readonly string[] = [],
    env: Record<string, string> = {},
  ): Promise<{ stdout: string; stderr: string }> {
    return await run(name, args, { cwd: this.folder, env: this.environment(env) }).catch((error) => {
      throw new Error(`${name} ${args.join(" ")} failed:\n${error.stdout}${error.stderr}`);
    });
  }

  /** Starts a script of package.json. */
  start(script: string, env: Record<string, string>, args = ""): RunningScript {
    const { scripts } = JSON.parse(this.read("package.json"));
    // Without a shell or npm in between, which keep signals to themselves.
    return new RunningScript(`exec env ${scripts[script]} ${args}`, this.folder, this.environment(env));
  }

  /** As `npm run` makes it, and nothing else of ours. */
  environment(env: Record<string, string>): NodeJS.ProcessEnv {
    // biome-ignore lint/style/noProcessEnv: programs are found along it.
    const { PATH = "", HOME = "" } = process.env;
    const programs = join(dirname(this.folder), "node_modules", ".bin");
    return { PATH: `${programs}:${PATH}`, HOME, NEXT_TELEMETRY_DISABLED: "1", ...env };
  }
}

/** What the example projects ask for, but for our own packages: "next@16.4.6". */
function dependenciesOfProjects(): string[] {
  const manifests = readdirSync(projects).map((name) =>
    JSON.parse(readFileSync(join(projects, name, "package.json"), "utf8")),
  );
  const all = manifests.flatMap(({ dependencies, devDependencies }) =>
    Object.entries({ ...dependencies, ...devDependencies }),
  );
  const foreign = all.filter(([name]) => !/^(lockstep$|@lockstep\/)/.test(name));
  return [...new Set(foreign.map(([name, version]) => `${name}@${version}`))];
}
