import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { bundlePrograms } from "../test/scenarios/processes/bundle-programs.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The examples by their names, each in one file; none where a mutant is put into what they load. */
    examples?: Readonly<Record<string, string>>;
  }
}

// As a reader of the README runs it, from the sources; and one with a runner of its own.
const fromSources = ["first-pipeline.ts", "jobs/testing-a-pipeline.ts"];
const besides = ["pg", "express", "pino", "drizzle-orm", "@opentelemetry/*", "ai", "@ai-sdk/*"];

/** Before the tests of the examples, once for all of them: read through a loader, each would take a second of a processor to start. */
export default async function bundleExamples(project: TestProject): Promise<() => Promise<void>> {
  const folder = fileURLToPath(new URL("./", import.meta.url));
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => /^[\w-]+\/[\w-]+\.ts$/.test(name) && !fromSources.includes(name),
  );
  // In one folder, where each finds the program of its heartbeat beside it.
  const flat = (name: string) => name.replace("/", "-").replace(/\.ts$/, "");
  const sources = Object.fromEntries(names.map((name) => [flat(name), `examples/${name}`]));
  const { paths, remove } = await bundlePrograms(sources, besides);
  project.provide("examples", Object.fromEntries(names.map((name) => [name, paths[flat(name)] ?? ""])));
  return remove;
}
