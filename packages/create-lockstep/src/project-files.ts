import { readFileSync } from "node:fs";
import type { ProjectKind } from "./project-kind.ts";

export interface ProjectFile {
  readonly path: string;
  readonly text: string;
  /** What it is for, in one line. */
  readonly purpose: string;
}

export interface ProjectShape {
  readonly kind: ProjectKind;
  readonly isNew: boolean;
  /** Whether the code is in src. */
  readonly hasSrc: boolean;
  /** Whether package.json says that its code is of ES modules. */
  readonly isModule: boolean;
}

/** The files of a project beside its package.json and .gitignore. */
export function projectFiles({ kind, isNew, hasSrc, isModule }: ProjectShape): ProjectFile[] {
  const folder = hasSrc ? "src/" : "";
  // What bundles or compiles to CommonJS looks for the file itself; Node looks for what was compiled of it.
  const ending = kind === "next" || (kind === "nest" && !isModule) ? "" : ".js";
  const files: ProjectFile[] = [
    {
      path: `${folder}pipelines.ts`,
      text: template("pipelines.ts"),
      purpose: "what your jobs do; `lockstep dev` and `lockstep work` find it here",
    },
    {
      path: `${folder}jobs.ts`,
      // Next loads the file again for each route and after each edit: there its variable would not do.
      text: template(kind === "next" ? "jobs-next.ts" : "jobs.ts", ending),
      purpose: "the engine with which your application adds jobs",
    },
    {
      path: ".env.example",
      text: template("env"),
      purpose: "the settings; copy it to .env if you have a database",
    },
  ];
  if (kind === "node") {
    files.push({
      path: `${folder}add-job.ts`,
      text: template("add-job.ts", ending),
      purpose: "adds a job and waits for its result: npm run jobs:add",
    });
  }
  if (isNew)
    files.push({
      path: "tsconfig.json",
      text: template("tsconfig.json"),
      purpose: "the settings of TypeScript",
    });
  return files;
}

/** How an application of this kind adds a job. */
export function addingExample(kind: ProjectKind): string | null {
  const add = "await (await jobs()).add(greeting, { name })";
  if (kind === "next") return `in a route handler or a server action:  ${add}`;
  if (kind === "nest") return `in a method of a provider:  ${add}`;
  if (kind === "express" || kind === "fastify") return `in a route:  ${add}`;
  return null;
}

/** As it is in the folder of templates, with how imports end. */
function template(name: string, ending = ""): string {
  const file = new URL(`../templates/${name}.txt`, import.meta.url);
  return readFileSync(file, "utf8").replaceAll("ENDING", ending);
}
