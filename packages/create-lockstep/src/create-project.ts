import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { lockstepPackages } from "./lockstep-packages.ts";
import { addingExample, projectFiles } from "./project-files.ts";
import { kindOf, type Manifest, type ProjectKind } from "./project-kind.ts";

export interface ProjectWishes {
  readonly folder: string;
  /** Null: what package.json says. */
  readonly kind: ProjectKind | null;
  /** A folder with tarballs; null: the registry of npm. */
  readonly packagesFrom: string | null;
}

const ignored = ["node_modules/", ".lockstep/", ".env"];

/** Sets up a project, or adds to the one that is there, and comes back with the lines to show. */
export function createProject({ folder, kind: asked, packagesFrom }: ProjectWishes): string[] {
  const packages = lockstepPackages(packagesFrom);
  const manifestPath = join(folder, "package.json");
  const isNew = !existsSync(manifestPath);
  const manifest: Manifest = isNew
    ? { name: nameFor(folder), type: "module" }
    : JSON.parse(readFileSync(manifestPath, "utf8"));
  const kind = asked ?? kindOf(manifest);
  const hasSrc = !isNew && existsSync(join(folder, "src"));
  const isModule = manifest.type === "module";
  mkdirSync(folder, { recursive: true });
  const lines = [`${isNew ? "A new project" : `Jobs for the ${kind} project`} in ${folder}:`, ""];
  const merges: string[] = [];
  for (const { path, text, purpose } of projectFiles({ kind, isNew, hasSrc, isModule })) {
    if (isWritten(join(folder, path), text)) lines.push(`  ${path.padEnd(20)} ${purpose}`);
    else merges.push(path, ...text.split("\n").map((line) => `    ${line}`.trimEnd()));
  }
  const wanted = manifestParts({ kind, isNew, hasSrc, packages });
  writeFileSync(manifestPath, `${JSON.stringify(merged(manifest, wanted), null, 2)}\n`);
  lines.push(`  ${"package.json".padEnd(20)} scripts jobs:… and dependencies; the rest is unchanged`);
  if (isIgnoring(folder)) lines.push(`  ${".gitignore".padEnd(20)} ${ignored.join(", ")}`);
  if (merges.length > 0) {
    lines.push(
      "",
      "These files already exist and were not changed. Copy what you need by hand:",
      "",
      ...merges,
    );
  }
  const example = addingExample(kind);
  if (example !== null) lines.push("", `To add a job, ${example}`);
  return [...lines, "", "Next:", "", ...nextSteps(folder, kind).map((line) => `  ${line}`)];
}

function nextSteps(folder: string, kind: ProjectKind): string[] {
  return [
    ...(resolve(folder) === process.cwd() ? [] : [`cd ${folder}`]),
    "npm install",
    "npm run jobs:dev     # PostgreSQL, a worker and the console; reloads when you save",
    ...(kind === "node" ? ["npm run jobs:add     # in another terminal"] : []),
  ];
}

/** False: there is another file. */
function isWritten(path: string, text: string): boolean {
  mkdirSync(dirname(path), { recursive: true });
  try {
    writeFileSync(path, text, { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== "EEXIST") throw error;
    // One that it has written itself needs no merging.
    return readFileSync(path, "utf8") === text;
  }
}

function manifestParts(parts: {
  kind: ProjectKind;
  isNew: boolean;
  hasSrc: boolean;
  packages: Record<string, string>;
}): Required<Pick<Manifest, "scripts" | "dependencies" | "devDependencies">> {
  const { kind, isNew, hasSrc, packages } = parts;
  // Where it runs for others it has a database.
  const { "@lockstep/local-postgres": localPostgres = "", ...dependencies } = packages;
  const add: Record<string, string> =
    kind === "node" ? { "jobs:add": `tsx ${hasSrc ? "src/" : ""}add-job.ts` } : {};
  return {
    scripts: {
      "jobs:dev": "lockstep dev",
      "jobs:work": "lockstep work",
      "jobs:migrate": "lockstep migrate",
      ...add,
      ...(isNew ? { typecheck: "tsc" } : {}),
    },
    dependencies,
    devDependencies: {
      "@lockstep/local-postgres": localPostgres,
      ...(kind === "node" ? { tsx: "^4.0.0" } : {}),
      ...(isNew ? { "@types/node": "^20.19.0", typescript: ">=5.8" } : {}),
    },
  };
}

/** What is there stays as it is. */
function merged(manifest: Manifest, wanted: ReturnType<typeof manifestParts>): Manifest {
  const { dependencies, devDependencies } = manifest;
  const isThere = (name: string) => name in { ...dependencies, ...devDependencies };
  const missing = (all: Record<string, string>) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => !isThere(name)));
  const added = { dependencies: missing(wanted.dependencies), dev: missing(wanted.devDependencies) };
  const hasDev = devDependencies !== undefined || Object.keys(added.dev).length > 0;
  return {
    ...manifest,
    scripts: { ...wanted.scripts, ...manifest.scripts },
    dependencies: { ...dependencies, ...added.dependencies },
    ...(hasDev ? { devDependencies: { ...devDependencies, ...added.dev } } : {}),
  };
}

/** Adds the lines that are missing; false: there are none. */
function isIgnoring(folder: string): boolean {
  const path = join(folder, ".gitignore");
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  const known = text.split("\n").map((line) => line.trim().replace(/^\/|\/$/g, ""));
  const missing = ignored.filter((line) => !known.includes(line.replace(/\/$/, "")));
  if (missing.length === 0) return false;
  const gap = text === "" || text.endsWith("\n") ? "" : "\n";
  writeFileSync(path, `${text}${gap}${missing.join("\n")}\n`);
  return true;
}

/** As npm allows it. */
function nameFor(folder: string): string {
  const name = basename(resolve(folder)).toLowerCase();
  return name.replace(/[^a-z0-9-]+/g, "-").replace(/^-+|-+$/g, "") || "jobs";
}
