import type { TestProject } from "vitest/node";
import { bundlePrograms } from "./bundle-programs.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The program of the stories' workers in one file; none where a mutant is put into what they load. */
    storyWorker?: string;
  }
}

/** Before the stories of a run, once for all of them. */
export default async function bundleWorker(project: TestProject): Promise<() => Promise<void>> {
  const { paths, remove } = await bundlePrograms({ worker: "test/scenarios/processes/worker-program.ts" });
  project.provide("storyWorker", paths.worker);
  return remove;
}
